// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* SENDs with invalidate: which keys a peer may end (10.6.5), and when. */
#include "cases.h"

/* The key that it ends is of another region than that of the receive. */
static void set_send_inv(struct run *r)
{
	case_set_send(r);
	r->mkey[1] = *r->mkey;
	r->mkey[1].key = CASE_KEY + (1 << XRDMA_KEY_INDEX_SHIFT);
	r->mkey[1].rights = XRDMA_ACCESS_REMOTE_INVALIDATE;
	r->packet.opcode = XRDMA_RC_SEND_ONLY_INV;
	r->packet.imm = r->mkey[1].key;
}

/* An invalidated key may be invalidated again (10.6.5). */
static void set_inv_free(struct run *r)
{
	set_send_inv(r);
	r->mkey[1].state = XRDMA_MKEY_STATE_FREE;
}

static void set_inv_window(struct run *r)
{
	set_send_inv(r);
	r->mkey[1].kind = XRDMA_MKEY_KIND_MW2B;
	r->mkey[1].qpn = CASE_QPN;
}

/* A free key is no queue pair's. */
static void set_inv_free_window(struct run *r)
{
	set_inv_window(r);
	r->mkey[1].qpn++;
	r->mkey[1].state = XRDMA_MKEY_STATE_FREE;
}

static void set_inv_invalid(struct run *r)
{
	set_send_inv(r);
	r->mkey[1].state = XRDMA_MKEY_STATE_INVALID;
}

static void set_inv_unbacked(struct run *r)
{
	set_send_inv(r);
	r->mkey[1].state = XRDMA_MKEY_STATE_UNBACKED;
}

static void set_inv_rights(struct run *r)
{
	set_send_inv(r);
	r->mkey[1].rights = XRDMA_ACCESS_REMOTE_INVALIDATE - 1;
}

static void set_inv_pd(struct run *r)
{
	set_send_inv(r);
	r->mkey[1].pd++;
}

static void set_inv_bound(struct run *r)
{
	set_send_inv(r);
	r->mkey[1].qpn = CASE_QPN + 1;
}

static void set_inv_unknown(struct run *r)
{
	set_send_inv(r);
	r->packet.imm ^= 1;
}

/* Nothing to place, so that no key is looked at before. */
static void set_inv_no_mkeys(struct run *r)
{
	set_send_inv(r);
	r->packet.payload_len = 0;
	target_drop(&r->target, "xrdma_mkeys");
}

static void set_inv_cq_full(struct run *r)
{
	set_send_inv(r);
	r->cq->user_index -= CASE_CQ_MASK + 1;
}

static void set_inv_nowhere(struct run *r)
{
	set_send_inv(r);
	r->mkey->offset = TARGET_HEAP;
}

static void set_duplicate_inv(struct run *r)
{
	set_send_inv(r);
	r->packet.psn = XRDMA_BTH_ACKREQ | ((CASE_PSN - 1) & XRDMA_PSN_MASK);
}

#define CASE_STAGE prog_invalidate
TestSuite(prog_invalidate, .once = target_load, .in_one_process = true);
INVALIDATE_CASES(CASE_TEST)
