// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "queue/bounce_transform.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "key/fault.h"
#include "key/key.h"
#include "key/memory.h"
#include "key/mkey.h"
#include "lib/error.h"
#include "lib/order.h"
#include "lib/scatter.h"

struct transforming {
	struct xrdma_bounce bounce;
	struct xrdma_bounce_buffer buffer; /* contains the bytes that go over the wire */
	__u8 *memory;			   /* room for the bytes of a segment in memory */
	__u32 right;			   /* XRDMA_ACCESS_* that the keys must allow */
};

/* The part of a segment that the message uses: its first LEN bytes. */
struct piece {
	struct xrdma_translation to; /* walks over its memory */
	struct xrdma_mkey *mkey;     /* that transforms it, or NULL */
	struct xrdma_transform transform;
	struct xrdma_mkey_part part;
	__u32 version; /* version of the mkey's configuration */
};

/* The functions from here to report() need the lock of the keys. */

/* Find the memory of PIECE, which its mkey transforms. */
static enum xrdma_verdict locate_transforming(struct piece *piece)
{
	const struct xrdma_mkey_row *row = piece->mkey->row;
	struct xrdma_access *access = &piece->to.access;
	enum xrdma_verdict verdict = xrdma_access_check(row, access, &piece->to.at);

	if (verdict != XRDMA_V_OK)
		return verdict;
	piece->transform = piece->mkey->transform;
	piece->version = piece->mkey->version;
	if (!xrdma_transform_part(&piece->transform, access->va, access->len, &piece->part))
		return XRDMA_V_TRANSFORM;
	piece->to.at = piece->part.memory_at;
	access->len = piece->part.memory_len;
	return xrdma_translate_mkey(&piece->to, row);
}

/* Set PIECE to the first LEN bytes of SGE. */
static enum xrdma_verdict locate(const struct transforming *transforming,
				 const struct xrdma_sge *sge, __u32 len, struct piece *piece)
{
	struct xrdma_mkey *mkey = xrdma_mkey_find(transforming->bounce.context->keys, sge->lkey);

	piece->mkey = mkey && xrdma_transform_is_set(&mkey->transform) ? mkey : NULL;
	piece->to.space = xrdma_space_of(transforming->bounce.context);
	piece->to.access = (struct xrdma_access){
		.key = sge->lkey,
		.pd = transforming->bounce.pd,
		.qpn = transforming->bounce.qpn,
		.rights = transforming->right,
		.va = sge->addr,
		.len = len,
	};
	return piece->mkey ? locate_transforming(piece) : xrdma_translate(&piece->to);
}

/* Copy all bytes of PIECE to BYTES, or from BYTES if FROM is true. */
static enum xrdma_verdict copy(struct piece *piece, __u8 *bytes, bool from)
{
	__u64 left = piece->to.access.len, heap_at;
	struct xrdma_chunk chunk;
	__u32 len;

	for (; left; left -= len, bytes += len) {
		len = xrdma_translation_next(&piece->to, left, &heap_at);
		if (!xrdma_heap_at(&piece->to.space, heap_at, len, &chunk))
			return xrdma_heap_miss(&piece->to.space, heap_at, len);
		if (from)
			memcpy(chunk.bytes, bytes, len);
		else
			memcpy(bytes, chunk.bytes, len);
		xrdma_translation_advance(&piece->to, len);
	}
	return XRDMA_V_OK;
}

/* Note ERR in MKEY, unless it has an error already. */
static void report(struct xrdma_mkey *mkey, const struct xrdma_mkey_err *err)
{
	if (mkey->err.err_type == XRDMA_MKEY_NO_ERR)
		mkey->err = *err;
}

/*
 * Returns whether to repeat the access by PIECE, which ended with VERDICT. The caller does not hold
 * the lock of the keys.
 */
static bool retry(const struct transforming *transforming, const struct piece *piece,
		  enum xrdma_verdict *verdict)
{
	return xrdma_fault_retry(transforming->bounce.context->faults, piece->to.space.missed,
				 verdict);
}

static enum xrdma_verdict check(struct xrdma_bounce *bounce, __u32 len)
{
	struct xrdma_mutex *lock = &bounce->context->keys->lock;
	const struct transforming *transforming = (void *)bounce;
	enum xrdma_verdict verdict = XRDMA_V_OK;
	struct piece piece;
	__u32 here;

	for (__u32 i = 0; i < bounce->num_sge && len && verdict == XRDMA_V_OK; i++, len -= here) {
		here = bounce->sges[i].length < len ? bounce->sges[i].length : len;
		do {
			xrdma_mutex_lock(lock);
			verdict = here ? locate(transforming, &bounce->sges[i], here, &piece)
				       : XRDMA_V_OK;
			xrdma_mutex_unlock(lock);
		} while (retry(transforming, &piece, &verdict));
	}
	return verdict;
}

