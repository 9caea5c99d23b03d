// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Measure the time that the XDP program and the tc program take for one request, with the ICRCs of
 * request and response. The kernel itself measures single calls of BPF_PROG_TEST_RUN. The baseline
 * is an empty program, called alternately with ours. For WRITEs by the key of a window, an mkey, or
 * a region of several buffers, the baseline is a WRITE by the key of a region. For WRITEs by one of
 * many user keys, the baseline is a WRITE by the only one. For datagrams, and for SENDs that take
 * receives from a shared queue, the baseline is a SEND of RC. A single call takes longer than a
 * call in a tight loop, because caches are cold and the clock is read. This is so for both
 * programs.
 */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xrdma/error.h>

#include "bench.h"
#include "empty.skel.h"
#include "lib/frame.h"
#include "lib/opcode.h"
#include "support/target.h"

enum {
	CALLS = 20000,
	WARM_UP = 1000,
	ROW = 5,
	RQ = 5,
	RING = 16, /* row of the ring of a shared receive queue */
	CQ = 6,
	KEY = 0x1207,
	REQUESTED = 7,
	REGION = 1 << 20
};
#define BASE 0x7f0000000000ULL

static void open_target(struct target *t)
{
	target_open(t, 0);
	t->qps[ROW] = (struct xrdma_qp_row){
		.state = XRDMA_QPS_RTS,
		.transport = XRDMA_TRANSPORT_RC,
		.access = XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ |
			  XRDMA_ACCESS_REMOTE_ATOMIC,
		.max_dest_rd_atomic = 1,
		.mtu = 4096,
		.pkey = 0xffff,
		.peer_qpn = 0x222222,
		.udp_sport = 0xd001,
		.rq = RQ,
		.recv_cq = CQ,
	};
	t->queues[RQ] = (struct xrdma_queue_row){ .kind = XRDMA_QUEUE_RQ, .stride = 1 };
	t->queues[CQ] = (struct xrdma_queue_row){ .kind = XRDMA_QUEUE_CQ, .stride = 1 };
	t->sges[0] = (struct xrdma_sge){ .addr = BASE, .length = 4096, .lkey = KEY };
	inet_pton(AF_INET6, "::ffff:10.66.0.3", t->qps[ROW].peer_addr);
	inet_pton(AF_INET6, "::ffff:10.66.0.2", t->qps[ROW].addr);
	t->qps[ROW].ack_icrc = xrdma_frame_ack_icrc(&t->qps[ROW]);
	t->mkeys[KEY >> XRDMA_KEY_INDEX_SHIFT] = (struct xrdma_mkey_row){
		.key = KEY,
		.kind = XRDMA_MKEY_KIND_MR,
		.state = XRDMA_MKEY_STATE_VALID,
		.rights = XRDMA_ACCESS_LOCAL | XRDMA_ACCESS_REMOTE_WRITE |
			  XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_ATOMIC,
		.base = BASE,
		.len = REGION,
	};
}

static __u32 call(int program, const __u8 *frame, size_t len)
{
	static __u8 reply[PACKET_MAX];
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = len,
		    .data_out = reply, .data_size_out = sizeof(reply), .repeat = 1);

	if (bpf_prog_test_run_opts(program, &opts))
		err(1, "test_run");
	return opts.duration;
}

static bool has_payload(__u8 opcode)
{
	return xrdma_opcode_info(opcode)->payload != XRDMA_PAYLOAD_NONE;
}

/* Measure requests. Each finds a receive posted, and room for its completion. */
static void run_requests(struct target *t, int empty, const char *name, __u8 opcode, size_t len)
{
	const int calls = bench_rounds(CALLS), warm_up = bench_rounds(WARM_UP);
	static __u32 ours[CALLS], theirs[CALLS];
	__u8 frame[PACKET_MAX];
	struct packet packet = {
		.opcode = opcode,
		.dest_qpn = t->slot << XRDMA_QPN_INDEX_BITS | ROW,
		.key = KEY,
		.length = len,
		.payload_len = has_payload(opcode) ? len : 0,
	};
	struct xrdma_counters before, after;
	size_t frame_len;

	target_counters(t, &before);
	for (int i = -warm_up; i < calls; i++) {
		packet.psn = t->qps[ROW].resp.psn | XRDMA_BTH_ACKREQ;
		packet.va = BASE + (__u64)(i + warm_up) * 64 % (REGION - len);
		t->queues[RQ].user_index = t->queues[RQ].xdp_index + 1;
		t->queues[CQ].user_index = t->queues[CQ].xdp_index;
		frame_len = packet_build(&packet, frame);
		theirs[i < 0 ? 0 : i] = call(empty, frame, frame_len);
		ours[i < 0 ? 0 : i] = call(target_program(t), frame, frame_len);
	}
	target_counters(t, &after);
	if ((int)(after.verdicts.OK - before.verdicts.OK) != calls + warm_up)
		errx(1, "%s: not every request was carried out", name);
	bench_report(name, "ns", bench_median(ours, calls), bench_median(theirs, calls));
}

