// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Replay captures of the Linux Soft-RoCE driver. The requests that its target received run through
 * our program. Every response must be that of the real target, and every completion that of its
 * program. The heap must contain what was written. docs/interop.md lists the differences.
 */
#include <arpa/inet.h>
#include <json-c/json.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/frame.h"
#include "support/recorded.h"
#include "support/target.h"
#include "support/test.h"
#include <xrdma/wr.h>

enum {
	NAME_MAX_LEN = 32,
	ANSWERS_MAX = 256,
	MESSAGES_MAX = 256,
	RECEIVES = 64,
	RECEIVE_LEN = 65536,
	RNR_TIMER = 14,
	RQ = 0, /* rows in the table of queues */
	CQ = 1,
	WORD_AT = 64, /* in the target's region: place of the word for atomics */
	WITH_INV = 4, /* the kernel's flag, which completions of Soft-RoCE have */
	WINDOW_AT = 4096,
	WINDOW_LEN = 4096,
};

struct capture {
	char name[NAME_MAX_LEN];
	int more; /* number of responses that only we send: for gaps, or missing in the capture */
	int unready;	   /* number of requests before the target posted its receives */
	__u32 receive_len; /* 0: RECEIVE_LEN */
	__u64 word;	   /* initial word for the atomics, which the target wrote; 0: no atomics */
	__u8 theirs, ours; /* syndromes of a refusal, if they differ */
	__u8 window;	   /* enum xrdma_mkey_kind of the window that the target has bound, or 0 */
	bool outside;	   /* the last request is outside of the window; only we check that */
};

/* Bytes on the wire from the BTH on. The AtomicAckETH is zero if there is none. */
struct answer {
	__u8 bytes[sizeof(struct xrdma_bth) + sizeof(struct xrdma_aeth) +
		   sizeof(struct xrdma_atomicacketh)];
};

struct answers {
	struct answer all[ANSWERS_MAX];
	int count;
};

/* A message, identified by the PSN of its first packet. */
struct message {
	__u32 psn;
	__u64 va;
};

struct replay {
	struct target target;
	struct xrdma_qp_row *qp;
	__u64 base; /* of the target's region, which is its whole heap */
	__u32 key;
	__u32 window_key; /* 0: no window */
	struct message messages[MESSAGES_MAX];
	int message_count;
	struct answers real, ours;
	int requests;
	__u32 receive_len;
	__u8 written[TARGET_HEAP];
};

/* Post as many receives as possible, each for the first LEN bytes of the region. */
static void post_receives(struct replay *r)
{
	for (int i = 0; i < RECEIVES; i++)
		r->target.sges[i] = (struct xrdma_sge){ r->base, r->receive_len, r->key };
	r->target.queues[RQ] = (struct xrdma_queue_row){
		.kind = XRDMA_QUEUE_RQ,
		.mask = RECEIVES - 1,
		.stride = 1,
		.user_index = RECEIVES,
	};
}

static struct xrdma_mkey_row *row_of(struct replay *r, __u32 key)
{
	return &r->target.mkeys[key >> XRDMA_KEY_INDEX_SHIFT & (TARGET_ROWS - 1)];
}

static void bind_window(struct replay *r, const char *name, __u8 kind)
{
	__u32 key = logged(name, "bound_rkey");

	expect(row_of(r, key) != row_of(r, r->key));
	*row_of(r, key) = (struct xrdma_mkey_row){
		.key = key,
		.kind = kind,
		.state = XRDMA_MKEY_STATE_VALID,
		.rights = XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ |
			  (kind == XRDMA_MKEY_KIND_MW1 ? 0 : XRDMA_ACCESS_REMOTE_INVALIDATE),
		.qpn = kind == XRDMA_MKEY_KIND_MW1 ? 0 : logged(name, "qpn"),
		.base = r->base + WINDOW_AT,
		.offset = WINDOW_AT,
		.len = WINDOW_LEN,
	};
	r->window_key = key;
}

