/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The commands of the xrdma tool. Each takes its own arguments (argv[0] is "xrdma NAME") and
 * returns an exit status.
 */
#ifndef XRDMA_TOOLS_CMD_H
#define XRDMA_TOOLS_CMD_H

int cmd_load(int argc, char **argv);
int cmd_unload(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_pcap(int argc, char **argv);
int cmd_perf(int argc, char **argv);

#endif
