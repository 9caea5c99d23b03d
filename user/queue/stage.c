// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "queue/stage.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "key/fault.h"
#include "key/key.h"
#include "key/memory.h"
#include "key/mkey.h"
#include "lib/error.h"
#include "lib/order.h"
#include "lib/scatter.h"

/* Whether a segment names an mkey whose data may be transformed. */
static bool is_transforming(struct xrdma_keys *keys, const struct xrdma_sge *sge)
{
	const struct xrdma_mkey *mkey;
	bool is;

	if (!sge->length)
		return false;
	xrdma_mutex_lock(&keys->lock);
	mkey = xrdma_mkey_find(keys, sge->lkey);
	is = mkey && mkey->create_flags & XRDMA_MKEY_TRANSFORMS;
	xrdma_mutex_unlock(&keys->lock);
	return is;
}

/* Memory for SIZE bytes on the wire, and its key. */
static int provide(struct xrdma_stage *stage, __u64 size)
{
	struct xrdma_mkey_row row = {
		.kind = XRDMA_MKEY_MR,
		.state = XRDMA_MKEY_VALID,
		.rights = XRDMA_ACCESS_LOCAL,
		.pd = stage->pd,
		.qpn = stage->qpn,
		.len = size,
	};
	void *bytes;
	int err = xrdma_alloc(stage->context, size, 64, &bytes);

	if (err)
		return err;
	stage->bytes = bytes;
	if (stage->kind == XRDMA_STAGE_TRANSFORMS) {
		stage->memory = malloc(xrdma_transform_memory_max(size));
		if (!stage->memory) {
			err = xrdma_fail(ENOMEM, "no memory to transform %llu bytes in", size);
			goto err;
		}
	}
	row.base = (uintptr_t)bytes;
	row.offset = (char *)stage->bytes - stage->context->heap.bytes;
	err = xrdma_key_publish(stage->context->keys, &row, &stage->row);
	if (err)
		goto err;
	stage->sge = (struct xrdma_sge){ row.base, size, row.key };
	return 0;
err:
	free(stage->memory);
	xrdma_free(stage->context, bytes);
	return err;
}

/* Memory of the program is copied up to this size, which takes less time than to register it. */
enum { COPY_MAX = 16 << 10 };

/* What the program has there, if that is worth it, and can be. */
static bool registers(struct xrdma_stage *stage, __u64 size)
{
	struct iovec buffers[XRDMA_RECV_SGE_MAX];
	struct xrdma_region_conf conf = { .iov = buffers, .pd = stage->pd };

	if (size <= COPY_MAX || !xrdma_cache_keeps(size))
		return false;
	for (__u32 i = 0; i < stage->num_sge; i++) {
		const struct xrdma_sge *sge = &stage->sges[i];

		if (sge->length)
			buffers[conf.count++] =
				(struct iovec){ (void *)(uintptr_t)sge->addr, sge->length };
	}
	conf.rights = XRDMA_ACCESS_LOCAL;
	conf.base = (uintptr_t)buffers->iov_base;
	stage->region.context = stage->context;
	if (xrdma_region_start(&stage->region, &conf))
		return false;
	stage->sge = (struct xrdma_sge){ conf.base, size, stage->region.row->key };
	return true;
}

static int start(struct xrdma_stage *stage, __u64 size)
{
	if (stage->kind == XRDMA_STAGE_REGISTERS) {
		if (registers(stage, size))
			return 0;
		stage->kind = XRDMA_STAGE_COPIES;
	}
	return provide(stage, size);
}

/* TAKEN has what a stage begins with. */
static int take(const struct xrdma_stage *taken, const struct xrdma_sge *sges, __u64 size,
		struct xrdma_stage **stage)
{
	const size_t list = taken->num_sge * sizeof(*sges);
	int err;

	*stage = malloc(sizeof(**stage) + list);
	if (!*stage)
		return xrdma_fail(ENOMEM, "no memory for a request");
	**stage = *taken;
	memcpy((*stage)->sges, sges, list);
	err = start(*stage, size);
	if (err)
		free(*stage);
	return err;
}

int xrdma_stage_take(struct xrdma_pd *pd, __u32 qpn, __u32 right, const struct xrdma_sge *sges,
		     __u32 num_sge, struct xrdma_stage **stage)
{
	const struct xrdma_stage mkeys = {
		.kind = XRDMA_STAGE_TRANSFORMS,
		.context = pd->context,
		.pd = pd->number,
		.qpn = qpn,
		.right = right,
		.num_sge = num_sge,
	};
	bool transforming = false;
	__u32 i;

	*stage = NULL;
	for (i = 0; i < num_sge && !transforming; i++)
		transforming = is_transforming(pd->context->keys, &sges[i]);
	return transforming ? take(&mkeys, sges, xrdma_sges_length(sges, num_sge), stage) : 0;
}