/* Set up the target as it was when the capture began. */
static void replay_open(struct replay *r, const struct capture *capture)
{
	const char *name = capture->name;
	__u32 qpn = logged(name, "qpn");

	memset(r, 0, sizeof(*r));
	target_open(&r->target, qpn >> XRDMA_QPN_INDEX_BITS);
	expect_int(qpn & (XRDMA_QP_ROWS_MAX - 1), <, TARGET_ROWS);
	r->qp = &r->target.qps[qpn & (XRDMA_QP_ROWS_MAX - 1)];
	*r->qp = (struct xrdma_qp_row){
		.state = XRDMA_QPS_RTS,
		.transport = XRDMA_TRANSPORT_RC,
		.access = XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ |
			  XRDMA_ACCESS_REMOTE_ATOMIC,
		.mtu = logged(name, "mtu"),
		.pkey = 0xffff,
		.peer_qpn = logged(name, "peer_qpn"),
		.rq = RQ,
		.recv_cq = CQ,
		.rnr_timer = RNR_TIMER,
		.max_dest_rd_atomic = XRDMA_RD_ATOMIC_MAX,
		.sent_psn = logged(name, "psn"),
		.resp = { .psn = logged(name, "peer_psn") },
		.req = { .acked_psn = logged(name, "psn") },
	};
	inet_pton(AF_INET6, "::ffff:10.66.0.3", r->qp->peer_addr);
	inet_pton(AF_INET6, "::ffff:10.66.0.2", r->qp->addr);
	r->qp->ack_icrc = xrdma_frame_ack_icrc(r->qp);
	r->base = logged(name, "addr");
	r->key = logged(name, "rkey");
	*row_of(r, r->key) = (struct xrdma_mkey_row){
		.key = r->key,
		.kind = XRDMA_MKEY_KIND_MR,
		.state = XRDMA_MKEY_STATE_VALID,
		.rights =
			XRDMA_ACCESS_LOCAL | XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_ATOMIC,
		.base = r->base,
		.len = TARGET_HEAP,
	};
	if (capture->window)
		bind_window(r, name, capture->window);
	r->receive_len = capture->receive_len ? capture->receive_len : RECEIVE_LEN;
	r->target.queues[CQ] = (struct xrdma_queue_row){
		.kind = XRDMA_QUEUE_CQ,
		.mask = RECEIVES - 1,
		.stride = 1,
	};
	memcpy(r->target.heap + WORD_AT, &capture->word, sizeof(capture->word));
}

/*
 * Keep the response, from the BTH on and without the migration request bit, which Soft-RoCE never
 * sets.
 */
static void keep_answer(struct answers *answers, const __u8 *frame, const struct xrdma_pkt *pkt)
{
	struct answer *answer = &answers->all[answers->count++];

	expect_int(answers->count, <=, ANSWERS_MAX);
	memcpy(answer->bytes, frame + pkt->bth_at, pkt->payload_at - pkt->bth_at);
	answer->bytes[1] &= ~XRDMA_BTH_MIGREQ;
}

/* Returns whether the packet names a key that allows it. */
static bool is_allowed(const struct replay *r, const struct xrdma_pkt *pkt)
{
	return !pkt->length || pkt->key == r->key ||
	       (r->window_key && pkt->key == r->window_key && pkt->va >= r->base + WINDOW_AT &&
		pkt->va + pkt->length <= r->base + WINDOW_AT + WINDOW_LEN);
}

/*
 * Record where a message places its data. Only messages for the target's key or window, or that fit
 * the receive, are executed.
 */
