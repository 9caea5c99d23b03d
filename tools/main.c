// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* xrdma [-n NETNS] COMMAND [ARGUMENTS]: finds the command and runs it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *usage;
	const char *help;
} commands[] = {
	{ "load", cmd_load, "DEVICE [--mode native|tc|auto]", "put the XDP programs on a netdev" },
	{ "unload", cmd_unload, "DEVICE [-f]",
	  "take them off; -f: also when processes use it, or its network namespace is gone" },
	{ "status", cmd_status, "[DEVICE] [-j]", "what is loaded" },
	{ "stat", cmd_stat, "[DEVICE] [-i SECONDS [-c COUNT]] [-j]",
	  "packets by what became of them and by opcode; -i: those of each second, every SECONDS" },
	{ "show", cmd_show, "ctx|mr|mw|qp|cq [DEVICE] [-j]",
	  "what processes have: contexts, keys of memory, queue pairs, completion queues" },
	{ "pcap", cmd_pcap, "FILE [-j] [-s]",
	  "decode the RoCE v2 packets of a capture; -s: and say what they are in sum" },
	{ "perf", cmd_perf,
	  "DEVICE [HOST [OPERATION...]] [-s BYTES[,BYTES...]] [-q QPS] [-d DEPTH] [-t SECONDS] "
	  "[-m MTU] [--tx auto|udp|xdp] [-p PORT] [-1] [-j]",
	  "without HOST: a server; with it: latency and bandwidth of write, read, send, atomic" },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void usage(FILE *out)
{
	fprintf(out, "usage: xrdma [-n NETNS] COMMAND ...\n");
	for (unsigned int i = 0; i < COMMANDS; i++)
		fprintf(out, "  xrdma %s %s\n        %s\n", commands[i].name, commands[i].usage,
			commands[i].help);
}

/* As ip -n: only the network changes, so that the BPF file system stays in sight. */
static int enter_netns(const char *name)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "/run/netns/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET)) {
		fprintf(stderr, "xrdma: network namespace %s: %s\n", name, strerror(errno));
		return 1;
	}
	close(fd);
	return 0;
}

static int run(int argc, char **argv)
{
	for (unsigned int i = 0; i < COMMANDS; i++)
		if (!strcmp(argv[0], commands[i].name))
			return commands[i].run(argc, argv);
	fprintf(stderr, "xrdma: no command '%s'\n", argv[0]);
	usage(stderr);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	int at = 1;

	if (argc > 3 && !strcmp(argv[1], "-n")) {
		if (enter_netns(argv[2]))
			return 1;
		at = 3;
	}
	if (at >= argc) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[at], "-h") || !strcmp(argv[at], "--help") || !strcmp(argv[at], "help")) {
		usage(stdout);
		return 0;
	}
	if (!strcmp(argv[at], "-V") || !strcmp(argv[at], "--version")) {
		puts("xrdma " VERSION);
		return 0;
	}
	return run(argc - at, argv + at);
}