int xrdma_stage_take_unregistered(struct xrdma_pd *pd, __u32 qpn, const struct xrdma_sge *sges,
				  __u32 num_sge, struct xrdma_stage **stage)
{
	const struct xrdma_stage unregistered = {
		.kind = XRDMA_STAGE_REGISTERS,
		.context = pd->context,
		.pd = pd->number,
		.qpn = qpn,
		.num_sge = num_sge,
	};
	__u64 size = xrdma_sges_length(sges, num_sge);

	if (size > XRDMA_MESSAGE_MAX) /* no more comes at once */
		size = XRDMA_MESSAGE_MAX;
	*stage = NULL;
	return size ? take(&unregistered, sges, size, stage) : 0;
}

void xrdma_stage_give(struct xrdma_stage *stage)
{
	if (stage->kind == XRDMA_STAGE_REGISTERS) {
		xrdma_region_end(&stage->region);
	} else {
		xrdma_key_revoke(stage->context->keys, stage->row);
		xrdma_free(stage->context, stage->bytes);
		free(stage->memory);
	}
	free(stage);
}

void xrdma_stages_give(struct xrdma_stages *stages)
{
	struct xrdma_stage *stage;

	while ((stage = STAILQ_FIRST(stages))) {
		STAILQ_REMOVE_HEAD(stages, next);
		xrdma_stage_give(stage);
	}
}

/* What is used of a segment. */
struct piece {
	struct xrdma_translation to; /* its memory */
	struct xrdma_mkey *mkey;     /* that transforms it, or NULL */
	struct xrdma_transform transform;
	struct xrdma_mkey_part part;
	__u32 version; /* of the mkey's configuration */
};

/* The callers of the functions from here to report() hold the lock of the keys. */

/* The memory of an access by the mkey. */
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

/* The memory of the first LEN bytes of SGE. */
static enum xrdma_verdict locate(const struct xrdma_stage *stage, const struct xrdma_sge *sge,
				 __u32 len, struct piece *piece)
{
	struct xrdma_mkey *mkey = xrdma_mkey_find(stage->context->keys, sge->lkey);

	piece->mkey = mkey && xrdma_transform_is_set(&mkey->transform) ? mkey : NULL;
	piece->to.space = xrdma_space_of(stage->context);
	piece->to.access = (struct xrdma_access){
		.key = sge->lkey,
		.pd = stage->pd,
		.qpn = stage->qpn,
		.rights = stage->right,
		.va = sge->addr,
		.len = len,
	};
	return piece->mkey ? locate_transforming(piece) : xrdma_translate(&piece->to);
}

/* All of it to BYTES, or from there. */
static enum xrdma_verdict copy(struct piece *piece, __u8 *bytes, bool from)
{
	__u64 left = piece->to.access.len, heap_at;
	struct xrdma_chunk chunk;
	__u32 len;

