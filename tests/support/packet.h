/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Build RoCE v2 frames field by field, so that a test can set each field, also to wrong values. */
#ifndef XRDMA_TESTS_PACKET_H
#define XRDMA_TESTS_PACKET_H

#include <linux/types.h>
#include <stddef.h>

enum { PACKET_MAX = 9216, PACKET_ID = 0xfffe, PACKET_SEGMENTS_MAX = 40, PACKET_SPORT = 0xc000 };

/*
 * Description of a packet. Zeroes mean: IPv4, no VLAN tag, opcode 0, empty. Addresses are 10.66.0.3
 * to 10.66.0.2, or fd66::3 to fd66::2.
 */
struct packet {
	int ip_version; /* 6; any other number means 4 */
	int vlan_tags;
	__u16 vlan; /* number in each tag; 0: a priority tag */
	__u8 opcode;
	__u8 bth_flags; /* the pad count is added */
	__u32 dest_qpn; /* with FECN and BECN */
	__u32 psn;	/* with AckReq */
	__u64 va;	/* for RETH and AtomicETH */
	__u32 key;
	__u32 length;
	__u64 swap_add;
	__u64 compare;
	__u32 syndrome_msn; /* for AETH */
	__u64 original;
	__u32 imm; /* for ImmDt, IETH and FETH */
	__u32 qkey;
	__u32 src_qpn;
	const void *payload; /* NULL: bytes 0, 1, 2, ... */
	size_t payload_len;
};

/*
 * Build P with all lengths, checksums and the ICRC right. Returns the length of the frame in BYTES.
 */
size_t packet_build(const struct packet *p, __u8 bytes[PACKET_MAX]);

/* Build a packet around the LEN bytes at BTH, including the ICRC at their end. */
size_t packet_wrap(int ip_version, const __u8 *bth, size_t len, __u8 bytes[PACKET_MAX]);

/*
 * Build one super packet of the COUNT packets at P: the headers of the first, with the lengths of
 * all, and one datagram after the other. Each datagram has the ICRC that it has with headers of its
 * own. The IPv4 identifications begin with PACKET_ID and are ID_STEP apart. Datagrams have an even
 * number of bytes.
 */
size_t packet_build_super(const struct packet *p, int count, int id_step, __u8 bytes[PACKET_MAX]);

struct packet_frame {
	__u8 bytes[PACKET_MAX];
	size_t len;
};

/* Join frames that are built already into one super packet with the headers of the first. */
size_t packet_join(const struct packet_frame *frames, int count, __u8 bytes[PACKET_MAX]);

/* Correct the ICRC and the IPv4 header checksum of a frame that was changed. */
void packet_seal(__u8 *bytes, size_t len);

#endif
