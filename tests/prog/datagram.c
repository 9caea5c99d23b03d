// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Datagrams of UD (IBA 9.8.3, 10.2.5, A17.4.5.2). A receive begins with 40 bytes for the IP header,
 * and the payload follows them.
 */
#include <linux/bpf.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <string.h>

#include "support/case.h"

#define CASE_STAGE prog_datagram

enum { QKEY = 0x11223344, SOURCE_QPN = 0x00abcdef, IP_AT = 14, LEN = 64 };

static struct run all;
static __u8 data[XRDMA_MTU_MAX];

/* Make the packet a datagram of LEN bytes, and the receive as long as it. */
static void set_datagram(struct run *run)
{
	case_set_send(run);
	run->qp->transport = XRDMA_TRANSPORT_UD;
	run->qp->qkey = QKEY;
	run->sges[0].length = XRDMA_GRH_LEN + LEN;
	run->packet.opcode = XRDMA_UD_SEND_ONLY;
	run->packet.qkey = QKEY;
	run->packet.src_qpn = SOURCE_QPN;
	run->packet.payload = data;
	run->packet.payload_len = LEN;
}

static void open_run(void)
{
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = i % 251 + 1;
	case_open(&all);
	set_datagram(&all);
}

TestSuite(prog_datagram, .once = target_load, .init = open_run, .in_one_process = true);

static void send(enum xrdma_verdict verdict)
{
	struct target_result result;

	case_send(&all, &result);
	expect_msg(result.verdict == verdict, "verdict %d instead of %d", result.verdict, verdict);
	expect_int(result.action, ==, XDP_DROP);
}

/* Returns the last completion. */
static const struct xrdma_cqe_row *completion(void)
{
	return &all.target.cqes[CASE_CQES + ((all.cq->xdp_index - 1) & CASE_CQ_MASK)];
}

/* Expect that the receive begins at AT of the region, and has the header and LEN bytes of data. */
static void expect_received(const __u8 *at, __u32 len)
{
	const __u8 zeros[XRDMA_GRH_LEN - sizeof(struct iphdr)] = { 0 };
	const __u8 *header = all.frame + IP_AT;

	if (all.packet.ip_version == 6) {
		expect(!memcmp(at, header, sizeof(struct ipv6hdr)));
	} else {
		expect(!memcmp(at, zeros, sizeof(zeros)));
		expect(!memcmp(at + sizeof(zeros), header, sizeof(struct iphdr)));
	}
	expect(!memcmp(at + XRDMA_GRH_LEN, data, len));
	expect_int(completion()->verdict, ==, XRDMA_V_OK);
	expect_int(completion()->byte_len, ==, XRDMA_GRH_LEN + len);
}

Test(prog_datagram, over_ipv4)
{
	send(XRDMA_V_OK);
	expect_received((__u8 *)case_word(&all), LEN);
	expect_int(completion()->src_qpn, ==, SOURCE_QPN);
	expect_int(completion()->headers, ==, XRDMA_HDR_DETH);
	expect_int(completion()->op, ==, XRDMA_OP_SEND);
}

Test(prog_datagram, over_ipv6)
{
	case_set_ipv6(&all);
	send(XRDMA_V_OK);
	expect_received((__u8 *)case_word(&all), LEN);
}

Test(prog_datagram, immediate)
{
	all.packet.opcode = XRDMA_UD_SEND_ONLY_IMM;
	all.packet.imm = 0x01020304;
	send(XRDMA_V_OK);
	expect_received((__u8 *)case_word(&all), LEN);
	expect_int(completion()->headers, ==, XRDMA_HDR_DETH | XRDMA_HDR_IMMDT);
	expect_int(completion()->imm, ==, __builtin_bswap32(0x01020304));
}

/* Payloads of each length up to the largest path MTU, in a receive of several segments. */
Test(prog_datagram, lengths)
{
	const __u32 headers = packet_build(&all.packet, all.frame) - LEN;
	__u32 max = target_frame_max() - headers;

	if (max > XRDMA_MTU_MAX)
		max = XRDMA_MTU_MAX;
	all.qp->mtu = XRDMA_MTU_MAX;
	for (__u32 len = 0; len <= max; len += len < 70 ? 1 : 61) {
		const __u32 first = 1 + len % 53;

		all.rq->user_index = all.rq->xdp_index + 1;
		all.cq->user_index = all.cq->xdp_index;
		all.sges = case_sges(&all, all.rq->xdp_index);
		all.sges[0] = (struct xrdma_sge){ CASE_BASE + 16, first, CASE_KEY };
		all.sges[1] = (struct xrdma_sge){ CASE_BASE + 16 + first,
						  XRDMA_GRH_LEN + len - first, CASE_KEY };
		all.packet.payload_len = len;
		send(XRDMA_V_OK);
		expect_received((__u8 *)case_word(&all), len);
		memset(case_word(&all), 0, XRDMA_GRH_LEN + len);
	}
}

/* Datagrams have no order: each PSN is right. */
Test(prog_datagram, any_psn)
{
	static const __u32 psns[] = { 0, CASE_PSN - 1, CASE_PSN, CASE_PSN + 1, 1 << 23 };

	for (size_t i = 0; i < sizeof(psns) / sizeof(psns[0]); i++) {
		all.rq->user_index = all.rq->xdp_index + 1;
		*case_sges(&all, all.rq->xdp_index) = all.sges[0];
		all.packet.psn = psns[i];
		send(XRDMA_V_OK);
	}
}

/* Anybody may send, who knows the Q_Key. */
CASE(of_anybody, OK)
{
	set_datagram(run);
	memset(run->qp->peer_addr, 0, sizeof(run->qp->peer_addr));
	memset(run->qp->addr, 0, sizeof(run->qp->addr));
	run->qp->resp.peer_sport = 1;
}

CASE(wrong_qkey, QKEY)
{
	set_datagram(run);
	run->packet.qkey++;
}

/* The 40 bytes count: a receive that is only as long as the payload is too short. */
CASE(receive_without_room_for_the_header, RECV_LENGTH)
{
	set_datagram(run);
	run->sges[0].length--;
}

CASE(key_of_receive, RECV_KEY)
{
	set_datagram(run);
	run->mkey->state = XRDMA_MKEY_STATE_FREE;
}

CASE(of_a_connection, TRANSPORT)
{
	set_datagram(run);
	run->packet.opcode = XRDMA_UC_SEND_ONLY;
}

CASE(longer_than_the_mtu, LENGTH)
{
	set_datagram(run);
	run->qp->mtu = 256;
	run->packet.payload_len = 257;
	run->sges[0].length = 1024;
}

CASE(no_receive, RNR)
{
	set_datagram(run);
	run->rq->user_index--;
}

CASE(receive_of_nothing, RECV_LENGTH)
{
	set_datagram(run);
	run->packet.payload_len = 0;
	run->sges[0].length = XRDMA_GRH_LEN - 1;
}

/* The next datagram is received after one that did not fit. */
Test(prog_datagram, after_one_that_does_not_fit)
{
	all.packet.payload_len = LEN + 1;
	send(XRDMA_V_RECV_LENGTH);
	all.packet.payload_len = LEN;
	send(XRDMA_V_OK);
	expect_received((__u8 *)case_word(&all), LEN);
}