	for (; left; left -= len, bytes += len) {
		len = xrdma_translation_piece(&piece->to, left, &heap_at);
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

/* The mkey keeps the first. */
static void report(struct xrdma_mkey *mkey, const struct xrdma_mkey_err *err)
{
	if (mkey->err.err_type == XRDMA_MKEY_NO_ERR)
		mkey->err = *err;
}

/*
 * Return whether to repeat the access by PIECE that ended with VERDICT. The caller does not hold
 * the lock of the keys.
 */
static bool retry(const struct xrdma_stage *stage, const struct piece *piece,
		  enum xrdma_verdict *verdict)
{
	return xrdma_fault_retry(stage->context->faults, piece->to.space.missed, verdict);
}

enum xrdma_verdict xrdma_stage_check(struct xrdma_stage *stage, __u32 len)
{
	struct xrdma_mutex *lock = &stage->context->keys->lock;
	enum xrdma_verdict verdict = XRDMA_V_OK;
	struct piece piece;
	__u32 here;

	if (stage->kind != XRDMA_STAGE_TRANSFORMS)
		return XRDMA_V_OK;
	for (__u32 i = 0; i < stage->num_sge && len && verdict == XRDMA_V_OK; i++, len -= here) {
		here = stage->sges[i].length < len ? stage->sges[i].length : len;
		do {
			xrdma_mutex_lock(lock);
			verdict = here ? locate(stage, &stage->sges[i], here, &piece) : XRDMA_V_OK;
			xrdma_mutex_unlock(lock);
		} while (retry(stage, &piece, &verdict));
	}
	return verdict;
}

/* Bring what SGE names to BYTES, as it goes over the wire. */
static enum xrdma_verdict fill(struct xrdma_stage *stage, const struct xrdma_sge *sge, __u8 *bytes)
{
	struct xrdma_mutex *lock = &stage->context->keys->lock;
	struct xrdma_mkey_err err = { 0 };
	enum xrdma_verdict verdict;
	struct xrdma_mkey *mkey;
	struct piece piece;

	do {
		xrdma_mutex_lock(lock);
		verdict = locate(stage, sge, sge->length, &piece);
		if (verdict == XRDMA_V_OK)
			verdict = copy(&piece, piece.mkey ? stage->memory : bytes, false);
		xrdma_mutex_unlock(lock);
	} while (retry(stage, &piece, &verdict));
	if (verdict != XRDMA_V_OK || !piece.mkey)
		return verdict;
	if (!xrdma_transform_send(&piece.transform, &piece.part, stage->memory, bytes, &err))
		return XRDMA_V_TRANSFORM;
	xrdma_mutex_lock(lock);
	mkey = xrdma_mkey_find(stage->context->keys, sge->lkey);
	if (mkey)
		report(mkey, &err);
	xrdma_mutex_unlock(lock);
	return XRDMA_V_OK;
}

enum xrdma_verdict xrdma_stage_fill(struct xrdma_stage *stage)
{
	enum xrdma_verdict verdict = XRDMA_V_OK;
	__u8 *bytes = stage->bytes;

	for (__u32 i = 0; i < stage->num_sge && verdict == XRDMA_V_OK; i++) {
		if (stage->sges[i].length)
			verdict = fill(stage, &stage->sges[i], bytes);
		bytes += stage->sges[i].length;
	}
	return verdict;
}

/*
 * Bring LEN of BYTES to what SGE names. They are transformed without the lock, and land with it, so
 * that whoever ends a key can wait until nothing does. An mkey that is another by then is none.
 */
static enum xrdma_verdict land(struct xrdma_stage *stage, const struct xrdma_sge *sge, __u32 len,
			       __u8 *bytes)
{
	struct xrdma_mutex *lock = &stage->context->keys->lock;
	struct xrdma_mkey_err err = { 0 };
	struct piece piece, again;
	enum xrdma_verdict verdict;

	do {
		xrdma_mutex_lock(lock);
		verdict = locate(stage, sge, len, &piece);
		if (verdict == XRDMA_V_OK && !piece.mkey)
			verdict = copy(&piece, bytes, true);
		xrdma_mutex_unlock(lock);
	} while (retry(stage, &piece, &verdict));
	if (verdict != XRDMA_V_OK || !piece.mkey)
		return verdict;
	if (!xrdma_transform_receive(&piece.transform, &piece.part, bytes, stage->memory, &err))
		return XRDMA_V_TRANSFORM;
	do {
		xrdma_mutex_lock(lock);
		verdict = locate(stage, sge, len, &again);
		if (verdict == XRDMA_V_OK && (!again.mkey || again.version != piece.version))
			verdict = XRDMA_V_TRANSFORM;
		if (verdict == XRDMA_V_OK)
			verdict = copy(&again, stage->memory, true);
		if (verdict == XRDMA_V_OK)
			report(again.mkey, &err);
		xrdma_mutex_unlock(lock);
	} while (retry(stage, &again, &verdict));
	return verdict;
}

enum xrdma_verdict xrdma_stage_land(struct xrdma_stage *stage, __u32 len)
{
	enum xrdma_verdict verdict = xrdma_stage_check(stage, len);
	__u8 *bytes = stage->bytes;
	__u32 here;

	if (stage->kind == XRDMA_STAGE_COPIES)
		xrdma_sges_scatter(stage->sges, len, bytes);
	if (stage->kind != XRDMA_STAGE_TRANSFORMS)
		return XRDMA_V_OK;
	for (__u32 i = 0; i < stage->num_sge && len && verdict == XRDMA_V_OK; i++, len -= here) {
		here = stage->sges[i].length < len ? stage->sges[i].length : len;
		if (here)
			verdict = land(stage, &stage->sges[i], here, bytes);
		bytes += here;
	}
	return verdict;
}
