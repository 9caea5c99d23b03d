/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Opcodes of RoCE v2. A device has a counter for each. */
#ifndef XRDMA_OPCODE_H
#define XRDMA_OPCODE_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The opcodes (9.2.1, table 38; A17.9.3 for CNP; A19 for FLUSH and ATOMIC WRITE): X(symbol, number,
 * name, operation, part, payload, extended headers).
 */
#define XRDMA_OPCODES(X)                                                                           \
	X(RC_SEND_FIRST, 0x00, "RC SEND First", SEND, FIRST, MTU, 0)                               \
	X(RC_SEND_MIDDLE, 0x01, "RC SEND Middle", SEND, MIDDLE, MTU, 0)                            \
	X(RC_SEND_LAST, 0x02, "RC SEND Last", SEND, LAST, SOME, 0)                                 \
	X(RC_SEND_LAST_IMM, 0x03, "RC SEND Last with Immediate", SEND, LAST, SOME,                 \
	  XRDMA_HDR_IMMDT)                                                                         \
	X(RC_SEND_ONLY, 0x04, "RC SEND Only", SEND, ONLY, ANY, 0)                                  \
	X(RC_SEND_ONLY_IMM, 0x05, "RC SEND Only with Immediate", SEND, ONLY, ANY, XRDMA_HDR_IMMDT) \
	X(RC_WRITE_FIRST, 0x06, "RC RDMA WRITE First", WRITE, FIRST, MTU, XRDMA_HDR_RETH)          \
	X(RC_WRITE_MIDDLE, 0x07, "RC RDMA WRITE Middle", WRITE, MIDDLE, MTU, 0)                    \
	X(RC_WRITE_LAST, 0x08, "RC RDMA WRITE Last", WRITE, LAST, SOME, 0)                         \
	X(RC_WRITE_LAST_IMM, 0x09, "RC RDMA WRITE Last with Immediate", WRITE, LAST, SOME,         \
	  XRDMA_HDR_IMMDT)                                                                         \
	X(RC_WRITE_ONLY, 0x0a, "RC RDMA WRITE Only", WRITE, ONLY, ANY, XRDMA_HDR_RETH)             \
	X(RC_WRITE_ONLY_IMM, 0x0b, "RC RDMA WRITE Only with Immediate", WRITE, ONLY, ANY,          \
	  XRDMA_HDR_RETH | XRDMA_HDR_IMMDT)                                                        \
	X(RC_READ_REQUEST, 0x0c, "RC RDMA READ Request", READ, ONLY, NONE, XRDMA_HDR_RETH)         \
	X(RC_READ_RESPONSE_FIRST, 0x0d, "RC RDMA READ response First", READ_RESPONSE, FIRST, MTU,  \
	  XRDMA_HDR_AETH)                                                                          \
	X(RC_READ_RESPONSE_MIDDLE, 0x0e, "RC RDMA READ response Middle", READ_RESPONSE, MIDDLE,    \
	  MTU, 0)                                                                                  \
	X(RC_READ_RESPONSE_LAST, 0x0f, "RC RDMA READ response Last", READ_RESPONSE, LAST, SOME,    \
	  XRDMA_HDR_AETH)                                                                          \
	X(RC_READ_RESPONSE_ONLY, 0x10, "RC RDMA READ response Only", READ_RESPONSE, ONLY, ANY,     \
	  XRDMA_HDR_AETH)                                                                          \
	X(RC_ACK, 0x11, "RC Acknowledge", ACK, ONLY, NONE, XRDMA_HDR_AETH)                         \
	X(RC_ATOMIC_ACK, 0x12, "RC ATOMIC Acknowledge", ATOMIC_ACK, ONLY, NONE,                    \
	  XRDMA_HDR_AETH | XRDMA_HDR_ATOMICACKETH)                                                 \
	X(RC_CMP_SWAP, 0x13, "RC CmpSwap", CMP_SWAP, ONLY, NONE, XRDMA_HDR_ATOMICETH)              \
	X(RC_FETCH_ADD, 0x14, "RC FetchAdd", FETCH_ADD, ONLY, NONE, XRDMA_HDR_ATOMICETH)           \
	X(RC_SEND_LAST_INV, 0x16, "RC SEND Last with Invalidate", SEND, LAST, SOME,                \
	  XRDMA_HDR_IETH)                                                                          \
	X(RC_SEND_ONLY_INV, 0x17, "RC SEND Only with Invalidate", SEND, ONLY, ANY, XRDMA_HDR_IETH) \
	X(RC_FLUSH, 0x1c, "RC FLUSH", FLUSH, ONLY, NONE, XRDMA_HDR_FETH | XRDMA_HDR_RETH)          \
	X(RC_ATOMIC_WRITE, 0x1d, "RC ATOMIC WRITE", ATOMIC_WRITE, ONLY, 8, XRDMA_HDR_RETH)         \
	X(UC_SEND_FIRST, 0x20, "UC SEND First", SEND, FIRST, MTU, 0)                               \
	X(UC_SEND_MIDDLE, 0x21, "UC SEND Middle", SEND, MIDDLE, MTU, 0)                            \
	X(UC_SEND_LAST, 0x22, "UC SEND Last", SEND, LAST, SOME, 0)                                 \
	X(UC_SEND_LAST_IMM, 0x23, "UC SEND Last with Immediate", SEND, LAST, SOME,                 \
	  XRDMA_HDR_IMMDT)                                                                         \
	X(UC_SEND_ONLY, 0x24, "UC SEND Only", SEND, ONLY, ANY, 0)                                  \
	X(UC_SEND_ONLY_IMM, 0x25, "UC SEND Only with Immediate", SEND, ONLY, ANY, XRDMA_HDR_IMMDT) \
	X(UC_WRITE_FIRST, 0x26, "UC RDMA WRITE First", WRITE, FIRST, MTU, XRDMA_HDR_RETH)          \
	X(UC_WRITE_MIDDLE, 0x27, "UC RDMA WRITE Middle", WRITE, MIDDLE, MTU, 0)                    \
	X(UC_WRITE_LAST, 0x28, "UC RDMA WRITE Last", WRITE, LAST, SOME, 0)                         \
	X(UC_WRITE_LAST_IMM, 0x29, "UC RDMA WRITE Last with Immediate", WRITE, LAST, SOME,         \
	  XRDMA_HDR_IMMDT)                                                                         \
	X(UC_WRITE_ONLY, 0x2a, "UC RDMA WRITE Only", WRITE, ONLY, ANY, XRDMA_HDR_RETH)             \
	X(UC_WRITE_ONLY_IMM, 0x2b, "UC RDMA WRITE Only with Immediate", WRITE, ONLY, ANY,          \
	  XRDMA_HDR_RETH | XRDMA_HDR_IMMDT)                                                        \
	X(UD_SEND_ONLY, 0x64, "UD SEND only", SEND, ONLY, ANY, XRDMA_HDR_DETH)                     \
	X(UD_SEND_ONLY_IMM, 0x65, "UD SEND only with Immediate", SEND, ONLY, ANY,                  \
	  XRDMA_HDR_DETH | XRDMA_HDR_IMMDT)                                                        \
	X(CNP, 0x81, "CNP", CNP, ONLY, 16, 0)

enum xrdma_opcode {
#define X(symbol, number, ...) XRDMA_##symbol = number,
	XRDMA_OPCODES(X)
#undef X
};

#ifdef __cplusplus
}
#endif
#endif
