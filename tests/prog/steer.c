// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Steering: selection of the packets that reach a queue pair. */
#include <arpa/inet.h>
#include <stdint.h>
#include <string.h>

#include "support/case.h"

#define CASE_STAGE prog_steer
TestSuite(prog_steer, .once = target_load, .in_one_process = true);

enum { RUNS = 200 };

static void set_free_slot(struct run *run)
{
	run->packet.dest_qpn += 1 << XRDMA_QPN_INDEX_BITS;
}

CASE(slot_without_context, CONTEXT)
{
	set_free_slot(run);
}

CASE(owner_dead, CONTEXT)
{
	struct xrdma_context_row context = { .state = XRDMA_CONTEXT_DEAD,
					     .mkey_mask = TARGET_ROWS - 1 };

	target_set_context(&run->target, run->target.slot, &context);
}

CASE(no_queue_pairs, CONTEXT)
{
	target_drop(&run->target, "xrdma_qps");
}

CASE(row_beyond_table, QPN)
{
	run->packet.dest_qpn += TARGET_ROWS;
}

static void set_reset(struct run *run)
{
	run->qp->state = XRDMA_QPS_RESET;
}

CASE(row_in_reset, QPN)
{
	set_reset(run);
}

CASE(init_does_not_receive, QP_STATE)
{
	run->qp->state = XRDMA_QPS_INIT;
}

CASE(err_does_not_receive, QP_STATE)
{
	run->qp->state = XRDMA_QPS_ERR;
}

static void set_stopped(struct run *run)
{
	run->qp->resp.error = XRDMA_V_KEY;
}

CASE(stopped_by_an_error, QP_STATE)
{
	set_stopped(run);
}

CASE(rtr_takes_no_response, QP_STATE)
{
	run->qp->state = XRDMA_QPS_RTR;
	run->packet = (struct packet){
		.opcode = XRDMA_RC_ACK, .dest_qpn = CASE_QPN, .psn = CASE_ACKED_PSN, .va = CASE_BASE
	};
}

CASE(opcode_of_uc, TRANSPORT)
{
	run->packet.opcode = XRDMA_UC_WRITE_ONLY;
}

CASE(from_another, SOURCE)
{
	inet_pton(AF_INET6, "::ffff:10.66.0.4", run->qp->peer_addr);
}

/* The device has the address, but the connection uses another one. */
CASE(to_another_of_ours, SOURCE)
{
	run->packet.ip_version = 6;
	inet_pton(AF_INET6, "fd66::3", run->qp->peer_addr);
}

static void set_pkey(struct run *run)
{
	run->qp->pkey = 0x8001;
}

CASE(other_partition, PKEY)
{
	set_pkey(run);
}

static void edit_limited(struct run *run)
{
	run->frame[44] = 0x7f;
	packet_seal(run->frame, run->len);
}

CASE(both_limited_members, PKEY)
{
	run->qp->pkey = 0x7fff;
	run->edit_frame = edit_limited;
}

static void set_busy(struct run *run)
{
	run->qp->resp.lock = 1;
}

CASE(never_released, BUSY)
{
	set_busy(run);
}

/*
 * State and error are checked after the queue pair is locked, because the run that has locked it
 * may be stopping it.
 */
CASE(looked_at_once_taken, BUSY)
{
	set_busy(run);
	set_stopped(run);
}

/* Record that the kernel has an RDMA device on the netdev, whose queue pairs are not ours. */
static void set_shared(struct run *run)
{
	struct xrdma_device_row device = { .addr_count = 1,
					   .features = XRDMA_FEATURE_SHARED,
					   .mac = { 2, 0, 0, 0, 0, 2 } };

	memcpy(device.addrs[0], run->qp->addr, sizeof(device.addrs[0]));
	target_set_device(&run->target, &device);
	run->left_to_stack = true;
}

CASE(left_without_context, CONTEXT)
{
	set_shared(run);
	set_free_slot(run);
}

CASE(left_without_qp, QPN)
{
	set_shared(run);
	set_reset(run);
}

/* A packet for one of our queue pairs does not pass to the stack. */
CASE(shared_but_ours, PKEY)
{
	set_shared(run);
	set_pkey(run);
	run->left_to_stack = false;
}

/* Returns the shortest time in ns of many runs that find the queue pair's lock in state USE. */
static __u32 shortest_run(struct run *run, enum xrdma_qp_lock use)
{
	struct target_result result;
	__u32 shortest = UINT32_MAX;

	for (int i = 0; i < RUNS; i++) {
		run->qp->resp.lock = use;
		case_send(run, &result);
		expect_int(result.verdict, ==, XRDMA_V_BUSY);
		if (result.ns < shortest)
			shortest = result.ns;
	}
	return shortest;
}

/* A run waits for a queue pair that is locked, but not if it is locked for long. */
Test(prog_steer, waits_for_none_that_is_taken_for_long)
{
	struct run run;

	case_open(&run);
	expect_int(shortest_run(&run, XRDMA_QP_LOCK_TAKEN), >,
		   4 * shortest_run(&run, XRDMA_QP_LOCK_TAKEN_LONG));
}
