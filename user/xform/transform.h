/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Transformation of data between memory and the wire, by the attributes of an mkey. */
#ifndef XRDMA_USER_XFORM_TRANSFORM_H
#define XRDMA_USER_XFORM_TRANSFORM_H

#include "xform/crypto.h"
#include "xform/sig.h"

/* A transform. All zero: data do not change. */
struct xrdma_transform {
	struct xrdma_sig sig;
	struct xrdma_crypto crypto;
};

static inline bool xrdma_transform_is_set(const struct xrdma_transform *transform)
{
	return xrdma_sig_is_set(&transform->sig) || transform->crypto.kind != XRDMA_CRYPTO_NONE;
}

/* Return the bytes on the wire for which MEMORY bytes of memory are sufficient. */
__u64 xrdma_transform_wire(const struct xrdma_transform *transform, __u64 memory);

/* Return an upper limit for the memory of WIRE bytes on the wire, for all attributes. */
__u64 xrdma_transform_memory_max(__u64 wire);

/* A part of an mkey. */
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
 * Transform from MEMORY to WIRE, or the reverse. The source may change, too. The first wrong field
 * is stored in ERR. Returns false if this failed; the result is undefined then.
 */
bool xrdma_transform_send(const struct xrdma_transform *transform,
			  const struct xrdma_mkey_part *part, __u8 *memory, __u8 *wire,
			  struct xrdma_mkey_err *err);
bool xrdma_transform_receive(const struct xrdma_transform *transform,
			     const struct xrdma_mkey_part *part, __u8 *wire, __u8 *memory,
			     struct xrdma_mkey_err *err);

#endif
