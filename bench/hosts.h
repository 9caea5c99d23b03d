/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Two hosts that run.sh makes, and programs on them. An error ends the benchmarks. */
#ifndef XRDMA_BENCH_HOSTS_H
#define XRDMA_BENCH_HOSTS_H

#include <sys/types.h>
#include <xrdma/device.h>

/* Move this thread to HOST. */
void hosts_enter(const char *host);

void hosts_load(const char *host, const char *netdev, enum xrdma_mode mode);
void hosts_unload(const char *host, const char *netdev);

/*
 * Run RUN(OF, READY) in a new process, on host b and on another CPU. It runs until it is ended, or
 * until this process exits. hosts_start() returns when RUN has called hosts_ready(READY). Then this
 * thread is on host a.
 */
pid_t hosts_start(void (*run)(const void *of, int ready), const void *of);
void hosts_ready(int ready);
void hosts_end(pid_t pid);

/*
 * TCP connections without delayed sending. hosts_tcp_accept() waits for a peer on host b, and calls
 * hosts_ready() before. hosts_tcp_connect() connects to it from host a. It sends segments of
 * SEGMENT bytes, or of as many as the MTU allows if SEGMENT is 0.
 */
int hosts_tcp_accept(int ready);
int hosts_tcp_connect(int segment);
void hosts_tcp_send(int fd, const void *bytes, size_t len);

#endif