static void note_written(struct replay *r, const __u8 *frame, const struct xrdma_pkt *pkt)
{
	int message = r->message_count - 1;
	__u64 va;

	if (pkt->info.position & XRDMA_POSITION_FIRST) {
		bool send = pkt->info.op == XRDMA_OP_SEND;

		if (send ? pkt->payload_len > r->receive_len : !is_allowed(r, pkt))
			return;
		expect_int(++message, <, MESSAGES_MAX);
		r->messages[message] =
			(struct message){ pkt->psn, send || !pkt->length ? r->base : pkt->va };
		r->message_count = message + 1;
	}
	while (message >= 0 && r->messages[message].psn > pkt->psn)
		message--;
	expect_int(message, >=, 0);
	va = r->messages[message].va + (pkt->psn - r->messages[message].psn) * r->qp->mtu;
	expect(va >= r->base && va - r->base + pkt->payload_len <= TARGET_HEAP);
	memcpy(r->written + (va - r->base), frame + pkt->payload_at, pkt->payload_len);
	if (pkt->info.headers & XRDMA_HDR_IETH && pkt->invalidate_key == r->window_key)
		r->window_key = 0;
}

static void run_request(struct replay *r, const __u8 *frame, size_t len)
{
	static struct target_result result;
	static struct xrdma_frame copy;
	struct xrdma_pkt pkt;

	target_set_mac(&r->target, frame);
	target_run(&r->target, frame, len, &result);
	if (result.action != XDP_TX)
		return;
	expect_int(xrdma_frame_parse(&copy, result.frame, result.len, &pkt), ==, XRDMA_V_OK);
	keep_answer(&r->ours, result.frame, &pkt);
}

static void run_capture(struct replay *r, const struct capture *capture)
{
	recording_load(capture->name, SERVER);
	for (int i = 0; i < recording.count; i++) {
		const struct recorded *packet = &recording.all[i];
		const __u8 *frame = packet->frame.bytes;
		const struct xrdma_pkt *pkt = &packet->pkt;

		if (packet->ours) {
			keep_answer(&r->real, frame, pkt);
			continue;
		}
		if (r->requests++ == capture->unready)
			post_receives(r);
		if (pkt->info.op == XRDMA_OP_WRITE || pkt->info.op == XRDMA_OP_SEND)
			note_written(r, frame, pkt);
		run_request(r, frame, packet->len);
	}
}

/* Expect that completion NUMBER is that of the real target's program. */
static void expect_completion(const struct replay *r, int number, struct json_object *wc)
{
	const struct xrdma_cqe_row *cqe = &r->target.cqes[number];
	struct json_object *imm;
	bool has_imm = json_object_object_get_ex(wc, "imm", &imm);

	expect_int(number, <, RECEIVES);
	expect_msg(cqe->sequence == (__u32)number + 1, "%d completions", number);
	expect_int(cqe->rqe, ==, (__u32)number);
	expect_int(cqe->byte_len, ==, log_number(wc, "len"));
	expect_int(cqe->op == XRDMA_OP_SEND ? XRDMA_WC_RECV : XRDMA_WC_RECV_RDMA_WITH_IMM, ==,
		   log_number(wc, "opcode"));
	expect_int(!!(cqe->headers & XRDMA_HDR_IMMDT), ==, has_imm);
	expect_int(cqe->imm, ==, has_imm ? log_number(wc, "imm") : 0);
	expect_int(!!(cqe->headers & XRDMA_HDR_IETH), ==, !!(log_number(wc, "flags") & WITH_INV));
}

/*
 * Expect completions for all receives that the real target's program polled. Failed receives have
 * no entry.
 */
static void expect_completions(const struct replay *r, const char *name)
{
	struct json_object *object, *all, *wc;
	FILE *file = log_of(name, SERVER);
	char line[512];
	int count = 0;

	while (fgets(line, sizeof(line), file)) {
		object = json_tokener_parse(line);
		if (json_object_object_get_ex(object, "wc", &all)) {
			wc = json_object_array_get_idx(all, 0);
			if (!log_number(wc, "status") && log_number(wc, "opcode") & XRDMA_WC_RECV)
				expect_completion(r, count++, wc);
		}
		json_object_put(object);
	}
	fclose(file);
	expect_int(r->target.queues[CQ].xdp_index, ==, (__u32)count);
}

