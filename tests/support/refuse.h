/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef XRDMA_TESTS_REFUSE_H
#define XRDMA_TESTS_REFUSE_H

#include <linux/types.h>

/*
 * Make the kernel refuse a system call of the calling process from now on, like an older kernel or
 * one without some feature. Call NUMBER (SYS_*) fails with ERR (errno) if its argument ARG, counted
 * from 0, is VALUE. An error fails the test.
 */
void refuse_call(__u32 number, int arg, __u32 value, int err);

/*
 * Refuse PROCMAP_QUERY, like kernels before 6.11, so that the library reads the text of
 * proc_pid_maps(5). An error fails the test.
 */
void refuse_mapping_queries(void);

#endif
