/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The help of each command, and the messages about wrong arguments. */
#ifndef XRDMA_TOOLS_USAGE_H
#define XRDMA_TOOLS_USAGE_H

#include <stdio.h>

enum { EXIT_USAGE = 2, FORMS_MAX = 2 };

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;	      /* one line */
	const char *forms[FORMS_MAX]; /* the arguments */
	const char *options;	      /* a line each */
};

/* The command that is run: usage_error() is about it. */
void usage_begin(const struct command *command);

/* Print the forms of COMMAND, and its options. */
void usage_print(FILE *out, const struct command *command);

/*
 * Say on standard error what is wrong with the arguments of the command, and print its forms.
 * FORMAT may be NULL if that was said before. Returns EXIT_USAGE.
 */
__attribute__((format(printf, 1, 2))) int usage_error(const char *format, ...);

#endif