/* Returns the number of our first responses that equal those of the real target. */
static int count_alike(struct replay *r, const struct capture *capture)
{
	const size_t syndrome_at = sizeof(struct xrdma_bth);
	int alike = 0;

	for (int i = 0; i < r->real.count; i++) {
		__u8 *syndrome = &r->real.all[i].bytes[syndrome_at];

		if (capture->theirs && *syndrome == capture->theirs)
			*syndrome = capture->ours;
	}
	for (int ours = 0; ours < r->ours.count && alike < r->real.count; ours++)
		if (!memcmp(&r->ours.all[ours], &r->real.all[alike], sizeof(struct answer)))
			alike++;
	return alike;
}

/* Expect that we refuse the last request, which the real target executed. */
static void expect_last_refused(struct replay *r)
{
	const struct answer *ours = &r->ours.all[--r->ours.count],
			    *real = &r->real.all[--r->real.count];

	expect_int(real->bytes[sizeof(struct xrdma_bth)] >> 5, ==, 0);
	expect_int(ours->bytes[sizeof(struct xrdma_bth)], ==, XRDMA_AETH_NAK_REMOTE_ACCESS);
}

static const struct capture captures[] = {
	{ .name = "write" },
	{ .name = "mtu256-write" },
	{ .name = "mtu4096-write" },
	{ .name = "bad_rkey" },
	{ .name = "k61-bad_rkey" },
	{ .name = "loss-req-stream", .more = 3 },
	{ .name = "loss-resp-stream", .more = 1 },
	{ .name = "dup-stream" },
	{ .name = "send" },
	{ .name = "k61-send" },
	{ .name = "k73-send" },
	{ .name = "mtu4096-send" },
	{ .name = "send_imm" },
	{ .name = "write_imm" },
	{ .name = "rnr", .unready = 7 },
	{ .name = "k61-rnr", .unready = 8 },
	{ .name = "send_too_long",
	  .receive_len = 16,
	  .theirs = XRDMA_AETH_NAK_REMOTE_OPERATION,
	  .ours = XRDMA_AETH_NAK_INVALID_REQUEST },
	{ .name = "atomic", .word = 0x1122334455667788 },
	{ .name = "k61-atomic", .word = 0x1122334455667788 },
	{ .name = "mw1", .window = XRDMA_MKEY_KIND_MW1, .outside = true },
	{ .name = "k73-mw1", .window = XRDMA_MKEY_KIND_MW1, .outside = true },
	{ .name = "mw2_inv", .window = XRDMA_MKEY_KIND_MW2B },
	{ .name = "k61-mw2_inv", .window = XRDMA_MKEY_KIND_MW2B },
};

/* Skip all tests if there are no captures. */
static void look_for_captures(void)
{
	if (access(CAPTURES, R_OK)) {
		puts("no captures in " CAPTURES);
		exit(77);
	}
	target_load();
}

TestSuite(replay, .once = look_for_captures, .in_one_process = true);

Tests(replay, as_soft_roce_answers, sizeof(captures) / sizeof(captures[0]))
{
	const struct capture *capture = &captures[i];
	static struct replay r;
	int alike;

	if (target_is_at_tc && !strncmp(capture->name, "mtu4096", 7))
		SKIP("its frames are longer than test_run takes at tc");
	replay_open(&r, capture);
	run_capture(&r, capture);
	if (capture->outside)
		expect_last_refused(&r);
	alike = count_alike(&r, capture);
	if (capture->word) {
		__u64 final = logged(capture->name, "final");

		memcpy(r.written + WORD_AT, &final, sizeof(final));
	}
	expect_msg(alike && alike == r.real.count && r.ours.count == alike + capture->more,
		   "%s: %d answers, of which %d as the %d of the real target", capture->name,
		   r.ours.count, alike, r.real.count);
	expect_completions(&r, capture->name);
	expect_msg(!memcmp(r.target.heap, r.written, TARGET_HEAP), "%s: memory differs",
		   capture->name);
}
