// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* SENDs with invalidate: the keys that a peer may invalidate (IBA 10.6.5), and when. */
#include "support/case.h"

#define CASE_STAGE prog_invalidate
TestSuite(prog_invalidate, .once = target_load, .in_one_process = true);

/*
 * Make the packet a SEND with invalidate. The key belongs to another region than that of the
 * receive.
 */
static void set_send_inv(struct run *run)
{
	case_set_send(run);
	run->mkey[1] = *run->mkey;
	run->mkey[1].key = CASE_KEY + (1 << XRDMA_KEY_INDEX_SHIFT);
	run->mkey[1].rights = XRDMA_ACCESS_REMOTE_INVALIDATE;
	run->packet.opcode = XRDMA_RC_SEND_ONLY_INV;
	run->packet.imm = run->mkey[1].key;
}

CASE(send_with_invalidate, OK)
{
	set_send_inv(run);
}

/* An invalidated key may be invalidated again (10.6.5). */
CASE(invalidate_again, OK)
{
	set_send_inv(run);
	run->mkey[1].state = XRDMA_MKEY_STATE_FREE;
}

static void set_inv_window(struct run *run)
{
	set_send_inv(run);
	run->mkey[1].kind = XRDMA_MKEY_KIND_MW2B;
	run->mkey[1].qpn = CASE_QPN;
}

CASE(invalidate_bound_key, OK)
{
	set_inv_window(run);
}

/* A free key belongs to no queue pair. */
CASE(invalidate_free_window, OK)
{
	set_inv_window(run);
	run->mkey[1].qpn++;
	run->mkey[1].state = XRDMA_MKEY_STATE_FREE;
}

CASE(invalidate_invalid, INVALIDATE)
{
	set_send_inv(run);
	run->mkey[1].state = XRDMA_MKEY_STATE_INVALID;
}

CASE(invalidate_unbacked, INVALIDATE)
{
	set_send_inv(run);
	run->mkey[1].state = XRDMA_MKEY_STATE_UNBACKED;
}

CASE(invalidate_no_right, INVALIDATE)
{
	set_send_inv(run);
	run->mkey[1].rights = XRDMA_ACCESS_REMOTE_INVALIDATE - 1;
}

CASE(invalidate_other_qp, INVALIDATE)
{
	set_send_inv(run);
	run->mkey[1].qpn = CASE_QPN + 1;
}

/* The message has no bytes, so no key is checked before. */
CASE(invalidate_no_keys, INVALIDATE)
{
	set_send_inv(run);
	run->packet.payload_len = 0;
	target_drop(&run->target, "xrdma_mkeys");
}

CASE(invalidate_unreceived, RECV_KEY)
{
	set_send_inv(run);
	run->mkey->offset = TARGET_HEAP;
}

CASE(invalidate_duplicate, DUPLICATE)
{
	set_send_inv(run);
	run->packet.psn = XRDMA_BTH_ACKREQ | ((CASE_PSN - 1) & XRDMA_PSN_MASK);
}
