// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "peer.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cq.h"
#include "lib/frame.h"
#include "lib/opcode.h"
#include "netns.h"
#include "test.h"

enum { PEER_QPN = 0x123456 };

struct peer peer = { .wire = -1 };

static __u8 remembered[OWNER_BYTES];

static void open_wire(void)
{
	struct sockaddr_ll xa = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	const struct timeval patience = { .tv_sec = 5 };
	const int room = 64 << 20;

	expect(netns_enter("a"));
	xa.sll_ifindex = if_nametoindex("xa");
	peer.wire = socket(AF_PACKET, SOCK_RAW, 0);
	expect_int(setsockopt(peer.wire, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)), ==, 0);
	expect_int(setsockopt(peer.wire, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)), ==,
		   0);
	expect_int(bind(peer.wire, (struct sockaddr *)&xa, sizeof(xa)), ==, 0);
	expect(netns_enter("b"));
}

/*
 * Attach an XDP program to this end of the veth, or remove it. Without one, the end discards frames
 * that XDP sends at the other end.
 */
static void receive_by_xdp(bool does)
{
	const struct bpf_insn pass[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = XDP_PASS },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = BPF_F_XDP_HAS_FRAGS);
	int program = bpf_prog_load(BPF_PROG_TYPE_XDP, "pass", "GPL", pass, 2, &opts);

	expect_int(program, >=, 0);
	expect(netns_enter("a"));
	expect_int(
		bpf_xdp_attach(if_nametoindex("xa"), does ? program : -1, XDP_FLAGS_DRV_MODE, NULL),
		==, 0);
	expect(netns_enter("b"));
	close(program);
}

void peer_open(void)
{
	struct xrdma_device_status xb = { .sz = sizeof(xb) };

	open_wire();
	expect_int(xrdma_device_query("xb", &xb), ==, 0);
	receive_by_xdp(xb.mode == XRDMA_MODE_NATIVE);
	owner_open(&peer.b.owner, "xb");
}

void peer_close(void)
{
	owner_close(&peer.b.owner);
	close(peer.wire);
}

void peer_connect(int version, __u32 mtu)
{
	__u8 byte;

	peer.ip_version = version;
	peer.b.attr.access = PEER_RIGHTS;
	peer.b.attr.path_mtu = mtu;
	peer.b.attr.dest_qpn = PEER_QPN;
	peer.b.attr.rq_psn = peer.psn = PEER_FIRST_PSN;
	peer.msn = 0;
	set_address(peer.b.attr.ah_attr.dest, version == 4 ? "10.66.0.3" : "fd66::3");
	side_bring_to(&peer.b, XRDMA_QPS_RTR);
	while (recv(peer.wire, &byte, sizeof(byte), MSG_DONTWAIT) > 0)
		;
}

void peer_start(void)
{
	side_create(&peer.b);
	arc4random_buf(peer.b.owner.memory, OWNER_BYTES);
	expect_int(xrdma_mr_reg(peer.b.owner.pd, peer.b.owner.memory, OWNER_BYTES, PEER_RIGHTS,
				&peer.mr),
		   ==, 0);
	peer.b.attr.max_dest_rd_atomic = XRDMA_RD_ATOMIC_MAX;
	peer_connect(4, 1024);
}

void peer_stop(void)
{
	side_destroy(&peer.b);
	expect_int(xrdma_mr_close(peer.mr), ==, 0);
}

struct xrdma_sge peer_piece(__u32 offset, __u32 len)
{
	return (struct xrdma_sge){
		.addr = (uintptr_t)peer.b.owner.memory + offset,
		.length = len,
		.lkey = xrdma_mr_key(peer.mr),
	};
}

void peer_post_receives(void)
{
	for (int i = 0; i < PEER_RECEIVES; i++) {
		const struct xrdma_sge into = peer_piece(65536 + i * 4096, 4096);
		const struct xrdma_recv_wr receive = { .wr_id = i, .sg_list = &into, .num_sge = 1 };
		const struct xrdma_recv_wr *bad;

		expect_int(xrdma_qp_post_recv(peer.b.qp, &receive, &bad), ==, 0);
	}
}

void peer_poll(struct xrdma_wc *wc, int count)
{
	int got = cq_poll_within(5, peer.b.cq, count, wc);

	expect_int(got, ==, count);
	got = xrdma_cq_poll(peer.b.cq, 1, wc);
	expect_msg(!got, "one more comes: '%s'", xrdma_wc_status_str(wc->status));
}

void peer_remember_memory(void)
{
	memcpy(remembered, peer.b.owner.memory, OWNER_BYTES);
}

