/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What data go through on their way between memory and the wire, by the attributes of an mkey. */
#ifndef XRDMA_USER_XFORM_TRANSFORM_H
#define XRDMA_USER_XFORM_TRANSFORM_H

#include "xform/crypto.h"
#include "xform/sig.h"

/* All zero: they stay as they are. */
struct xrdma_transform {
	struct xrdma_sig sig;
	struct xrdma_crypto crypto;
};

static inline bool xrdma_transform_is_set(const struct xrdma_transform *transform)
{
	return xrdma_sig_is_set(&transform->sig) || transform->crypto.kind != XRDMA_CRYPTO_NONE;
}

/* Bytes on the wire of which MEMORY bytes of memory are enough. */
__u64 xrdma_transform_wire(const struct xrdma_transform *transform, __u64 memory);

/* Return an upper limit for the memory of WIRE bytes on the wire, for all attributes. */
__u64 xrdma_transform_memory_max(__u64 wire);

/* A part of what an mkey has. */
struct xrdma_mkey_part {
	__u64 memory_at, memory_len, wire_len;
	__u64 data; /* bytes without integrity fields */
};

/*
 * Describe LEN bytes on the wire, from AT on. Returns false if they cannot be transferred
 * separately.
 */
bool xrdma_transform_part(const struct xrdma_transform *transform, __u64 at, __u64 len,
			  struct xrdma_mkey_part *part);

/*
 * From MEMORY to the WIRE, and the other way; what they are made from may change too. The first
 * field that is found wrong goes to ERR. False: they cannot be made, and are of no use.
 */
bool xrdma_transform_send(const struct xrdma_transform *transform,
			  const struct xrdma_mkey_part *part, __u8 *memory, __u8 *wire,
			  struct xrdma_mkey_err *err);
bool xrdma_transform_receive(const struct xrdma_transform *transform,
			     const struct xrdma_mkey_part *part, __u8 *wire, __u8 *memory,
			     struct xrdma_mkey_err *err);

#endif
