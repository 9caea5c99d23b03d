/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What can become of a packet: the one list of verdicts, for the XDP programs, the counters and the
 * tools.
 */
#ifndef XRDMA_VERDICT_H
#define XRDMA_VERDICT_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Of verdicts of DROP, CONTEXT and QPN are left to the stack where the kernel has an RDMA device on
 * the netdev. PASS: left to the kernel's network stack. DROP: consumed in silence. DONE: carried
 * out, acknowledged where the packet asks for it. AGAIN: acknowledged again, not carried out, but
 * for a READ. NAK: refused with the verdict's syndrome, and the queue pair is stopped (9.9.3).
 * LATER: refused with it, and carried out when it comes again.
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
 * X(symbol, action, syndrome of the NAK as XRDMA_AETH_*, text), in the order of the stages. Clauses
 * are of the InfiniBand Architecture Specification, volume 1, release 1.4.
 */
/* clang-format off */
#define XRDMA_VERDICTS(X)                                                                         \
	X(OK,             DONE,  ACK,                                                             \
	  "well-formed, carried out")                                                             \
	X(NOT_ROCE,       PASS,  ACK,                                                             \
	  "not a RoCE v2 packet")                                                                 \
	X(TRUNCATED,      DROP,  ACK,                                                             \
	  "the frame ends before its IP packet or its headers do")                                \
	X(OVERSIZED,      DROP,  ACK,                                                             \
	  "the IP packet is longer than any RoCE v2 packet")                                      \
	X(FRAGMENT,       DROP,  ACK,                                                             \
	  "IP fragment (A17.4.5: RoCE v2 packets are not fragmented)")                            \
	X(IPV4_OPTIONS,   DROP,  ACK,                                                             \
	  "IPv4 header with options (A17.4.5: the header has 5 words)")                           \
	X(UDP_LENGTH,     DROP,  ACK,                                                             \
	  "UDP length differs from that of the IP packet, or is too short")                       \
	X(BTH_VERSION,    DROP,  ACK,                                                             \
	  "transport header version is not 0")                                                    \
	X(SHORT,          DROP,  ACK,                                                             \
	  "too short for the headers and the pad count of its opcode")                            \
	X(NOT_OURS,       PASS,  ACK,                                                             \
	  "to an address that is not the device's")                                               \
	X(OTHER_MAC,      DROP,  ACK,                                                             \
	  "in a frame to another MAC address than the netdev's, or to many")                      \
	X(IPV4_CHECKSUM,  DROP,  ACK,                                                             \
	  "IPv4 header checksum is wrong (RFC 1122, 3.2.1.2)")                                    \
	X(ICRC,           DROP,  ACK,                                                             \
	  "invariant CRC is wrong")                                                               \
	X(CONTEXT,        DROP,  ACK,                                                             \
	  "no process has this queue pair, or it is gone")                                        \
	X(QPN,            DROP,  ACK,                                                             \
	  "no such queue pair (9.6.1)")                                                           \
	X(QP_STATE,       DROP,  ACK,                                                             \
	  "the queue pair does not receive in its state (9.6.1)")                                 \
	X(TRANSPORT,      DROP,  ACK,                                                             \
	  "opcode of another service than the queue pair's (9.6.1)")                              \
	X(SOURCE,         DROP,  ACK,                                                             \
	  "not between the addresses of the connection (9.6.1)")                                  \
	X(PKEY,           DROP,  ACK,                                                             \
	  "P_Key is not the queue pair's (9.6.1)")                                                \
	X(BUSY,           DROP,  ACK,                                                             \
	  "the queue pair was at work on another CPU for too long")                               \
	X(PSN_AHEAD,      LATER, NAK_PSN_SEQ,                                                     \
	  "PSN after the expected one: something was lost (9.7.5.2)")                             \
	X(PSN_WAITING,    DROP,  ACK,                                                             \
	  "PSN after the expected one, which was asked for before (9.7.5.2)")                     \
	X(DUPLICATE,      AGAIN, ACK,                                                             \
	  "seen before (9.7.5.1)")                                                                \
	X(OPCODE,         NAK,   NAK_INVALID_REQUEST,                                             \
	  "request that is not supported (9.7.4.1.5)")                                            \
	X(OPCODE_ORDER,   NAK,   NAK_INVALID_REQUEST,                                             \
	  "first, middle and last out of order (9.7.4.1)")                                        \
	X(LENGTH,         NAK,   NAK_INVALID_REQUEST,                                             \
	  "payload length is wrong for the opcode or the message (9.7.4.1.6)")                    \
	X(PAD,            NAK,   NAK_INVALID_REQUEST,                                             \
	  "pad count on a packet whose opcode allows none (9.7.4.1.6)")                           \
	X(QP_ACCESS,      NAK,   NAK_INVALID_REQUEST,                                             \
	  "the queue pair does not allow this operation (9.7.4.1.5)")                             \
	X(RD_ATOMIC,      NAK,   NAK_INVALID_REQUEST,                                             \
	  "the queue pair has no resources for READs and atomics (9.7.4.1.5)")                    \
	X(MISALIGNED,     NAK,   NAK_INVALID_REQUEST,                                             \
	  "atomic on a word that is not aligned to 8 bytes (9.4.5)")                              \
	X(KEY,            NAK,   NAK_REMOTE_ACCESS,                                               \
	  "no such key (9.7.4.1)")                                                                \
	X(KEY_STATE,      NAK,   NAK_REMOTE_ACCESS,                                               \
	  "the key is not valid at present (10.6.3)")                                             \
	X(KEY_PD,         NAK,   NAK_REMOTE_ACCESS,                                               \
	  "key of another protection domain (10.6.3)")                                            \
	X(KEY_QP,         NAK,   NAK_REMOTE_ACCESS,                                               \
	  "key of another queue pair (10.6.7)")                                                   \
	X(KEY_RIGHTS,     NAK,   NAK_REMOTE_ACCESS,                                               \
	  "the key does not allow this operation (10.6.3)")                                       \
	X(KEY_RANGE,      NAK,   NAK_REMOTE_ACCESS,                                               \
	  "beyond the key's range (9.7.4.1)")                                                     \
	X(RNR,            LATER, RNR_NAK,                                                         \
	  "no receive is posted (9.7.5.2.8)")                                                     \
	X(RECV_LENGTH,    NAK,   NAK_INVALID_REQUEST,                                             \
	  "message is longer than the receive that it takes (9.7.4.1.6)")                         \
	X(RECV_KEY,       NAK,   NAK_REMOTE_OPERATION,                                            \
	  "a key of the receive does not allow the access (9.7.5.2)")                             \
	X(INVALIDATE,     NAK,   NAK_REMOTE_ACCESS,                                               \
	  "the key is not one that the peer may invalidate (10.6.5)")                             \
	X(CQ_FULL,        LATER, RNR_NAK,                                                         \
	  "the completion queue has no room: as if no receive were posted")                       \
	X(HEAP,           NAK,   NAK_REMOTE_OPERATION,                                            \
	  "the key's row names memory that the heap has not")                                     \
	X(FIRST_BUFFER,   DROP,  ACK,                                                             \
	  "the frame's first buffer has no room for the headers of a reply")                      \
	X(ROOM,           NAK,   NAK_REMOTE_OPERATION,                                            \
	  "the frame of the READ has no room for the response: its requester does not pad it")    \
	X(NOT_KEPT,       DROP,  ACK,                                                             \
	  "duplicate of a READ or an atomic that was not made, or long ago (9.7.5.1)") \
	X(GONE,           DROP,  ACK,                                                             \
	  "duplicate of a READ that cannot be carried out again (9.7.5.1.2)")                     \
	X(ACKED,          DROP,  ACK,                                                             \
	  "acknowledgement, taken in (9.7.5.1)")                                                  \
	X(NAKED,          DROP,  ACK,                                                             \
	  "NAK, taken in (9.7.5.2)")                                                              \
	X(ACK_OLD,        DROP,  ACK,                                                             \
	  "acknowledges what was acknowledged before (9.7.5.1)")                                  \
	X(ACK_UNSENT,     DROP,  ACK,                                                             \
	  "acknowledges a request that was not sent (9.7.5.1)")                                   \
	X(SYNDROME,       DROP,  ACK,                                                             \
	  "reserved syndrome (9.7.5.2.1)")                                                        \
	X(RESPONSE,       DROP,  ACK,                                                             \
	  "response that nobody asked for")                                                       \
	X(RESPONSE_AHEAD, DROP,  ACK,                                                             \
	  "responds to what came after a READ whose response was lost (9.7.5.1)")                 \
	X(RESPONSE_BAD,   DROP,  ACK,                                                             \
	  "response to a READ, but not the one that was asked for: stops the queue pair (9.9.2)") \
	X(RESPONSE_KEY,   DROP,  ACK,                                                             \
	  "a key of the READ's memory does not allow the access: stops the queue pair (9.9.2)")   \
	X(PLACED,         DROP,  ACK,                                                             \
	  "response to a READ, placed")                                                           \
	X(RESPONSE_LENGTH,DROP,  ACK,                                                             \
	  "response whose payload length or pad count is wrong for its opcode")
/* clang-format on */

enum xrdma_verdict {
#define X(symbol, ...) XRDMA_V_##symbol,
	XRDMA_VERDICTS(X)
#undef X
		XRDMA_VERDICT_COUNT,
};

#ifdef __cplusplus
}
#endif
#endif