void peer_expect_memory(void)
{
	expect(!memcmp(peer.b.owner.memory, remembered, OWNER_BYTES));
}

static __u32 packets_of(__u32 len)
{
	return len ? (len + peer.b.attr.path_mtu - 1) / peer.b.attr.path_mtu : 1;
}

void peer_send_bytes(const __u8 *bytes, size_t len)
{
	ssize_t sent;

	do
		sent = send(peer.wire, bytes, len, 0);
	while (sent < 0 && errno == ENOBUFS); /* B's queue is too short for all requests */
	expect_int(sent, ==, len);
}

void peer_send(const struct packet *packet)
{
	__u8 bytes[PACKET_MAX];
	size_t len = packet_build(packet, bytes);

	peer_send_bytes(bytes, len);
}

struct peer_asked peer_make(__u8 opcode, __u32 offset, __u32 len)
{
	const struct xrdma_opcode_info *info = xrdma_opcode_info(opcode);
	const bool carries = info->payload != XRDMA_PAYLOAD_NONE;
	struct peer_asked asked = {
		.packet = {
			.ip_version = peer.ip_version,
			.opcode = opcode,
			.dest_qpn = xrdma_qp_number(peer.b.qp),
			.psn = peer.psn | (carries ? XRDMA_BTH_ACKREQ : 0),
			.va = (uintptr_t)peer.b.owner.memory + offset,
			.key = xrdma_mr_key(peer.mr),
			.length = len,
			.payload_len = carries ? len : 0,
		},
		.psns = info->op == XRDMA_OP_READ ? packets_of(len) : 1,
	};

	memcpy(&asked.original, peer.b.owner.memory + offset, sizeof(asked.original));
	peer.psn = (peer.psn + asked.psns) & XRDMA_PSN_MASK;
	peer.msn += !!(info->position & XRDMA_POSITION_LAST);
	asked.msn = peer.msn;
	return asked;
}

struct peer_asked peer_ask(__u8 opcode, __u32 offset, __u32 len)
{
	const struct peer_asked asked = peer_make(opcode, offset, len);

	peer_send(&asked.packet);
	return asked;
}

struct peer_asked peer_ask_read(__u32 offset, __u32 len)
{
	return peer_ask(XRDMA_RC_READ_REQUEST, offset, len);
}

struct peer_asked peer_ask_again(const struct peer_asked *asked, __u32 packets)
{
	struct peer_asked again = *asked;
	__u32 bytes = packets * peer.b.attr.path_mtu;

	again.packet.psn = (asked->packet.psn + packets) & XRDMA_PSN_MASK;
	again.packet.va += bytes;
	again.packet.length -= bytes;
	again.psns -= packets;
	peer_send(&again.packet);
	return again;
}

bool peer_receive(struct xrdma_frame *frame, struct xrdma_pkt *pkt, int flags)
{
	__u8 bytes[PACKET_MAX];
	struct sockaddr_ll from;
	socklen_t size;
	ssize_t len;

	for (;;) {
		size = sizeof(from);
		len = recvfrom(peer.wire, bytes, sizeof(bytes), flags, (struct sockaddr *)&from,
			       &size);
		if (len < 0)
			return false;
		if (from.sll_pkttype == PACKET_OUTGOING)
			continue;
		if (xrdma_frame_parse(frame, bytes, len, pkt) != XRDMA_V_OK)
			continue;
		expect_int(xrdma_frame_icrc_carried(frame, pkt), ==, xrdma_frame_icrc(frame, pkt));
		expect_int(pkt->dest_qpn, ==, PEER_QPN);
		return true;
	}
}

/* Receive a frame, and remove a trailer. */
static bool receive(struct xrdma_frame *frame, struct xrdma_pkt *pkt, int flags)
{
	if (!peer_receive(frame, pkt, flags))
		return false;
	expect_int(pkt->frame_len, ==, pkt->icrc_at + XRDMA_ICRC_LEN);
	return true;
}

void peer_expect_nothing(void)
{
	struct xrdma_frame frame;
	struct xrdma_pkt pkt;

	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	expect_msg(!receive(&frame, &pkt, MSG_DONTWAIT), "opcode %02x of PSN %06x comes",
		   pkt.opcode, pkt.psn);
}

void peer_expect_syndrome(__u8 syndrome, __u32 of_psn, __u32 of_msn)
{
	struct xrdma_frame frame;
	struct xrdma_pkt pkt;

	expect_msg(receive(&frame, &pkt, 0), "nothing comes");
	expect_int(pkt.opcode, ==, XRDMA_RC_ACK);
	expect_int(pkt.syndrome, ==, syndrome);
	expect_int(pkt.psn, ==, of_psn & XRDMA_PSN_MASK);
	expect_int(pkt.msn, ==, of_msn);
}