static __u32 write_to(struct target *t, __u32 key, __u64 va, size_t len)
{
	__u8 frame[PACKET_MAX];
	const struct packet packet = {
		.opcode = XRDMA_RC_WRITE_ONLY,
		.dest_qpn = t->slot << XRDMA_QPN_INDEX_BITS | ROW,
		.psn = t->qps[ROW].resp.psn | XRDMA_BTH_ACKREQ,
		.key = key,
		.va = va,
		.length = len,
		.payload_len = len,
	};

	return call(target_program(t), frame, packet_build(&packet, frame));
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
		.dest_qpn = t->slot << XRDMA_QPN_INDEX_BITS | ROW,
		.psn = t->qps[ROW].resp.psn | XRDMA_BTH_ACKREQ,
		.payload_len = 64,
	};

	t->qps[ROW].transport = way->transport;
	t->queues[RQ].ring = way->ring;
	t->queues[RQ].user_index = t->queues[RQ].xdp_index + 1;
	t->queues[CQ].user_index = t->queues[CQ].xdp_index;
	return call(target_program(t), frame, packet_build(&packet, frame));
}

/* Measure SENDs by WAY. The baseline is a SEND of RC to a queue pair with its own receives. */
static void run_sends(struct target *t, const char *name, const struct way *way)
{
	const int calls = bench_rounds(CALLS), warm_up = bench_rounds(WARM_UP);
	static __u32 ours[CALLS], theirs[CALLS];
	struct xrdma_counters before, after;

	target_counters(t, &before);
	for (int i = -warm_up; i < calls; i++) {
		theirs[i < 0 ? 0 : i] = send_by(t, &by_rc);
		ours[i < 0 ? 0 : i] = send_by(t, way);
	}
	t->qps[ROW].transport = XRDMA_TRANSPORT_RC;
	t->queues[RQ].ring = 0;
	target_counters(t, &after);
	if ((int)(after.verdicts.OK - before.verdicts.OK) != 2 * (calls + warm_up))
		errx(1, "%s: not every message was received", name);
	bench_report(name, "ns", bench_median(ours, calls), bench_median(theirs, calls));
}

static void run_ways(struct target *t)
{
	const struct way by_ud = { XRDMA_TRANSPORT_UD, XRDMA_UD_SEND_ONLY, 0 };
	const struct way to_srq = { XRDMA_TRANSPORT_RC, XRDMA_RC_SEND_ONLY, RING + 1 };

	run_sends(t, "responder_ud_send_64", &by_ud);
	run_sends(t, "responder_srq_send_64", &to_srq);
}

/* SIZE bytes at FIRST, under a key. WRITEs begin at multiples of STEP. */
struct place {
	__u32 key;
	__u32 size;
	__u32 step;
	__u64 first;
};

/* Measure WRITEs of LEN bytes. The baseline is a WRITE by the region's key. */
static void run_writes(struct target *t, const char *name, const struct place *place, size_t len)
{
	const int calls = bench_rounds(CALLS), warm_up = bench_rounds(WARM_UP);
	static __u32 ours[CALLS], theirs[CALLS];
	struct xrdma_counters before, after;

	target_counters(t, &before);
	for (int i = -warm_up; i < calls; i++) {
		__u64 offset = (__u64)(i + warm_up) * place->step % (place->size - len + 1);

		theirs[i < 0 ? 0 : i] = write_to(t, KEY, BASE + offset, len);
		ours[i < 0 ? 0 : i] = write_to(t, place->key, place->first + offset, len);
	}
	target_counters(t, &after);
	if ((int)(after.verdicts.OK - before.verdicts.OK) != 2 * (calls + warm_up))
		errx(1, "%s: not every request was carried out", name);
	bench_report(name, "ns", bench_median(ours, calls), bench_median(theirs, calls));
}

/* Bind a window of type 2B to the whole region. */
static struct place add_window(struct target *t)
{
	const __u32 key = KEY + (1 << XRDMA_KEY_INDEX_SHIFT);
	struct xrdma_mkey_row *window = &t->mkeys[key >> XRDMA_KEY_INDEX_SHIFT];

	*window = t->mkeys[KEY >> XRDMA_KEY_INDEX_SHIFT];
	window->key = key;
	window->kind = XRDMA_MKEY_KIND_MW2B;
	window->qpn = t->slot << XRDMA_QPN_INDEX_BITS | ROW;
	window->rights = XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_INVALIDATE;
	window->parent = KEY;
	return (struct place){ .key = key, .size = REGION, .step = 64, .first = BASE };
}

/*
 * Create an mkey of COUNT entries of LENGTH bytes, with gaps of LENGTH bytes, repeated REPEAT
 * times.
 */
static struct place set_mkey(struct target *t, __u32 count, __u32 length, __u32 repeat)
{
	const __u32 key = KEY + (2 << XRDMA_KEY_INDEX_SHIFT);

