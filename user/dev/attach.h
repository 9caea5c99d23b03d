/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The XDP program on a netdev, by libxdp: beside others where its dispatcher works, alone where it
 * does not.
 */
#ifndef XRDMA_USER_DEV_ATTACH_H
#define XRDMA_USER_DEV_ATTACH_H

#include <stdbool.h>

#include "dev/load.h"
#include <xrdma/abi.h>

/*
 * Load *BPF, which is open, and attach its program to NETDEV in MODE; AUTO becomes the mode that
 * was taken. On success the caller has *BPF, to be ended by xrdma_bpf__destroy(), and the program
 * stays attached. Returns 0 or -errno with xrdma_error() set.
 */
int xrdma_attach(struct xrdma_bpf **bpf, const char *netdev, enum xrdma_mode *mode);

/* Take the program of file descriptor PROGRAM off the netdev; 0 also when it is not on it. */
int xrdma_detach(int program, int ifindex);

/* Whether the program of file descriptor PROGRAM is on the netdev. */
bool xrdma_attached(int program, int ifindex);

#endif
