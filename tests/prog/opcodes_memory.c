// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Each opcode that is served, and all that can be wrong with the memory and the queues that it
 * needs, one thing at a time.
 */
#include "support/served.h"

static bool is(const struct run *r, unsigned int kind)
{
	return served_is(r->packet.opcode, kind);
}

static void set_no_access(struct run *r)
{
	r->qp->access = ~r->qp->access;
}

static void set_no_resources(struct run *r)
{
	r->qp->max_dest_rd_atomic = 0;
}

static void set_misaligned(struct run *r)
{
	r->packet.va += 4;
}

static void set_key(struct run *r)
{
	r->mkey->key ^= 1;
}

static void set_key_invalid(struct run *r)
{
	r->mkey->state = XRDMA_MKEY_STATE_INVALID;
}

static void set_key_pd(struct run *r)
{
	r->mkey->pd++;
}

static void set_key_qp(struct run *r)
{
	r->mkey->qpn = CASE_QPN + 1;
}

static void set_key_rights(struct run *r)
{
	r->mkey->rights = ~r->mkey->rights;
}

static void set_begins_before(struct run *r)
{
	r->mkey->base = r->packet.va + 1;
}

/* What the packet, or what its message has yet to bring, takes of the key. */
static __u32 len_of(const struct run *r)
{
	if (is(r, SERVED_RD_ATOMIC))
		return is(r, SERVED_READ) ? r->packet.length : sizeof(r->original);
	if (is(r, SERVED_WRITE))
		return is(r, SERVED_FIRST) ? r->packet.length : r->qp->resp.left;
	return is(r, SERVED_PARTS) || is(r, SERVED_SEND) ? r->packet.payload_len
							 : sizeof(r->original);
}

static void set_ends_beyond(struct run *r)
{
	r->mkey->len = r->packet.va - r->mkey->base + len_of(r) - 1;
}

static void set_nowhere(struct run *r)
{
	r->mkey->offset = TARGET_HEAP;
}

static void set_no_receive(struct run *r)
{
	r->rq->user_index--;
}

static void set_no_rq(struct run *r)
{
	r->qp->rq = TARGET_ROWS;
}

static void set_receive_short(struct run *r)
{
	r->sges[0].length = r->packet.payload_len + (is(r, SERVED_FIRST) ? 0 : SERVED_DONE) - 1;
}

static void set_cq_full(struct run *r)
{
	r->cq->user_index -= CASE_CQ_MASK + 1;
}

static void set_no_cq(struct run *r)
{
	r->qp->recv_cq = TARGET_ROWS;
}

static void set_invalidated_unknown(struct run *r)
{
	r->packet.imm ^= 1;
}

static void set_invalidated_pd(struct run *r)
{
	r->mkey[1].pd++;
}

static void set_invalidated_rights(struct run *r)
{
	r->mkey[1].rights = ~r->mkey[1].rights;
}

/* clang-format off */
#define MISUSES(X) \
	X(not_allowed,        QP_ACCESS,    set_no_access, NULL, SERVED_REMOTE) \
	X(no_resources,       RD_ATOMIC,    set_no_resources, NULL, SERVED_RD_ATOMIC) \
	X(misaligned,         MISALIGNED,   set_misaligned, NULL, SERVED_ATOMIC) \
	X(key_unknown,        KEY,          set_key, NULL, SERVED_MEMORY) \
	X(key_invalid,        KEY_STATE,    set_key_invalid, NULL, SERVED_MEMORY) \
	X(key_of_other_pd,    KEY_PD,       set_key_pd, NULL, SERVED_MEMORY) \
	X(key_of_other_qp,    KEY_QP,       set_key_qp, NULL, SERVED_MEMORY) \
	X(key_without_right,  KEY_RIGHTS,   set_key_rights, NULL, SERVED_MEMORY) \
	X(begins_before,      KEY_RANGE,    set_begins_before, NULL, SERVED_MEMORY) \
	X(ends_beyond,        KEY_RANGE,    set_ends_beyond, NULL, SERVED_MEMORY) \
	X(nowhere,            HEAP,         set_nowhere, NULL, SERVED_MEMORY) \
	X(no_receive,         RNR,          set_no_receive, NULL, SERVED_TAKES_RECEIVE) \
	X(no_queue_to_receive, RNR,          set_no_rq, NULL, SERVED_TAKES_RECEIVE) \
	X(no_queue_to_send_to, RNR,          set_no_rq, NULL, SERVED_SEND) \
	X(receive_too_short,  RECV_LENGTH,  set_receive_short, NULL, SERVED_SEND) \
	X(cq_full,            CQ_FULL,      set_cq_full, NULL, SERVED_COMPLETES) \
	X(no_cq,              CQ_FULL,      set_no_cq, NULL, SERVED_COMPLETES) \
	X(invalidates_unknown, INVALIDATE,   set_invalidated_unknown, NULL, SERVED_INVALIDATES) \
	X(invalidates_other_pd, INVALIDATE,   set_invalidated_pd, NULL, SERVED_INVALIDATES) \
	X(invalidates_other,  INVALIDATE,   set_invalidated_rights, NULL, SERVED_INVALIDATES)
/* clang-format on */

#define CASE_STAGE prog_opcodes_memory
TestSuite(prog_opcodes_memory, .once = target_load, .in_one_process = true);
MISUSES(SERVED_TEST)
