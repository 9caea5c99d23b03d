/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The process's two contexts, and a peer that has a connection to each. The peer is host A, and
 * belongs to the same process.
 */
#ifndef XRDMA_TESTS_MODEL_PEER_H
#define XRDMA_TESTS_MODEL_PEER_H

#include <xrdma/wr.h>

#include "support/owner.h"

enum { PEER_BYTES = 64 << 10 };

/* Open the contexts, and connect each to the peer. The calling thread is in namespace b then. */
void peer_open(void);
void peer_close(void);

/* The PEER_BYTES of memory from which the peer writes, and into which it reads. */
__u8 *peer_memory(void);

/* Returns a context of device NAME, with a domain; nothing closes it. */
struct owner open_owner(const char *name);

/* Returns context 0 or 1, with its domain. */
const struct owner *owner_of(int context);

/* The peer writes or reads the LEN bytes at ADDR by a key of CONTEXT. */
enum xrdma_wc_status peer_try(int context, enum xrdma_wr_opcode opcode, __u64 key, const void *addr,
			      size_t len);

/* Do the same. If the request fails, the test fails. */
void peer_execute(int context, enum xrdma_wr_opcode opcode, __u64 key, const void *addr,
		  size_t len);

/* Connect CONTEXT and the peer again, after a request has failed. */
void peer_connect(int context);

#endif
