/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A pair (pair.h) in RESET that is connected over TCP. B accepts in a thread of its own. */
#ifndef XRDMA_TESTS_CONN_H
#define XRDMA_TESTS_CONN_H

#include <pthread.h>
#include <xrdma/conn.h>

#include "pair.h"

/* A's arguments and results. */
extern struct conn_a {
	struct xrdma_conn_attr attr;
	struct xrdma_conn_peer peer;
} conn_a;

extern struct conn_b {
	pthread_t thread;
	int listener; /* listening at port 7471 */
	struct xrdma_conn_attr attr;
	struct xrdma_conn_peer peer;
	int err; /* result of the call, and its text */
	char error[512];
} conn_b;

/* Fixtures of each test. */
void conn_start(void);
void conn_stop(void);

/* Let B accept one connection, or wait for its result and return it. */
void conn_start_b(void);
int conn_join_b(void);

/* Let A connect to ADDRESS while B accepts. Returns A's result. */
int conn_connect(const char *address);

/* Connect both, and expect that they can write to each other. */
void conn_expect_connected(const char *address);

#endif
