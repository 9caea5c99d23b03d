// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Which packets reach a queue pair. */
#include <arpa/inet.h>
#include <stdint.h>
#include <string.h>

#include "support/case.h"

#define CASE_STAGE prog_steer
TestSuite(prog_steer, .once = target_load, .in_one_process = true);

enum { RUNS = 200 };

static void set_free_slot(struct run *r)
{
	r->packet.dest_qpn += 1 << XRDMA_QPN_INDEX_BITS;
}

CASE(slot_without_context, CONTEXT)
{
	set_free_slot(r);
}

CASE(owner_dead, CONTEXT)
{
	struct xrdma_context_row context = { .state = XRDMA_CONTEXT_DEAD,
					     .mkey_mask = TARGET_ROWS - 1 };

	target_set_context(&r->target, r->target.slot, &context);
}

CASE(no_queue_pairs, CONTEXT)
{
	target_drop(&r->target, "xrdma_qps");
}

CASE(row_beyond_table, QPN)
{
	r->packet.dest_qpn += TARGET_ROWS;
}

static void set_reset(struct run *r)
{
	r->qp->state = XRDMA_QPS_RESET;
}

CASE(row_in_reset, QPN)
{
	set_reset(r);
}

CASE(init_does_not_receive, QP_STATE)
{
	r->qp->state = XRDMA_QPS_INIT;
}

CASE(err_does_not_receive, QP_STATE)
{
	r->qp->state = XRDMA_QPS_ERR;
}

static void set_stopped(struct run *r)
{
	r->qp->resp.error = XRDMA_V_KEY;
}

CASE(stopped_by_an_error, QP_STATE)
{
	set_stopped(r);
}

CASE(rtr_takes_no_response, QP_STATE)
{
	r->qp->state = XRDMA_QPS_RTR;
	r->packet = (struct packet){
		.opcode = XRDMA_RC_ACK, .dest_qpn = CASE_QPN, .psn = CASE_ACKED_PSN, .va = CASE_BASE
	};
}

CASE(opcode_of_uc, TRANSPORT)
{
	r->packet.opcode = XRDMA_UC_WRITE_ONLY;
}

CASE(from_another, SOURCE)
{
	inet_pton(AF_INET6, "::ffff:10.66.0.4", r->qp->peer_addr);
}

/* The device has the address, but the connection is not made with it. */
CASE(to_another_of_ours, SOURCE)
{
	r->packet.ip_version = 6;
	inet_pton(AF_INET6, "fd66::3", r->qp->peer_addr);
}

static void set_pkey(struct run *r)
{
	r->qp->pkey = 0x8001;
}

CASE(other_partition, PKEY)
{
	set_pkey(r);
}

static void edit_limited(struct run *r)
{
	r->frame[44] = 0x7f;
	packet_seal(r->frame, r->len);
}

CASE(both_limited_members, PKEY)
{
	r->qp->pkey = 0x7fff;
	r->edit_frame = edit_limited;
}

static void set_busy(struct run *r)
{
	r->qp->resp.lock = 1;
}

CASE(never_released, BUSY)
{
	set_busy(r);
}

/* State and error are looked at once the queue pair is taken: whoever has it may be stopping it. */
CASE(looked_at_once_taken, BUSY)
{
	set_busy(r);
	set_stopped(r);
}

/* The kernel has an RDMA device on the netdev, whose queue pairs are not ours. */
static void set_shared(struct run *r)
{
	struct xrdma_device_row device = { .addr_count = 1,
					   .features = XRDMA_FEATURE_SHARED,
					   .mac = { 2, 0, 0, 0, 0, 2 } };

	memcpy(device.addrs[0], r->qp->addr, sizeof(device.addrs[0]));
	target_set_device(&r->target, &device);
	r->left_to_stack = true;
}

CASE(left_without_context, CONTEXT)
{
	set_shared(r);
	set_free_slot(r);
}

CASE(left_without_qp, QPN)
{
	set_shared(r);
	set_reset(r);
}

/* What is for one of ours stays here. */
CASE(shared_but_ours, PKEY)
{
	set_shared(r);
	set_pkey(r);
	r->left_to_stack = false;
}

/* The time in ns of the shortest of many runs, each of which finds that the queue pair is USE. */
static __u32 shortest_run(struct run *r, enum xrdma_qp_lock use)
{
	struct target_result result;
	__u32 shortest = UINT32_MAX;

	for (int i = 0; i < RUNS; i++) {
		r->qp->resp.lock = use;
		case_send(r, &result);
		expect_int(result.verdict, ==, XRDMA_V_BUSY);
		if (result.ns < shortest)
			shortest = result.ns;
	}
	return shortest;
}

/* A run waits for a queue pair that is taken. No run waits for one that is taken for long. */
Test(prog_steer, waits_for_none_that_is_taken_for_long)
{
	struct run r;

	case_open(&r);
	expect_int(shortest_run(&r, XRDMA_QP_LOCK_TAKEN), >,
		   4 * shortest_run(&r, XRDMA_QP_LOCK_TAKEN_LONG));
}
