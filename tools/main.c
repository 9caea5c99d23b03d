// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* xrdma COMMAND [ARGUMENTS]: finds the command and runs it. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *usage;
	const char *help;
} commands[] = {
	{ "pcap", cmd_pcap, "FILE [-j]", "decode the RoCE v2 packets of a capture" },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void usage(FILE *out)
{
	fprintf(out, "usage:\n");
	for (unsigned int i = 0; i < COMMANDS; i++)
		fprintf(out, "  xrdma %-7s %-12s %s\n", commands[i].name, commands[i].usage,
			commands[i].help);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "help")) {
		usage(stdout);
		return 0;
	}
	for (unsigned int i = 0; i < COMMANDS; i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	fprintf(stderr, "xrdma: no command '%s'\n", argv[1]);
	usage(stderr);
	return EXIT_USAGE;
}
