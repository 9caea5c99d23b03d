/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * RoCE v2 on the wire: transport headers and opcodes, for XDP programs and user space.
 *
 * Source: InfiniBand Architecture Specification volume 1, chapter 9 (transport headers, 9.2 to 9.4)
 * and annex A17 (RoCE v2); annex A19 for FLUSH and ATOMIC WRITE. All fields are big endian.
 */
#ifndef XRDMA_ABI_WIRE_H
#define XRDMA_ABI_WIRE_H

#include <linux/types.h>

#include "../opcode.h"
#include "../types.h"

#ifdef __cplusplus
extern "C" {
#define XRDMA_WIRE_ASSERT(cond, text) static_assert(cond, text)
#else
#define XRDMA_WIRE_ASSERT(cond, text) _Static_assert(cond, text)
#endif

/*
 * Alignment of headers. clang reads a packed struct byte by byte for BPF, which costs 20 to 30 ns a
 * packet. So XDP programs parse from a buffer with headers at multiples of four bytes. In user
 * space they may be at any address.
 */
#ifdef __bpf__
#define XRDMA_WIRE __attribute__((packed, aligned(4)))
#else
#define XRDMA_WIRE __attribute__((packed))
#endif

enum {
	XRDMA_UDP_PORT = 4791, /* A17.9: destination port of RoCE v2 */
	XRDMA_ICRC_LEN = 4,    /* follows the padded payload */
	/*
	 * A datagram's receive begins with so many bytes: the IPv6 header, or 20 zeros and the IPv4
	 * header (A17.4.5.2).
	 */
	XRDMA_GRH_LEN = 40,
};

/* Base transport header (9.2). */
struct xrdma_bth {
	__u8 opcode;
	__u8 flags; /* XRDMA_BTH_* */
	__be16 pkey;
	__be32 dest_qpn; /* FECN, BECN, 6 reserved bits, 24 bits of QPN */
	__be32 psn;	 /* AckReq, 7 reserved bits, 24 bits of PSN */
} XRDMA_WIRE;
XRDMA_WIRE_ASSERT(sizeof(struct xrdma_bth) == 12, "BTH has 12 bytes");

enum {
	XRDMA_BTH_SOLICITED = 0x80,
	XRDMA_BTH_MIGREQ = 0x40,
	XRDMA_BTH_PAD_SHIFT = 4,
	XRDMA_BTH_PAD_MASK = 0x30, /* number of bytes that pad the payload to a multiple of four */
	XRDMA_BTH_VERSION_MASK = 0x0f,
};
#define XRDMA_BTH_FECN	 0x80000000U /* of dest_qpn in host order */
#define XRDMA_BTH_BECN	 0x40000000U /* of dest_qpn in host order */
#define XRDMA_BTH_ACKREQ 0x80000000U /* of psn in host order */

/* RDMA extended transport header (9.3.3): WRITE, READ request, ATOMIC WRITE, FLUSH. */
struct xrdma_reth {
	__be64 va;
	__be32 rkey;
	__be32 length; /* of the whole message, in bytes */
} XRDMA_WIRE;
XRDMA_WIRE_ASSERT(sizeof(struct xrdma_reth) == 16, "RETH has 16 bytes");

/* Atomic extended transport header (9.3.4): CMP_SWAP, FETCH_ADD. */
struct xrdma_atomiceth {
	__be64 va;
	__be32 rkey;
	__be64 swap_add;
	__be64 compare;
} XRDMA_WIRE;
XRDMA_WIRE_ASSERT(sizeof(struct xrdma_atomiceth) == 28, "AtomicETH has 28 bytes");

/* ACK extended transport header (9.3.5). */
struct xrdma_aeth {
	__be32 syndrome_msn; /* 8 bits of syndrome, 24 bits of MSN */
} XRDMA_WIRE;
XRDMA_WIRE_ASSERT(sizeof(struct xrdma_aeth) == 4, "AETH has 4 bytes");

/* Atomic ACK extended transport header (9.3.5.4): the value before the operation. */
struct xrdma_atomicacketh {
	__be64 original;
} XRDMA_WIRE;
XRDMA_WIRE_ASSERT(sizeof(struct xrdma_atomicacketh) == 8, "AtomicAckETH has 8 bytes");

/* Immediate data (9.3.6). They are not changed, so their byte order is the application's. */
struct xrdma_immdt {
	__be32 data;
} XRDMA_WIRE;
XRDMA_WIRE_ASSERT(sizeof(struct xrdma_immdt) == 4, "ImmDt has 4 bytes");

/* Invalidate extended transport header (9.3.7). */
struct xrdma_ieth {
	__be32 rkey;
} XRDMA_WIRE;
XRDMA_WIRE_ASSERT(sizeof(struct xrdma_ieth) == 4, "IETH has 4 bytes");

/* Datagram extended transport header (9.3.2). */
struct xrdma_deth {
	__be32 qkey;
	__be32 src_qpn; /* 8 reserved bits, 24 bits of QPN */
} XRDMA_WIRE;
XRDMA_WIRE_ASSERT(sizeof(struct xrdma_deth) == 8, "DETH has 8 bytes");

/* Flush extended transport header (A19), between BTH and RETH. */
struct xrdma_feth {
	__be32 type; /* placement type in bits 0 to 3, selectivity in bits 4 and 5 */
} XRDMA_WIRE;
XRDMA_WIRE_ASSERT(sizeof(struct xrdma_feth) == 4, "FETH has 4 bytes");

/* AETH syndrome (9.7.5.2.1): the upper three bits are the kind, the lower five its value. */
enum {
	XRDMA_AETH_KIND_MASK = 0xe0,
	XRDMA_AETH_VALUE_MASK = 0x1f,
	XRDMA_AETH_ACK = 0x00,
	XRDMA_AETH_RNR_NAK = 0x20,
	XRDMA_AETH_NAK = 0x60,
	XRDMA_AETH_ACK_NO_CREDIT = 0x1f, /* an ACK without a valid credit count */
	XRDMA_AETH_NAK_PSN_SEQ = 0x60,
	XRDMA_AETH_NAK_INVALID_REQUEST = 0x61,
	XRDMA_AETH_NAK_REMOTE_ACCESS = 0x62,
	XRDMA_AETH_NAK_REMOTE_OPERATION = 0x63,
};

/* Extended headers of an opcode. The order of the bits is the order on the wire. */
enum {
	XRDMA_HDR_DETH = 1 << 0,
	XRDMA_HDR_FETH = 1 << 1,
	XRDMA_HDR_RETH = 1 << 2,
	XRDMA_HDR_ATOMICETH = 1 << 3,
	XRDMA_HDR_AETH = 1 << 4,
	XRDMA_HDR_ATOMICACKETH = 1 << 5,
	XRDMA_HDR_IMMDT = 1 << 6,
	XRDMA_HDR_IETH = 1 << 7,
};

/* Operation that a packet requests, or responds to. */
enum xrdma_op {
	XRDMA_OP_NONE, /* not an opcode */
	XRDMA_OP_SEND,
	XRDMA_OP_WRITE,
	XRDMA_OP_READ,
	XRDMA_OP_READ_RESPONSE,
	XRDMA_OP_ACK,
	XRDMA_OP_ATOMIC_ACK,
	XRDMA_OP_CMP_SWAP,
	XRDMA_OP_FETCH_ADD,
	XRDMA_OP_FLUSH,
	XRDMA_OP_ATOMIC_WRITE,
	XRDMA_OP_CNP,
};

/* Position of a packet in its message: FIRST begins one, LAST ends one, ONLY does both. */
enum xrdma_position {
	XRDMA_POSITION_MIDDLE = 0,
	XRDMA_POSITION_FIRST = 1,
	XRDMA_POSITION_LAST = 2,
	XRDMA_POSITION_ONLY = 3,
};

/* Payload of an opcode (9.4, and the length rules of 9.7.4.1.6). */
enum xrdma_payload {
	XRDMA_PAYLOAD_NONE,
	XRDMA_PAYLOAD_MTU,  /* exactly the path MTU */
	XRDMA_PAYLOAD_SOME, /* 1 byte to the path MTU */
	XRDMA_PAYLOAD_ANY,  /* 0 bytes to the path MTU */
	XRDMA_PAYLOAD_8,
	XRDMA_PAYLOAD_16,
};

/* Properties of a transport service (3.2.2, 9.7 to 9.8). */
enum {
	XRDMA_SERVICE_CONNECTED = 1 << 0, /* a queue pair accepts packets of one peer only */
	XRDMA_SERVICE_RELIABLE = 1 << 1,  /* packets are acknowledged */
};

/* The transport services. X(symbol, properties): XRDMA_TRANSPORT_<symbol>. */
#define XRDMA_SERVICES(X)                                       \
	X(RC, XRDMA_SERVICE_CONNECTED | XRDMA_SERVICE_RELIABLE) \
	X(UC, XRDMA_SERVICE_CONNECTED)                          \
	X(UD, 0)                                                \
	X(CNP, 0)

enum { XRDMA_TRANSPORT_CNP = 4 }; /* beside enum xrdma_transport */

/* Service and operation of an opcode: the upper three bits, and the lower five. */
enum { XRDMA_OPCODE_TRANSPORT_SHIFT = 5 };
#define XRDMA_OPCODE_TRANSPORT(opcode) ((opcode) >> XRDMA_OPCODE_TRANSPORT_SHIFT)

/* Properties of an opcode: one entry of the table in bpf/wire/opcode.h. */
struct xrdma_opcode_info {
	__u8 op;       /* enum xrdma_op; XRDMA_OP_NONE: not an opcode */
	__u8 position; /* enum xrdma_position */
	__u8 payload;  /* enum xrdma_payload */
	__u8 headers_len;
	__u16 headers; /* XRDMA_HDR_* */
	__u8 counter;  /* index in struct xrdma_opcode_counters */
	__u8 reserved;
};
XRDMA_WIRE_ASSERT(sizeof(struct xrdma_opcode_info) == 8, "the table is indexed by shift");

/*
 * Return the bytes of the extended headers in a set of XRDMA_HDR_*. For a constant set it is a
 * constant expression.
 */
/* clang-format off */
#define XRDMA_HEADERS_LEN(set)                      \
	(((set) & XRDMA_HDR_DETH ? 8 : 0) +         \
	 ((set) & XRDMA_HDR_FETH ? 4 : 0) +         \
	 ((set) & XRDMA_HDR_RETH ? 16 : 0) +        \
	 ((set) & XRDMA_HDR_ATOMICETH ? 28 : 0) +   \
	 ((set) & XRDMA_HDR_AETH ? 4 : 0) +         \
	 ((set) & XRDMA_HDR_ATOMICACKETH ? 8 : 0) + \
	 ((set) & XRDMA_HDR_IMMDT ? 4 : 0) +        \
	 ((set) & XRDMA_HDR_IETH ? 4 : 0))
/* clang-format on */

#undef XRDMA_WIRE_ASSERT
#ifdef __cplusplus
}
#endif
#endif
