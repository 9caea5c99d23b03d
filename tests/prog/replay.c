// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Captures of the Linux Soft-RoCE driver: the requests that its target received are run through the program in
 * its place. Every answer must be the one that the real target gave, and the heap must hold what was written.
 */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <criterion/hooks.h>
#include <criterion/parameterized.h>
#include <json-c/json.h>
#include <linux/bpf.h>
#define PCAP_DONT_INCLUDE_PCAP_BPF_H
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frame.h"
#include "support/target.h"

#define CAPTURES "../shared/captures"

enum { NAME_MAX_LEN = 32, ANSWERS_MAX = 256, MESSAGES_MAX = 256 };

struct capture {
	char name[NAME_MAX_LEN];
	int lost; /* answers that were lost before they came to where the capture was taken */
};

/* What stands on the wire from the BTH to the AETH. */
struct answer {
	__u8 bytes[sizeof(struct xrdma_bth) + sizeof(struct xrdma_aeth)];
};

struct answers {
	struct answer all[ANSWERS_MAX];
	int count;
};

/* A message, named by the PSN of its first packet. */
struct message {
	__u32 psn;
	__u64 va;
};

struct replay {
	struct target target;
	struct xrdma_qp_row *qp;
	__u64 base; /* of the target's region, which is its whole heap */
	__u32 key;
	struct message messages[MESSAGES_MAX];
	int message_count;
	struct answers real, ours;
	__u8 written[TARGET_HEAP];
};

/* The number FIELD of the first line of what the target's program logged. */
static __u64 logged(const char *name, const char *field)
{
	char path[128], line[512];
	struct json_object *object, *value;
	__u64 number;
	FILE *file;

	snprintf(path, sizeof(path), CAPTURES "/%s.server.jsonl", name);
	file = fopen(path, "r");
	cr_assert(file && fgets(line, sizeof(line), file), "cannot read %s", path);
	fclose(file);
	object = json_tokener_parse(line);
	cr_assert(json_object_object_get_ex(object, field, &value), "%s has no %s", path, field);
	number = strtoull(json_object_get_string(value), NULL, 0);
	json_object_put(object);
	return number;
}

/* The target as it was when the capture began. */
static void replay_open(struct replay *r, const char *name)
{
	__u32 qpn = logged(name, "qpn");

	target_open(&r->target, qpn >> XRDMA_QPN_INDEX_BITS);
	cr_assert_lt(qpn & (XRDMA_QPS_MAX - 1), TARGET_ROWS);
	r->qp = &r->target.qps[qpn & (XRDMA_QPS_MAX - 1)];
	*r->qp = (struct xrdma_qp_row){
		.state = XRDMA_QP_RTS,
		.transport = XRDMA_TRANSPORT_RC,
		.access = XRDMA_ACCESS_REMOTE_WRITE,
		.mtu = logged(name, "mtu"),
		.pkey = 0xffff,
		.peer_qpn = logged(name, "peer_qpn"),
		.sent_psn = logged(name, "psn"),
		.resp = { .psn = logged(name, "peer_psn") },
		.req = { .acked_psn = logged(name, "psn") },
	};
	inet_pton(AF_INET6, "::ffff:10.66.0.3", r->qp->peer_addr);
	inet_pton(AF_INET6, "::ffff:10.66.0.2", r->qp->addr);
	r->qp->ack_icrc = xrdma_frame_ack_icrc(r->qp);
	r->base = logged(name, "addr");
	r->key = logged(name, "rkey");
	r->target.mkeys[r->key >> XRDMA_KEY_INDEX_SHIFT & (TARGET_ROWS - 1)] =
		(struct xrdma_mkey_row){
			.key = r->key,
			.kind = XRDMA_MKEY_MR,
			.state = XRDMA_MKEY_VALID,
			.rights = XRDMA_ACCESS_REMOTE_WRITE,
			.base = r->base,
			.len = TARGET_HEAP,
		};
}

/* The part from the BTH on, without the migration request bit: Soft-RoCE leaves it clear in all it sends. */
static void keep_answer(struct answers *answers, const __u8 *frame, const struct xrdma_pkt *pkt)
{
	struct answer *answer = &answers->all[answers->count++];

	cr_assert_leq(answers->count, ANSWERS_MAX);
	memcpy(answer->bytes, frame + pkt->bth_at, sizeof(answer->bytes));
	answer->bytes[1] &= ~XRDMA_BTH_MIGREQ;
}

