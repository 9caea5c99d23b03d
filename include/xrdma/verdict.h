/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Verdicts: the outcomes of a packet. The XDP programs, the counters and the tools share this list.
 */
#ifndef XRDMA_VERDICT_H
#define XRDMA_VERDICT_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Action on a packet.
 *
 * PASS: the kernel's network stack gets it. DROP: it is discarded silently. Packets with the
 * verdicts CONTEXT and QPN pass to the stack instead if the kernel has an RDMA device on the
 * netdev. DONE: it is executed, and acknowledged if it asks for that. AGAIN: it is acknowledged
 * again, but not executed, unless it is a READ. NAK: it is refused with the verdict's syndrome, and
 * the queue pair stops (9.9.3). LATER: it is refused with the syndrome, and executed when it comes
 * again.
 *
 * Services that are not reliable drop packets with AGAIN, NAK or LATER (9.8).
 */
enum xrdma_action {
	XRDMA_ACTION_PASS,
	XRDMA_ACTION_DROP,
	XRDMA_ACTION_DONE,
	XRDMA_ACTION_AGAIN,
	XRDMA_ACTION_NAK,
	XRDMA_ACTION_LATER,
};

/*
 * The verdicts: X(number, symbol, action, syndrome of the NAK as XRDMA_AETH_*, text). Rows and
 * completions contain the numbers, so they do not change. Add a new verdict with the next number,
 * at the end. Clauses are those of the InfiniBand Architecture Specification, volume 1, release
 * 1.4.
 */
