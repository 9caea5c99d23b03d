// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Packets of real connections are changed at random. Whatever they contain, they must not change
 * bytes of memory without the right to do so, read bytes without the right, or change what the
 * process has written in its tables. XRDMA_MUTATED is the number of packets, and XRDMA_SEED the
 * seed. XDP and tc share nearly all of the program, so each gets half of a million packets, with
 * its own seed.
 */
#include <arpa/inet.h>
#include <glob.h>
#include <linux/if_ether.h>
#include <linux/bpf.h>
#define PCAP_DONT_INCLUDE_PCAP_BPF_H
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>

#include "lib/frame.h"
#include "lib/opcode.h"
#include "support/sandbox.h"
#include "support/log.h"
#include "support/test.h"

enum {
	SEEDS_MAX = 8192,
	SEGMENTS = 6,
	CHECK_TABLES = 64, /* how often tables are checked */
	CHECK_REST = 64 * CHECK_TABLES,
	MUTATED = 500000,
	IPV4_ID_AT = 18,
};

/* A captured packet, from its BTH on. */
struct seed {
	const __u8 *bytes;
	size_t len;
	struct xrdma_opcode_info info;
	__u32 message;	    /* bytes of the READ whose first response it is */
	enum sandbox_qp qp; /* the queue pair that it fits */
};

static struct seed seeds[SEEDS_MAX];
static int seed_count;
static struct target_result result;
static bool in_buffers; /* some frames are in several buffers, if the kernel allows that */
static unsigned long long number; /* number of the packet that is being changed */
static struct {
	unsigned long long verdicts[XRDMA_VERDICT_COUNT], answers, joined;
} seen;

/* Count the bytes of PART, a part of a response, for the first part, too. */
static void count_response(struct seed *part)
{
	struct seed *first = part;

	if (part->info.op != XRDMA_OP_READ_RESPONSE || part->info.position & XRDMA_POSITION_FIRST)
		return;
	while (first > seeds && (first->info.op != XRDMA_OP_READ_RESPONSE ||
				 !(first->info.position & XRDMA_POSITION_FIRST)))
		first--;
	first->message += part->message;
}

static void add_seed(const __u8 *bytes, size_t len)
{
	static struct xrdma_frame frame;
	struct seed *seed = &seeds[seed_count];
	struct xrdma_pkt pkt;
	__u8 *copy;

	if (xrdma_frame_parse(&frame, bytes, len, &pkt) != XRDMA_V_OK ||
	    XRDMA_OPCODE_TRANSPORT(pkt.opcode) > XRDMA_TRANSPORT_UC || seed_count == SEEDS_MAX)
		return;
	seed->len = pkt.icrc_at + XRDMA_ICRC_LEN - pkt.bth_at;
	copy = malloc(seed->len);
	memcpy(copy, bytes + pkt.bth_at, seed->len);
	seed->bytes = copy;
	seed->info = pkt.info;
	seed->message = pkt.payload_len;
	count_response(seed);
	seed_count++;
}

/*
 * Choose queue pairs for the seeds from FIRST on. They are from one capture. The longest packet
 * shows the path MTU.
 */
static void choose_qps(struct seed *first)
{
	enum sandbox_qp qp = SANDBOX_MTU_256;

	for (const struct seed *seed = first; seed < &seeds[seed_count]; seed++) {
		if (seed->bytes[0] >> 5 == XRDMA_TRANSPORT_UC)
			qp = SANDBOX_UC;
		else if (qp != SANDBOX_UC && seed->len > 512)
			qp = seed->len > 2048 ? SANDBOX_MTU_4096 : SANDBOX_MTU_1024;
	}
	for (struct seed *seed = first; seed < &seeds[seed_count]; seed++)
		seed->qp = qp;
}