/* Notes what a WRITE puts where. Only what names the target's own key is ever carried out. */
static void note_written(struct replay *r, const __u8 *frame, const struct xrdma_pkt *pkt)
{
	int message = r->message_count - 1;
	__u64 va;

	if (pkt->info.part & XRDMA_PART_FIRST) {
		if (pkt->key != r->key)
			return;
		cr_assert_lt(++message, MESSAGES_MAX);
		r->messages[message] = (struct message){ pkt->psn, pkt->va };
		r->message_count = message + 1;
	}
	while (message >= 0 && r->messages[message].psn > pkt->psn)
		message--;
	cr_assert_geq(message, 0);
	va = r->messages[message].va + (pkt->psn - r->messages[message].psn) * r->qp->mtu;
	cr_assert(va >= r->base && va - r->base + pkt->payload_len <= TARGET_HEAP);
	memcpy(r->written + (va - r->base), frame + pkt->payload_at, pkt->payload_len);
}

static void run_request(struct replay *r, const __u8 *frame, size_t len)
{
	static struct target_result result;
	static struct xrdma_frame copy;
	struct xrdma_pkt pkt;

	target_run(&r->target, frame, len, &result);
	if (result.action != XDP_TX)
		return;
	cr_assert_eq(xrdma_frame_parse(&copy, result.frame, result.len, &pkt), XRDMA_V_OK);
	keep_answer(&r->ours, result.frame, &pkt);
}

static void run_capture(struct replay *r, const char *name)
{
	char path[128], error[PCAP_ERRBUF_SIZE];
	static struct xrdma_frame copy;
	struct pcap_pkthdr *header;
	const __u8 *frame;
	struct xrdma_pkt pkt;
	pcap_t *pcap;

	snprintf(path, sizeof(path), CAPTURES "/%s.pcap", name);
	pcap = pcap_open_offline(path, error);
	cr_assert(pcap, "%s", error);
	while (pcap_next_ex(pcap, &header, &frame) == 1) {
		cr_assert_eq(xrdma_frame_parse(&copy, frame, header->caplen, &pkt), XRDMA_V_OK);
		if (pkt.info.op == XRDMA_OP_WRITE) {
			note_written(r, frame, &pkt);
			run_request(r, frame, header->caplen);
		} else {
			cr_assert_eq(pkt.info.op, XRDMA_OP_ACK);
			keep_answer(&r->real, frame, &pkt);
		}
	}
	pcap_close(pcap);
}

ParameterizedTestParameters(replay, as_soft_roce_answers)
{
	static struct capture captures[] = {
		{ "write", 0 },	     { "mtu256-write", 0 },    { "mtu4096-write", 0 },
		{ "bad_rkey", 0 },   { "loss-req-stream", 0 }, { "loss-resp-stream", 1 },
		{ "dup-stream", 0 },
	};

	return cr_make_param_array(struct capture, captures,
				   sizeof(captures) / sizeof(captures[0]));
}

ParameterizedTest(struct capture *capture, replay, as_soft_roce_answers)
{
	static struct replay r;
	int real = 0;

	replay_open(&r, capture->name);
	run_capture(&r, capture->name);
	for (int ours = 0; ours < r.ours.count; ours++)
		if (!memcmp(&r.ours.all[ours], &r.real.all[real], sizeof(struct answer)))
			real++;
	cr_expect(real && real == r.real.count && r.ours.count == real + capture->lost,
		  "%s: %d answers, of which %d as the %d of the real target", capture->name,
		  r.ours.count, real, r.real.count);
	cr_expect(!memcmp(r.target.heap, r.written, TARGET_HEAP), "%s: memory differs",
		  capture->name);
	target_close(&r.target);
}

/* Runs before any test, in the process whose exit status counts. */
ReportHook(PRE_ALL)(struct criterion_test_set *tests)
{
	(void)tests;
	if (!access(CAPTURES, R_OK))
		return;
	puts("no captures in " CAPTURES);
	exit(77);
}