/* clang-format off */
#define XRDMA_VERDICTS(X)                                                                         \
	X(0,  OK,              DONE,  ACK,                                                        \
	  "well-formed, executed")                                                             \
	X(1,  NOT_ROCE,        PASS,  ACK,                                                        \
	  "not a RoCE v2 packet")                                                                 \
	X(2,  TRUNCATED,       DROP,  ACK,                                                        \
	  "the frame ends before its IP packet or its headers do")                                \
	X(3,  OVERSIZED,       DROP,  ACK,                                                        \
	  "the IP packet is longer than any RoCE v2 packet")                                      \
	X(4,  FRAGMENT,        DROP,  ACK,                                                        \
	  "IP fragment (A17.4.5: RoCE v2 packets are not fragmented)")                            \
	X(5,  IPV4_OPTIONS,    DROP,  ACK,                                                        \
	  "IPv4 header with options (A17.4.5: the header has 5 words)")                           \
	X(6,  UDP_LENGTH,      DROP,  ACK,                                                        \
	  "UDP length differs from that of the IP packet, or is too short")                       \
	X(7,  BTH_VERSION,     DROP,  ACK,                                                        \
	  "transport header version is not 0")                                                    \
	X(8,  SHORT,           DROP,  ACK,                                                        \
	  "too short for the headers and the pad count of its opcode")                            \
	X(9,  NOT_OURS,        PASS,  ACK,                                                        \
	  "to an address that is not the device's")                                               \
	X(10, OTHER_MAC,       PASS,  ACK,                                                        \
	  "in a frame to another MAC address than the netdev's, or to many")                      \
	X(11, IPV4_CHECKSUM,   DROP,  ACK,                                                        \
	  "IPv4 header checksum is wrong (RFC 1122, 3.2.1.2)")                                    \
	X(12, ICRC,            DROP,  ACK,                                                        \
	  "invariant CRC is wrong")                                                               \
	X(13, CONTEXT,         DROP,  ACK,                                                        \
	  "no process has this queue pair, or it is gone")                                        \
	X(14, QPN,             DROP,  ACK,                                                        \
	  "no such queue pair (9.6.1)")                                                           \
	X(15, QP_STATE,        DROP,  ACK,                                                        \
	  "the queue pair does not receive in its state (9.6.1)")                                 \
	X(16, TRANSPORT,       DROP,  ACK,                                                        \
	  "opcode of another service than the queue pair's (9.6.1)")                              \
	X(17, SOURCE,          DROP,  ACK,                                                        \
	  "not between the addresses and ports of the connection (9.6.1)")                        \
	X(18, PKEY,            DROP,  ACK,                                                        \
	  "P_Key is not the queue pair's (9.6.1)")                                                \
	X(19, BUSY,            DROP,  ACK,                                                        \
	  "the queue pair was at work on another CPU for too long")                               \
	X(20, PSN_AHEAD,       LATER, NAK_PSN_SEQ,                                                \
	  "PSN after the expected one: something was lost (9.7.5.2)")                             \
	X(21, PSN_WAITING,     DROP,  ACK,                                                        \
	  "PSN after the expected one, which was asked for before (9.7.5.2)")                     \
	X(22, DUPLICATE,       AGAIN, ACK,                                                        \
	  "seen before (9.7.5.1)")                                                                \
	X(23, OPCODE,          NAK,   NAK_INVALID_REQUEST,                                        \
	  "request that is not supported (9.7.4.1.5)")                                            \
	X(24, OPCODE_ORDER,    NAK,   NAK_INVALID_REQUEST,                                        \
	  "first, middle and last out of order (9.7.4.1)")                                        \
	X(25, LENGTH,          NAK,   NAK_INVALID_REQUEST,                                        \
	  "payload length is wrong for the opcode or the message (9.7.4.1.6)")                    \
	X(26, PAD,             NAK,   NAK_INVALID_REQUEST,                                        \
	  "pad count on a packet whose opcode allows none (9.7.4.1.6)")                           \
	X(27, QP_ACCESS,       NAK,   NAK_INVALID_REQUEST,                                        \
	  "the queue pair does not allow this operation (9.7.4.1.5)")                             \
	X(28, RD_ATOMIC,       NAK,   NAK_INVALID_REQUEST,                                        \
	  "the queue pair has no resources for READs and atomics (9.7.4.1.5)")                    \
	X(29, MISALIGNED,      NAK,   NAK_INVALID_REQUEST,                                        \
	  "atomic on a word that is not aligned to 8 bytes, or not in one piece (9.4.5)")         \
	X(30, KEY,             NAK,   NAK_REMOTE_ACCESS,                                          \
	  "no such key (9.7.4.1)")                                                                \
	X(31, KEY_STATE,       NAK,   NAK_REMOTE_ACCESS,                                          \
	  "the key is not valid at present (10.6.3)")                                             \
	X(32, KEY_PD,          NAK,   NAK_REMOTE_ACCESS,                                          \
	  "key of another protection domain (10.6.3)")                                            \
	X(33, KEY_QP,          NAK,   NAK_REMOTE_ACCESS,                                          \
	  "key of another queue pair (10.6.7)")                                                   \
	X(34, KEY_RIGHTS,      NAK,   NAK_REMOTE_ACCESS,                                          \
	  "the key does not allow this operation (10.6.3)")                                       \
	X(35, KEY_RANGE,       NAK,   NAK_REMOTE_ACCESS,                                          \
	  "beyond the key's range (9.7.4.1)")                                                     \
	X(36, RNR,             LATER, RNR_NAK,                                                    \
	  "no receive is posted (9.7.5.2.8)")                                                     \
	X(37, RECV_LENGTH,     NAK,   NAK_INVALID_REQUEST,                                        \
	  "message is longer than the receive that it takes (9.7.4.1.6)")                         \
	X(38, RECV_KEY,        NAK,   NAK_REMOTE_OPERATION,                                       \
	  "a key of the receive does not allow the access (9.7.5.2)")                             \
	X(39, INVALIDATE,      NAK,   NAK_REMOTE_ACCESS,                                          \
	  "the key is not one that the peer may invalidate (10.6.5)")                             \
	X(40, CQ_FULL,         LATER, RNR_NAK,                                                    \
	  "the completion queue has no room: as if no receive were posted")                       \
	X(41, HEAP,            NAK,   NAK_REMOTE_OPERATION,                                       \
	  "the key's row names memory that the heap has not")                                     \
	X(42, ROOM,            DROP,  ACK,                                                        \
	  "the frame, or its first buffer, has no room for the reply and cannot get it")          \
	X(43, DEFERRED,        PASS,  ACK,                                                        \
	  "deferred to the program at tc, whose verdict is counted too") \
	X(44, NOT_KEPT,        DROP,  ACK,                                                        \
	  "duplicate of a READ or an atomic that was not made, or long ago (9.7.5.1)") \
	X(45, GONE,            DROP,  ACK,                                                        \
	  "duplicate of a READ that cannot be executed again (9.7.5.1.2)")                     \
	X(46, ACKED,           DROP,  ACK,                                                        \
	  "acknowledgement, taken in (9.7.5.1)")                                                  \
	X(47, NAKED,           DROP,  ACK,                                                        \
	  "NAK, taken in (9.7.5.2)")                                                              \
	X(48, ACK_OLD,         DROP,  ACK,                                                        \
	  "acknowledges what was acknowledged before (9.7.5.1)")                                  \
	X(49, ACK_UNSENT,      DROP,  ACK,                                                        \
	  "acknowledges a request that was not sent (9.7.5.1)")                                   \
	X(50, SYNDROME,        DROP,  ACK,                                                        \
	  "reserved syndrome (9.7.5.2.1)")                                                        \
	X(51, RESPONSE,        DROP,  ACK,                                                        \
	  "response that nobody asked for")                                                       \
	X(52, RESPONSE_AHEAD,  DROP,  ACK,                                                        \
	  "responds to what came after a READ whose response was lost (9.7.5.1)")                 \
	X(53, RESPONSE_BAD,    DROP,  ACK,                                                        \
	  "response to a READ, but not the one that was asked for: stops the queue pair (9.9.2)") \
	X(54, RESPONSE_KEY,    DROP,  ACK,                                                        \
	  "a key of the READ's memory does not allow the access: stops the queue pair (9.9.2)")   \
	X(55, PLACED,          DROP,  ACK,                                                        \
	  "response to a READ, placed")                                                           \
	X(56, RESPONSE_LENGTH, DROP,  ACK,                                                        \
	  "response whose payload length or pad count is wrong for its opcode")                   \
	X(57, LAYOUT_KEY,      NAK,   NAK_REMOTE_ACCESS,                                          \
	  "a key in the mkey's layout does not allow the access (mlx5dv_wr_mkey_configure)")      \
	X(58, LAYOUT,          NAK,   NAK_REMOTE_OPERATION,                                       \
	  "the mkey's layout cannot have been configured like this")                              \
	X(59, TRANSFORM,       NAK,   NAK_REMOTE_OPERATION,                                       \
	  "the mkey signs or encrypts, which only its process can do")       \
	X(60, FAULT,           LATER, RNR_NAK,                                                    \
	  "no memory is known there: the process is asked for it (fi_mr, FI_MR_ALLOCATED)")       \
	X(61, RESPONSE_FAULT,  DROP,  ACK,                                                        \
	  "response to a READ: no memory is known there, the process is asked for it")            \
	X(62, VLAN,            PASS,  ACK,                                                        \
	  "of a VLAN: for that VLAN's netdev")                                                    \
	X(63, STORM,           DROP,  ACK,                                                        \
	  "right after thousands whose PSNs were wrong: somebody may be trying them all")         \
	X(64, PAUSED,          LATER, RNR_NAK,                                                    \
	  "the process is being forked, and has its memory to itself meanwhile")                  \
	X(65, PAUSED_LOST,     DROP,  ACK,                                                        \
	  "for a process that is being forked: a response with data, or a request after long")    \
	X(66, QKEY,            DROP,  ACK,                                                        \
	  "Q_Key is not the queue pair's")
/* clang-format on */

enum xrdma_verdict {
#define X(number, symbol, ...) XRDMA_V_##symbol = number,
	XRDMA_VERDICTS(X)
#undef X
};

enum {
#define X(number, ...) +1
	XRDMA_VERDICT_COUNT = 0 XRDMA_VERDICTS(X)
#undef X
};

#ifdef __cplusplus
}
#endif
#endif
