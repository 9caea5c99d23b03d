/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Help texts of commands, and messages about wrong arguments. */
#ifndef XRDMA_TOOLS_USAGE_H
#define XRDMA_TOOLS_USAGE_H

#include <stdio.h>

enum { EXIT_USAGE = 2, FORMS_MAX = 2 };

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;	      /* one line */
	const char *forms[FORMS_MAX]; /* arguments */
	const char *options;	      /* a line for each */
};

/* Set the command that runs, for usage_error(). */
void usage_begin(const struct command *command);

/* Print the forms of COMMAND, and its options. */
void usage_print(FILE *out, const struct command *command);

/*
 * Print what is wrong with the arguments to standard error, and the forms of the command. FORMAT
 * may be NULL if a message was printed before. Returns EXIT_USAGE.
 */
__attribute__((format(printf, 1, 2))) int usage_error(const char *format, ...);

#endif
