/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Two contexts of the process, and a peer with a connection to each. The peer is host A, and
 * belongs to the same process.
 */
#ifndef XRDMA_TESTS_MODEL_PEER_H
#define XRDMA_TESTS_MODEL_PEER_H

#include <xrdma/wr.h>

#include "support/owner.h"

enum { PEER_BYTES = 64 << 10 };

/*
 * Open the contexts, and connect each to the peer. Afterwards the calling thread is in namespace b.
 */
void peer_open(void);
void peer_close(void);

/* Returns PEER_BYTES of memory, from which the peer writes and into which it reads. */
__u8 *peer_memory(void);

/* Open device NAME, and allocate a domain. The context is never closed. */
struct owner open_owner(const char *name);

/* Returns context 0 or 1, with its domain. */
const struct owner *owner_of(int context);

/* Let the peer write or read the LEN bytes at ADDR under a key of CONTEXT. Returns the status. */
enum xrdma_wc_status peer_try(int context, enum xrdma_wr_opcode opcode, __u64 key, const void *addr,
			      size_t len);

/* Do the same as peer_try(). If the request fails, the test fails. */
void peer_execute(int context, enum xrdma_wr_opcode opcode, __u64 key, const void *addr,
		  size_t len);

/* Connect CONTEXT and the peer again, after a request has failed. */
void peer_connect(int context);

#endif
