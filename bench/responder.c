// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Measure the time that the XDP program and the tc program take for one request, with the ICRCs of
 * request and response. The baseline is an empty program, called alternately with ours. For
 * datagrams, and for SENDs that take receives from a shared queue, the baseline is a SEND of RC.
 */
#include <err.h>
#include <stdio.h>

#include "bench.h"
#include "call.h"
#include "empty.skel.h"
#include "lib/opcode.h"

static bool has_payload(__u8 opcode)
{
	return xrdma_opcode_info(opcode)->payload != XRDMA_PAYLOAD_NONE;
}

/* Measure requests. Each finds a receive posted, and room for its completion. */
static void run_requests(struct target *t, int empty, const char *name, __u8 opcode, size_t len)
{
	const int calls = bench_rounds(BENCH_CALLS), warm_up = bench_rounds(BENCH_WARM_UP);
	static __u32 ours[BENCH_CALLS], theirs[BENCH_CALLS];
	__u8 frame[PACKET_MAX];
	struct packet packet = {
		.opcode = opcode,
		.dest_qpn = t->slot << XRDMA_QPN_INDEX_BITS | BENCH_ROW,
		.key = BENCH_KEY,
		.length = len,
		.payload_len = has_payload(opcode) ? len : 0,
	};
	struct xrdma_counters before, after;
	size_t frame_len;

	target_counters(t, &before);
	for (int i = -warm_up; i < calls; i++) {
		packet.psn = t->qps[BENCH_ROW].resp.psn | XRDMA_BTH_ACKREQ;
		packet.va = BENCH_BASE + (__u64)(i + warm_up) * 64 % (BENCH_REGION - len);
		t->queues[BENCH_RQ].user_index = t->queues[BENCH_RQ].xdp_index + 1;
		t->queues[BENCH_CQ].user_index = t->queues[BENCH_CQ].xdp_index;
		frame_len = packet_build(&packet, frame);
		theirs[i < 0 ? 0 : i] = bench_call(empty, frame, frame_len);
		ours[i < 0 ? 0 : i] = bench_call(target_program(t), frame, frame_len);
	}
	target_counters(t, &after);
	if ((int)(after.verdicts.OK - before.verdicts.OK) != calls + warm_up)
		errx(1, "%s: not every request was carried out", name);
	bench_report(name, "ns", bench_median(ours, calls), bench_median(theirs, calls));
}

/* A way to send: a service, its opcode, and the ring of the receive queue if it is shared. */
struct way {
	__u8 transport, opcode;
	__u32 ring;
};

static const struct way by_rc = { XRDMA_TRANSPORT_RC, XRDMA_RC_SEND_ONLY, 0 };

/* Returns the time in ns of a SEND of 64 bytes by WAY, which finds a receive posted. */
static __u32 send_by(struct target *t, const struct way *way)
{
	__u8 frame[PACKET_MAX];
	const struct packet packet = {
		.opcode = way->opcode,
		.dest_qpn = t->slot << XRDMA_QPN_INDEX_BITS | BENCH_ROW,
		.psn = t->qps[BENCH_ROW].resp.psn | XRDMA_BTH_ACKREQ,
		.payload_len = 64,
	};

	t->qps[BENCH_ROW].transport = way->transport;
	t->queues[BENCH_RQ].ring = way->ring;
	t->queues[BENCH_RQ].user_index = t->queues[BENCH_RQ].xdp_index + 1;
	t->queues[BENCH_CQ].user_index = t->queues[BENCH_CQ].xdp_index;
	return bench_call(target_program(t), frame, packet_build(&packet, frame));
}

/* Measure SENDs by WAY. The baseline is a SEND of RC to a queue pair with its own receives. */
static void run_sends(struct target *t, const char *name, const struct way *way)
{
	const int calls = bench_rounds(BENCH_CALLS), warm_up = bench_rounds(BENCH_WARM_UP);
	static __u32 ours[BENCH_CALLS], theirs[BENCH_CALLS];
	struct xrdma_counters before, after;

	target_counters(t, &before);
	for (int i = -warm_up; i < calls; i++) {
		theirs[i < 0 ? 0 : i] = send_by(t, &by_rc);
		ours[i < 0 ? 0 : i] = send_by(t, way);
	}
	t->qps[BENCH_ROW].transport = XRDMA_TRANSPORT_RC;
	t->queues[BENCH_RQ].ring = 0;
	target_counters(t, &after);
	if ((int)(after.verdicts.OK - before.verdicts.OK) != 2 * (calls + warm_up))
		errx(1, "%s: not every message was received", name);
	bench_report(name, "ns", bench_median(ours, calls), bench_median(theirs, calls));
}

static void run_ways(struct target *t)
{
	const struct way by_ud = { XRDMA_TRANSPORT_UD, XRDMA_UD_SEND_ONLY, 0 };
	const struct way to_srq = { XRDMA_TRANSPORT_RC, XRDMA_RC_SEND_ONLY, BENCH_RING + 1 };

	run_sends(t, "responder_ud_send_64", &by_ud);
	run_sends(t, "responder_srq_send_64", &to_srq);
}

/* Begin or stop counting accesses by the key. */
static void set_counted(struct target *t, bool counted)
{
	t->mkeys[BENCH_KEY >> XRDMA_KEY_INDEX_SHIFT].cntr = counted;
	t->slots.rows[t->slot].uses = counted ? XRDMA_USES_CNTRS : 0;
}

/* Measure requests of all kinds with the program of the target. */
static void run_opcodes(struct target *t, int empty, const char *program)
{
	static const struct {
		const char *name;
		__u8 opcode;
		__u16 len;
	} requests[] = {
		{ "write_64", XRDMA_RC_WRITE_ONLY, 64 },
		{ "write_1024", XRDMA_RC_WRITE_ONLY, 1024 },
		{ "send_64", XRDMA_RC_SEND_ONLY, 64 },
		{ "read_64", XRDMA_RC_READ_REQUEST, 64 },
		{ "fadd_8", XRDMA_RC_FETCH_ADD, 8 },
	};
	char name[64];

	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		snprintf(name, sizeof(name), "%s_%s", program, requests[i].name);
		run_requests(t, empty, name, requests[i].opcode, requests[i].len);
	}
}

static void run_xdp(struct target *t, const struct empty_bpf *empty)
{
	int baseline = bpf_program__fd(empty->progs.empty);

	target_is_at_tc = false;
	bench_target_open(t);
	run_opcodes(t, baseline, "responder");
	set_counted(t, true);
	run_requests(t, baseline, "responder_write_64_counted", XRDMA_RC_WRITE_ONLY, 64);
	set_counted(t, false);
	run_ways(t);
	bench_keys(t);
	target_unload();
}

static void run_tc(struct target *t, const struct empty_bpf *empty)
{
	target_is_at_tc = true;
	bench_target_open(t);
	run_opcodes(t, bpf_program__fd(empty->progs.empty_tc), "responder_tc");
	target_unload();
}

void bench_responder(void)
{
	struct empty_bpf *empty = empty_bpf__open_and_load();
	static struct target target;

	if (!empty)
		err(1, "cannot load the empty programs");
	bench_pin(0);
	run_xdp(&target, empty);
	run_tc(&target, empty);
	empty_bpf__destroy(empty);
}
