/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* BPF programs, ours and others, as the kernel describes them. */
#ifndef XRDMA_USER_DEV_PROGRAM_H
#define XRDMA_USER_DEV_PROGRAM_H

#include <linux/types.h>

#include <xrdma/device.h>

/* Return the kernel's id of the program of file descriptor PROGRAM, or 0. */
__u32 xrdma_program_id(int program);

/* Return the id of the map MAP if its name is xrdma_device, else 0. */
__u32 xrdma_program_device_map(int map);

/*
 * Return in *MAP the id of the map xrdma_device that the program of file descriptor PROGRAM uses,
 * or 0 if it is not the program of a device of xrdma. Each device has its own map. Returns 0 or
 * -errno if the kernel does not report the id.
 */
int xrdma_program_device(int program, __u32 *map);

/* Callback for each program that is found. */
struct xrdma_program_visitor {
	int (*visit)(const struct xrdma_program_before *program, void *arg);
	void *arg;
};

/*
 * Call VISITOR for the program ID at HOOK of NETDEV. Returns the visitor's result, or 0 if the
 * program no longer exists.
 */
int xrdma_program_report(const struct xrdma_program_visitor *visitor, enum xrdma_hook hook,
			 const char *netdev, __u32 id);

#endif
