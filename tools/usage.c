// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "usage.h"

#include <stdarg.h>

static const struct command *current;

void usage_begin(const struct command *command)
{
	current = command;
}

static void print_forms(FILE *out, const struct command *command)
{
	for (int i = 0; i < FORMS_MAX && command->forms[i]; i++)
		fprintf(out, "%s xrdma %s %s\n", i ? "      " : "usage:", command->name,
			command->forms[i]);
}

void usage_print(FILE *out, const struct command *command)
{
	print_forms(out, command);
	fprintf(out, "%s.\n%s", command->help, command->options);
}

int usage_error(const char *format, ...)
{
	va_list args;

	if (format) {
		fprintf(stderr, "xrdma %s: ", current->name);
		va_start(args, format);
		vfprintf(stderr, format, args);
		va_end(args);
		fputc('\n', stderr);
	}
	print_forms(stderr, current);
	return EXIT_USAGE;
}