	for (__u32 i = 0; i < count; i++)
		t->layouts[i / XRDMA_LAYOUT_ROW].entries[i % XRDMA_LAYOUT_ROW] =
			(struct xrdma_layout_entry){
				.addr = BASE + 2 * i * length,
				.at = i * length,
				.length = length,
				.skip = (2 * count - 1) * length,
				.lkey = KEY,
			};
	t->mkeys[key >> XRDMA_KEY_INDEX_SHIFT] = (struct xrdma_mkey_row){
		.key = key,
		.kind = repeat == 1 ? XRDMA_MKEY_KIND_LIST : XRDMA_MKEY_KIND_INTERLEAVED,
		.state = XRDMA_MKEY_STATE_VALID,
		.rights = XRDMA_ACCESS_REMOTE_WRITE,
		.len = (__u64)repeat * count * length,
		.layout_count = count,
		.round = count * length,
	};
	return (struct place){ .key = key, .size = repeat * count * length, .step = length };
}

/* Register a region of 64 buffers of 4 KiB, each with a key of its own. */
static struct place add_buffers(struct target *t)
{
	enum { BUFFERS = XRDMA_LAYOUT_ENTRIES_MAX, BUFFER = 4096, FIRST = 100 };
	struct place place = set_mkey(t, BUFFERS, BUFFER, 1);

	for (__u32 i = 0; i < BUFFERS; i++) {
		struct xrdma_mkey_row *row = &t->mkeys[FIRST + i];
		struct xrdma_layout_entry *entry =
			&t->layouts[i / XRDMA_LAYOUT_ROW].entries[i % XRDMA_LAYOUT_ROW];

		*row = t->mkeys[KEY >> XRDMA_KEY_INDEX_SHIFT];
		row->key = entry->lkey = (FIRST + i) << XRDMA_KEY_INDEX_SHIFT;
	}
	place.step = 1024;
	return place;
}

/* Add COUNT user keys, beginning with REQUESTED, for the region in its domain. */
static void request(struct target *t, __u32 count)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	struct xrdma_user_key asked = { .pd = t->qps[ROW].pd };
	int map = bpf_map_create(BPF_MAP_TYPE_HASH, "requested", sizeof(asked), sizeof(__u32),
				 count, &opts);
	const __u32 key = KEY;

	for (__u32 i = 0; i < count; i++) {
		asked.key = REQUESTED + i;
		if (bpf_map_update_elem(map, &asked, &key, BPF_ANY))
			err(1, "requested key %u of %u", i, count);
	}
	if (xrdma_slot_add_user_keys(&t->slots, t->slot, map))
		errx(1, "%s", xrdma_error());
	close(map);
}

/* Returns the time in ns of a WRITE by any of COUNT user keys. */
static double write_by(struct target *t, __u32 count)
{
	const int calls = bench_rounds(CALLS);
	static __u32 ns[CALLS];

	for (int i = 0; i < calls; i++)
		ns[i] = write_to(t, REQUESTED + random() % count, BASE, 64);
	return bench_median(ns, calls);
}

/*
 * Measure WRITEs with one user key, and with 2^20 of them: by one of these, and by any of these. If
 * the time depended on the number of keys, both would show it. The last also contains cache misses.
 */
static void run_requested(struct target *t)
{
	const __u32 many = bench_rounds(1 << 20);
	double one;

	request(t, 1);
	write_by(t, 1);
	one = write_by(t, 1);
	request(t, many);
	write_by(t, 1);
	bench_report("key_lookup_1m", "ns", write_by(t, 1), one);
	bench_report("key_lookup_1m_any", "ns", write_by(t, many), one);
}

/*
 * Measure mkeys. Each WRITE has four parts, or 128 for the last mkey, which is like a column of
 * words. The memory is small and fits into the caches, because baseline and mkey write to different
 * places.
 */
static void run_mkeys(struct target *t)
{
	enum { LEN = 1024, PART = LEN / 4, ALL = 16 * LEN };
	struct place place = set_mkey(t, 4, PART, 1);

	run_writes(t, "responder_write_1024_list4", &place, LEN);
	place = set_mkey(t, 1, PART, ALL / PART);
	run_writes(t, "responder_write_1024_interleaved", &place, LEN);
	place = set_mkey(t, 1, 8, ALL / 8);
	run_writes(t, "responder_write_1024_column", &place, LEN);
	place = add_buffers(t);
	run_writes(t, "responder_write_1024_regv64", &place, LEN);
}

/* Begin or stop counting accesses by the key. */
static void set_counted(struct target *t, bool counted)
{
	t->mkeys[KEY >> XRDMA_KEY_INDEX_SHIFT].cntr = counted;
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
	struct place window;

	target_is_at_tc = false;
	open_target(t);
	run_opcodes(t, baseline, "responder");
	set_counted(t, true);
	run_requests(t, baseline, "responder_write_64_counted", XRDMA_RC_WRITE_ONLY, 64);
	set_counted(t, false);
	run_ways(t);
	window = add_window(t);
	run_writes(t, "responder_write_1024_mw", &window, 1024);
	run_mkeys(t);
	run_requested(t);
	target_unload();
}

static void run_tc(struct target *t, const struct empty_bpf *empty)
{
	target_is_at_tc = true;
	open_target(t);
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