/* Write the bytes of SGE to BYTES, as they go over the wire. */
static enum xrdma_verdict fill_one(struct transforming *transforming, const struct xrdma_sge *sge,
				   __u8 *bytes)
{
	struct xrdma_mutex *lock = &transforming->bounce.context->keys->lock;
	struct xrdma_mkey_err err = { 0 };
	enum xrdma_verdict verdict;
	struct xrdma_mkey *mkey;
	struct piece piece;

	do {
		xrdma_mutex_lock(lock);
		verdict = locate(transforming, sge, sge->length, &piece);
		if (verdict == XRDMA_V_OK)
			verdict = copy(&piece, piece.mkey ? transforming->memory : bytes, false);
		xrdma_mutex_unlock(lock);
	} while (retry(transforming, &piece, &verdict));
	if (verdict != XRDMA_V_OK || !piece.mkey)
		return verdict;
	if (!xrdma_transform_send(&piece.transform, &piece.part, transforming->memory, bytes, &err))
		return XRDMA_V_TRANSFORM;
	xrdma_mutex_lock(lock);
	mkey = xrdma_mkey_find(transforming->bounce.context->keys, sge->lkey);
	if (mkey)
		report(mkey, &err);
	xrdma_mutex_unlock(lock);
	return XRDMA_V_OK;
}

static enum xrdma_verdict fill(struct xrdma_bounce *bounce)
{
	struct transforming *transforming = (void *)bounce;
	enum xrdma_verdict verdict = XRDMA_V_OK;
	__u8 *bytes = transforming->buffer.bytes;

	for (__u32 i = 0; i < bounce->num_sge && verdict == XRDMA_V_OK; i++) {
		if (bounce->sges[i].length)
			verdict = fill_one(transforming, &bounce->sges[i], bytes);
		bytes += bounce->sges[i].length;
	}
	return verdict;
}

/*
 * Copy LEN of BYTES to the memory of SGE. They are transformed without the lock of the keys. They
 * are copied with it, so that a thread that ends a key can wait until no bytes are copied. The copy
 * is refused if the mkey was configured anew meanwhile.
 */
static enum xrdma_verdict copy_out_one(struct transforming *transforming,
				       const struct xrdma_sge *sge, __u32 len, __u8 *bytes)
{
	struct xrdma_mutex *lock = &transforming->bounce.context->keys->lock;
	struct xrdma_mkey_err err = { 0 };
	struct piece piece, again;
	enum xrdma_verdict verdict;

	do {
		xrdma_mutex_lock(lock);
		verdict = locate(transforming, sge, len, &piece);
		if (verdict == XRDMA_V_OK && !piece.mkey)
			verdict = copy(&piece, bytes, true);
		xrdma_mutex_unlock(lock);
	} while (retry(transforming, &piece, &verdict));
	if (verdict != XRDMA_V_OK || !piece.mkey)
		return verdict;
	if (!xrdma_transform_receive(&piece.transform, &piece.part, bytes, transforming->memory,
				     &err))
		return XRDMA_V_TRANSFORM;
	do {
		xrdma_mutex_lock(lock);
		verdict = locate(transforming, sge, len, &again);
		if (verdict == XRDMA_V_OK && (!again.mkey || again.version != piece.version))
			verdict = XRDMA_V_TRANSFORM;
		if (verdict == XRDMA_V_OK)
			verdict = copy(&again, transforming->memory, true);
		if (verdict == XRDMA_V_OK)
			report(again.mkey, &err);
		xrdma_mutex_unlock(lock);
	} while (retry(transforming, &again, &verdict));
	return verdict;
}

static enum xrdma_verdict copy_out(struct xrdma_bounce *bounce, __u32 len)
{
	struct transforming *transforming = (void *)bounce;
	enum xrdma_verdict verdict = check(bounce, len);
	__u8 *bytes = transforming->buffer.bytes;
	__u32 here;

	for (__u32 i = 0; i < bounce->num_sge && len && verdict == XRDMA_V_OK; i++, len -= here) {
		here = bounce->sges[i].length < len ? bounce->sges[i].length : len;
		if (here)
			verdict = copy_out_one(transforming, &bounce->sges[i], here, bytes);
		bytes += here;
	}
	return verdict;
}

static void release(struct xrdma_bounce *bounce)
{
	const struct transforming *transforming = (void *)bounce;

	xrdma_bounce_buffer_give(bounce, &transforming->buffer);
	free(transforming->memory);
}

static const struct xrdma_bounce_ops transform_ops = { check, fill, copy_out, release };

static int start(struct transforming *transforming)
{
	struct xrdma_bounce *bounce = &transforming->bounce;
	const __u64 size = xrdma_sges_length(bounce->sges, bounce->num_sge);
	int err;

	transforming->memory = malloc(xrdma_transform_memory_max(size));
	if (!transforming->memory)
		return xrdma_fail(ENOMEM, "no memory to transform %llu bytes in", size);
	err = xrdma_bounce_buffer_take(bounce, size, &transforming->buffer);
	if (err)
		free(transforming->memory);
	return err;
}

int xrdma_bounce_transform_prepare(const struct xrdma_pd *pd, __u32 qpn, __u32 right,
				   const struct xrdma_sge *sges, __u32 num_sge,
				   struct xrdma_bounce **bounce)
{
	struct transforming *transforming =
		xrdma_bounce_new(sizeof(*transforming), pd, qpn, sges, num_sge);
	int err;

	if (!transforming)
		return -ENOMEM;
	transforming->bounce.ops = &transform_ops;
	transforming->right = right;
	err = start(transforming);
	if (err)
		free(transforming);
	else
		*bounce = &transforming->bounce;
	return err;
}