void peer_expect_ack(const struct peer_asked *asked)
{
	peer_expect_syndrome(XRDMA_AETH_ACK_NO_CREDIT, asked->packet.psn, asked->msn);
}

int peer_expect_ack_of_one(const struct peer_asked *asked, int count)
{
	struct xrdma_frame frame;
	struct xrdma_pkt pkt;
	int number = 0;

	expect_msg(receive(&frame, &pkt, 0), "nothing comes");
	while (number < count && (asked[number].packet.psn & XRDMA_PSN_MASK) != pkt.psn)
		number++;
	expect_int(pkt.opcode, ==, XRDMA_RC_ACK);
	expect_int(pkt.syndrome, ==, XRDMA_AETH_ACK_NO_CREDIT);
	expect_int(number, <, count);
	expect_int(pkt.msn, ==, asked[number].msn);
	return number;
}

void peer_expect_original(const struct peer_asked *asked)
{
	struct xrdma_frame frame;
	struct xrdma_pkt pkt;

	expect_msg(receive(&frame, &pkt, 0), "nothing comes");
	expect_int(pkt.opcode, ==, XRDMA_RC_ATOMIC_ACK);
	expect_int(pkt.psn, ==, asked->packet.psn);
	expect_int(pkt.msn, ==, asked->msn);
	expect(pkt.original == asked->original);
}

/* IBA 9.7.3.1: returns the opcode of packet NUMBER of a response. */
static __u8 response_opcode(__u32 number, __u32 packets)
{
	if (packets == 1)
		return XRDMA_RC_READ_RESPONSE_ONLY;
	if (!number)
		return XRDMA_RC_READ_RESPONSE_FIRST;
	return number + 1 < packets ? XRDMA_RC_READ_RESPONSE_MIDDLE : XRDMA_RC_READ_RESPONSE_LAST;
}

/* Expect that the packet is number I of the response to ASKED. */
static void expect_part(const struct peer_asked *asked, __u32 i, const struct xrdma_frame *frame,
			const struct xrdma_pkt *pkt)
{
	const __u8 *bytes = (const __u8 *)(uintptr_t)asked->packet.va;
	__u32 at = i * peer.b.attr.path_mtu, left = asked->packet.length - at;

	expect_msg(pkt->psn == ((asked->packet.psn + i) & XRDMA_PSN_MASK), "packet %u has PSN %06x",
		   i, pkt->psn);
	expect_int(pkt->opcode, ==, response_opcode(i, asked->psns));
	if (pkt->info.headers & XRDMA_HDR_AETH) {
		expect_int(pkt->syndrome, ==, XRDMA_AETH_ACK_NO_CREDIT);
		expect_int(pkt->msn, ==, asked->msn);
	}
	expect_int(pkt->payload_len, ==, left < peer.b.attr.path_mtu ? left : peer.b.attr.path_mtu);
	expect_msg(!memcmp(frame->bytes + pkt->payload_at, bytes + at, pkt->payload_len),
		   "bytes of packet %u differ", i);
}

/* Returns the number of the packet with PSN in the response to ASKED. */
static __u32 number_in(const struct peer_asked *asked, __u32 psn)
{
	return (psn - asked->packet.psn) & XRDMA_PSN_MASK;
}

void peer_expect_read(const struct peer_asked *asked)
{
	struct xrdma_frame frame;
	struct xrdma_pkt pkt;

	for (__u32 i = 0; i < asked->psns; i++) {
		expect_msg(receive(&frame, &pkt, 0), "packet %u does not come", i);
		expect_part(asked, i, &frame, &pkt);
	}
}

void peer_expect_read_again(const struct peer_asked *asked)
{
	struct peer_asked again = *asked;

	again.msn = peer.msn;
	peer_expect_read(&again);
}

int peer_expect_parts(const struct peer_asked *asked, int count)
{
	struct xrdma_frame frame;
	struct xrdma_pkt pkt;
	int packets = 0, of;

	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	for (; receive(&frame, &pkt, MSG_DONTWAIT); packets++) {
		for (of = 0; of < count; of++)
			if (number_in(&asked[of], pkt.psn) < asked[of].psns)
				break;
		expect_msg(of < count, "PSN %06x was not asked for", pkt.psn);
		expect_part(&asked[of], number_in(&asked[of], pkt.psn), &frame, &pkt);
	}
	return packets;
}

void peer_let_others_send(bool others)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	peer.b.qp->row->respq.since = others ? (now.tv_sec + 60) * 1000000000ULL : 0;
}