static void load_seeds(void)
{
	char error[PCAP_ERRBUF_SIZE];
	struct pcap_pkthdr *header;
	struct seed *first;
	const __u8 *bytes;
	pcap_t *pcap;
	glob_t found;

	if (glob(CAPTURES "/*.pcap", 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		first = &seeds[seed_count];
		pcap = pcap_open_offline(found.gl_pathv[i], error);
		expect_msg(pcap, "%s", error);
		while (pcap_next_ex(pcap, &header, &bytes) == 1)
			add_seed(bytes, header->caplen);
		pcap_close(pcap);
		choose_qps(first);
	}
	globfree(&found);
}

static __u8 opcode_of(const __u8 *frame)
{
	return frame[mutate_bth_at(frame)];
}

/* The one that the seed suits, or one like it; now and then any. */
static enum sandbox_qp choose_qp(const struct seed *seed)
{
	if (mutate_chance(8))
		return mutate_random(SANDBOX_QPS);
	return seed->qp == SANDBOX_MTU_1024 && mutate_chance(4) ? SANDBOX_IPV6 : seed->qp;
}

static enum sandbox_place place_for(const struct seed *seed)
{
	static const enum sandbox_place writable[] = { SANDBOX_WRITABLE, SANDBOX_ALL,
						       SANDBOX_WINDOW, SANDBOX_LIST,
						       SANDBOX_PATTERN };
	static const enum sandbox_place readable[] = { SANDBOX_READABLE, SANDBOX_ALL,
						       SANDBOX_WINDOW, SANDBOX_LIST,
						       SANDBOX_PATTERN };
	static const enum sandbox_place atomic[] = { SANDBOX_ATOMIC, SANDBOX_ALL, SANDBOX_WINDOW,
						     SANDBOX_ATOMIC, SANDBOX_PATTERN };
	const int i = mutate_random(5);

	if (mutate_chance(8))
		return mutate_random(SANDBOX_PLACES);
	if (seed->info.op == XRDMA_OP_WRITE)
		return writable[i];
	return seed->info.op == XRDMA_OP_READ ? readable[i] : atomic[i];
}

/* Make the packet name memory that exists. */
static void name_memory(__u8 *header, const struct seed *seed, __u32 length)
{
	enum sandbox_place place = place_for(seed);
	__u32 room = sandbox_len(place) > length ? sandbox_len(place) - length : 0;

	mutate_put(header, 8, sandbox_address(place) + (mutate_random(room + 1) & ~7U));
	mutate_put(header + 8, 4, sandbox_key(place));
}

/* Build FRAME from SEED as a packet that QP may expect next, or after AHEAD other packets. */
static size_t build(const struct seed *seed, enum sandbox_qp qp, int ahead, __u8 *frame)
{
	const struct xrdma_qp_row *row = sandbox_row(qp);
	const bool responds = seed->info.op == XRDMA_OP_READ_RESPONSE ||
			      seed->info.op == XRDMA_OP_ATOMIC_ACK || seed->info.op == XRDMA_OP_ACK;
	__u8 bth[PACKET_MAX], *header = bth + sizeof(struct xrdma_bth);
	__u32 length = 8;
	size_t len;

	memcpy(bth, seed->bytes, seed->len);
	if (qp == SANDBOX_UC)
		bth[0] = (bth[0] & 0x1f) | XRDMA_TRANSPORT_UC << 5;
	mutate_put(bth + 2, 2, 0xffff);
	mutate_put(bth + 5, 3, sandbox_qpn(qp));
	mutate_put(bth + 9, 3, (responds ? row->req.acked_psn : row->resp.psn) + ahead);
	if (seed->info.headers & XRDMA_HDR_RETH)
		length = header[12] << 24 | header[13] << 16 | header[14] << 8 | header[15];
	if (seed->info.headers & (XRDMA_HDR_RETH | XRDMA_HDR_ATOMICETH))
		name_memory(header, seed, length);
	if (seed->info.headers & XRDMA_HDR_IETH)
		mutate_put(header, 4, sandbox_key(SANDBOX_WINDOW));
	if (responds && seed->info.position & XRDMA_POSITION_FIRST)
		sandbox_await(qp, seed->info.op,
			      seed->info.op == XRDMA_OP_READ_RESPONSE ? seed->message : 8);
	len = packet_wrap(qp == SANDBOX_IPV6 ? 6 : 4, bth, seed->len, frame);
	if (qp != SANDBOX_IPV6) {
		mutate_put(frame + IPV4_ID_AT, 2, PACKET_ID + ahead);
		packet_seal(frame, len);
	}
	return len;
}

static unsigned int rights_of(__u8 opcode)
{
	switch (xrdma_opcode_info(opcode)->op) {
	case XRDMA_OP_WRITE:
		return XRDMA_ACCESS_REMOTE_WRITE;
	case XRDMA_OP_SEND:
		return XRDMA_ACCESS_RECV;
	case XRDMA_OP_CMP_SWAP:
	case XRDMA_OP_FETCH_ADD:
		return XRDMA_ACCESS_REMOTE_ATOMIC;
	case XRDMA_OP_READ_RESPONSE:
	case XRDMA_OP_ATOMIC_ACK:
		return XRDMA_ACCESS_READ;
	default:
		return 0;
	}
}

static void count(const struct target_result *result)
{
	seen.answers += result->action == XDP_TX;
	if (result->action == XDP_TX)
		sandbox_expect_secrets(result->frame, result->len);
}

/* Let a packet of SEED arrive, changed if CHANGED is true. */
static void arrive(const struct seed *seed, bool changed)
{
	enum sandbox_qp qp = choose_qp(seed);
	unsigned int rights = 0;
	__u8 frame[PACKET_MAX];
	size_t len = build(seed, qp, 0, frame);
	__be32 qpn;

	if (changed)
		len = mutate(frame, len, sandbox_likely(qp));
	if (len > target_frame_max())
		return;
	sandbox_target.first_buffer =
		in_buffers && mutate_chance(8) ? ETH_HLEN + mutate_random(len - ETH_HLEN) : 0;
	target_run(&sandbox_target, frame, len, &result);
	seen.verdicts[result.verdict]++;
	if (result.verdict == XRDMA_V_OK || result.verdict == XRDMA_V_PLACED)
		rights = rights_of(opcode_of(frame));
	memcpy(&qpn, frame + mutate_bth_at(frame) + 4, sizeof(qpn));
	sandbox_expect_rights(ntohl(qpn) & XRDMA_QPN_MASK, rights);
	count(&result);
	number += changed;
}

/*
 * Let packets of SEED and of later seeds arrive as one super packet. Each is changed if CHANGED is
 * true.
 */
static void arrive_joined(const struct seed *seed, bool changed)
{
	static struct packet_frame frames[SEGMENTS];
	const int segments = 2 + mutate_random(SEGMENTS - 1);
	enum sandbox_qp qp = choose_qp(seed);
	__u8 frame[PACKET_MAX];
	unsigned int rights = 0;
	size_t len = 0, headers, segment;

	for (int i = 0; i < segments; i++, seed++) {
		frames[i].len = build(seed, qp, i, frames[i].bytes);
		if (changed && mutate_chance(2))
			frames[i].len = mutate(frames[i].bytes, frames[i].len, sandbox_likely(qp));
		rights |= rights_of(opcode_of(frames[i].bytes));
		len += frames[i].len;
	}
	if (len > target_frame_max())
		return;
	len = packet_join(frames, segments, frame);
	headers = mutate_bth_at(frame);
	segment = frames[0].len > headers ? frames[0].len - headers : 0;
	target_run_super(&sandbox_target, frame, len, segment + (mutate_chance(8) ? 4 : 0), 0,
			 &result);
	sandbox_expect_rights(0, rights);
	count(&result);
	seen.joined++;
	number += changed;
}

static unsigned long long setting(const char *name, unsigned long long usual)
{
	const char *value = getenv(name);

	return value ? strtoull(value, NULL, 0) : usual;
}

/*
 * Check that the test was meaningful: every place that may change has changed, and most verdicts
 * have occurred.
 */
static void expect_seen(unsigned long long count)
{
	static const enum sandbox_place changed[] = { SANDBOX_WRITABLE, SANDBOX_ATOMIC,
						      SANDBOX_ALL,	SANDBOX_RECEIVE,
						      SANDBOX_RESULT,	SANDBOX_WINDOW,
						      SANDBOX_LIST,	SANDBOX_PATTERN };
	int verdicts = 0;

	for (int v = 0; v < XRDMA_VERDICT_COUNT; v++)
		verdicts += !!seen.verdicts[v];
	printf("%llu packets changed, %d verdicts, %llu answers, %llu joined", count, verdicts,
	       seen.answers, seen.joined);
	for (size_t i = 0; i < sizeof(changed) / sizeof(changed[0]); i++)
		printf(", %llu", sandbox_changed[changed[i]]);
	puts(" changed memory");
	for (size_t i = 0; i < sizeof(changed) / sizeof(changed[0]); i++)
		expect_int(sandbox_changed[changed[i]], >=, count / 10000);
	expect_int(verdicts, >=, count < MUTATED ? 20 : 40);
	expect_int(seen.answers, >=, count / 100);
}

/* Returns a random seed, or one of a random opcode, however rare that opcode is. */
static int choose_seed(void)
{
	const int starts = seed_count - SEGMENTS, any = mutate_random(starts);
	const __u8 opcode = mutate_random(2 << 5); /* of RC or UC */

	for (int i = any; i < any + starts; i++)
		if (seeds[i % starts].bytes[0] == opcode)
			return i % starts;
	return any;
}

TestSuite(prog_mutated, .once = target_load, .init = sandbox_open, .in_one_process = true);

Test(prog_mutated, changes_nothing_without_a_right)
{
	const unsigned long long count = setting("XRDMA_MUTATED", MUTATED);
	int next = 0;

	load_seeds();
	if (!seed_count)
		SKIP("there are no captures");
	in_buffers = target_can_split(&sandbox_target);
	mutate_seed(setting("XRDMA_SEED", target_is_at_tc ? 2 : 1));
	for (unsigned long long i = 0; number < count; i++) {
		sandbox_refresh();
		if (mutate_chance(16))
			next = choose_seed();
		if (target_is_at_tc && mutate_chance(8))
			arrive_joined(&seeds[next], !mutate_chance(4));
		else
			arrive(&seeds[next], !mutate_chance(3));
		next = (next + 1) % (seed_count - SEGMENTS);
		if (i % CHECK_TABLES == 0)
			sandbox_expect_tables();
		if (i % CHECK_REST == 0)
			sandbox_expect_rest();
	}
	sandbox_expect_tables();
	sandbox_expect_rest();
	expect_seen(count);
}
