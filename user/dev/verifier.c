// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "dev/verifier.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static __thread char last[256], message[sizeof(last)];
static __thread char last_extack[256], extack[sizeof(last_extack)];

/*
 * Returns whether LINE is part of the verifier's trace: an instruction ("12: (85) call ..."), a
 * line of source ("; ..."), or a state.
 */
static bool is_trace(const char *line)
{
	return isdigit((unsigned char)*line) || *line == ';' || !strncmp(line, "from ", 5);
}

/*
 * Keep the verifier's reason from LOG. A log ends with the reason, in lines that are no trace, and
 * with statistics.
 */
static void record(char *log)
{
	char *start, *line, *end = NULL;

	for (char *next = log; (next = strstr(next, "\nprocessed ")); next++)
		end = next;
	if (!end)
		return;
	*end = 0;
	start = end;
	while ((line = memrchr(log, '\n', start - log)) && !is_trace(line + 1))
		start = line;
	snprintf(last, sizeof(last), "%s", start == end ? "" : start + 1);
	while ((line = strchr(last, '\n')))
		*line = ' ';
}

/*
 * Keep the kernel's reason from TEXT, a message of libbpf that contains it and ends with a line
 * feed.
 */
static void record_extack(const char *text)
{
	static const char before[] = "Kernel error message: ";
	const char *message = strstr(text, before);

	if (message)
		snprintf(last_extack, sizeof(last_extack), "%.*s",
			 (int)strcspn(message + strlen(before), "\n"), message + strlen(before));
}

int xrdma_verifier_print(enum libbpf_print_level level, const char *format, va_list args)
{
	char *text;

	if (level != LIBBPF_WARN || vasprintf(&text, format, args) < 0)
		return 0;
	if (strstr(format, "PROG LOAD LOG"))
		record(text);
	record_extack(text);
	free(text);
	return 0;
}

const char *xrdma_extack_message(void)
{
	memcpy(extack, last_extack, sizeof(extack));
	last_extack[0] = 0;
	return extack;
}

const char *xrdma_verifier_message(void)
{
	memcpy(message, last, sizeof(message));
	last[0] = 0;
	return message;
}
