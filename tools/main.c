// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* xrdma [-n NETNS] COMMAND [ARGUMENTS]: find the command and run it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "usage.h"

#define JSON_OPTION "  -j                      print JSON\n"

static const struct command commands[] = {
	{ "load",
	  cmd_load,
	  "attach the programs to a netdev",
	  { "DEVICE [--mode native|tc|auto]" },
	  "  --mode native           XDP in the driver, and tc for deferred requests\n"
	  "  --mode tc               tc ingress, on every netdev\n"
	  "  --mode auto             native if a neighbour answers a frame from XDP, else tc\n"
	  "                          (default)\n" },
	{ "unload",
	  cmd_unload,
	  "remove the programs from a netdev",
	  { "DEVICE [-f]" },
	  "  -f                      even if processes use the device, or if its netdev is in\n"
	  "                          another network namespace\n" },
	{ "status",
	  cmd_status,
	  "show devices, their modes and addresses, and programs that run before theirs",
	  { "[DEVICE] [-j]" },
	  JSON_OPTION },
	{ "stat",
	  cmd_stat,
	  "count packets by outcome and by opcode",
	  { "[DEVICE] [-i SECONDS [-c COUNT]] [-j]" },
	  "  -i SECONDS              show packets per second, every SECONDS (0.001 to 86400)\n"
	  "  -c COUNT                end after COUNT times\n" JSON_OPTION },
	{ "show",
	  cmd_show,
	  "list contexts, memory regions, memory windows, mkeys, queue pairs or completion queues",
	  { "ctx|mr|mw|mkey|qp|cq|srq [DEVICE] [-j]" },
	  JSON_OPTION },
	{ "pcap",
	  cmd_pcap,
	  "decode the RoCE v2 packets of a capture",
	  { "FILE [-j] [-s]" },
	  "  -s                      show a summary, too\n" JSON_OPTION },
	{ "perf",
	  cmd_perf,
	  "serve, or measure the latency and bandwidth of requests to the server on HOST",
	  { "DEVICE [-p PORT] [-1]",
	    "DEVICE HOST [write] [read] [send] [atomic] [-s BYTES[,BYTES...]]\n"
	    "                  [-q QPS] [-d DEPTH] [-t SECONDS] [-m MTU] [--tx auto|udp|xdp]\n"
	    "                  [-p PORT] [-j]" },
	  "  -p PORT                 TCP port of the server (default 7472)\n"
	  "  -1                      serve one client\n"
	  "  -s BYTES[,BYTES...]     up to 32 sizes of requests, to 64M (default 64,4096,64k,1M)\n"
	  "  -q QPS                  queue pairs, 1 to 64 (default 1)\n"
	  "  -d DEPTH                requests under way on each, 1 to 256 (default 64)\n"
	  "  -t SECONDS              time of a measurement, 0.001 to 86400 (default 1)\n"
	  "  -m MTU                  path MTU, 256 to 4096 (default: that of the path)\n"
	  "  --tx auto|udp|xdp       send by UDP sockets or AF_XDP (default auto)\n" JSON_OPTION },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_help(FILE *out)
{
	fprintf(out, "usage: xrdma [-n NETNS] COMMAND [ARGUMENTS]\n"
		     "       xrdma COMMAND --help\n"
		     "       xrdma --version\n");
	for (unsigned int i = 0; i < COMMANDS; i++)
		fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].help);
	fprintf(out, "  -n NETNS  work in a network namespace: a name of ip-netns(8), or a path\n");
}

/*
 * Enter the network namespace NAME. Unlike ip netns exec, this does not change mounts, so that the
 * BPF file system remains visible.
 */
static bool enter_netns(const char *name)
{
	char path[PATH_MAX];
	int fd, err;

	snprintf(path, sizeof(path), "%s%s", strchr(name, '/') ? "" : "/run/netns/", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	err = fd < 0 || setns(fd, CLONE_NEWNET) ? errno : 0;
	if (fd >= 0)
		close(fd);
	if (err == ENOENT)
		fprintf(stderr, "xrdma: there is no network namespace %s: see ip netns\n", name);
	else if (err)
		fprintf(stderr, "xrdma: cannot enter the network namespace %s: %s\n", name,
			strerror(err));
	return !err;
}

static const struct command *find(const char *name)
{
	for (unsigned int i = 0; i < COMMANDS; i++)
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	fprintf(stderr, "xrdma: there is no command %s: xrdma --help lists them\n", name);
	return NULL;
}

static bool is_help(const char *text)
{
	return !strcmp(text, "-h") || !strcmp(text, "--help") || !strcmp(text, "help");
}

static int help(const char *name)
{
	const struct command *command = name ? find(name) : NULL;

	if (command)
		usage_print(stdout, command);
	else if (!name)
		print_help(stdout);
	return name && !command ? EXIT_USAGE : 0;
}

/* Run the command. getopt() begins its messages with argv[0]. */
static int run(int argc, char **argv)
{
	const struct command *command = find(argv[0]);
	char name[32];

	if (!command)
		return EXIT_USAGE;
	if (argc == 2 && is_help(argv[1]))
		return help(argv[0]);
	snprintf(name, sizeof(name), "xrdma %s", command->name);
	argv[0] = name;
	usage_begin(command);
	return command->run(argc, argv);
}

int main(int argc, char **argv)
{
	int at = 1;

	if (argc > 1 && (!strcmp(argv[1], "-n") || !strcmp(argv[1], "--netns"))) {
		if (argc == 2) {
			fprintf(stderr, "xrdma: -n needs the name of a network namespace\n");
			return EXIT_USAGE;
		}
		if (!enter_netns(argv[2]))
			return 1;
		at = 3;
	}
	if (at >= argc) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (is_help(argv[at]))
		return help(argv[at + 1]);
	if (!strcmp(argv[at], "-V") || !strcmp(argv[at], "--version")) {
		puts("xrdma " VERSION);
		return 0;
	}
	return run(argc - at, argv + at);
}
