/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What can become of a packet: the one list of verdicts, for the XDP programs, the counters and the tools.
 */
#ifndef XRDMA_VERDICT_H
#define XRDMA_VERDICT_H

#ifdef __cplusplus
extern "C" {
#endif

/* PASS: left to the kernel's network stack. DROP: consumed in silence. */
enum xrdma_action {
	XRDMA_ACTION_PASS,
	XRDMA_ACTION_DROP,
};

/* X(symbol, action, text) */
/* clang-format off */
#define XRDMA_VERDICTS(X)                                                                    \
	X(OK,          PASS, "well-formed")                                                  \
	X(NOT_ROCE,    PASS, "not a RoCE v2 packet")                                         \
	X(TRUNCATED,   DROP, "the frame ends before its IP packet does")                     \
	X(OVERSIZED,   DROP, "the IP packet is longer than any RoCE v2 packet")                      \
	X(FRAGMENT,    DROP, "IP fragment (A17.4.5: RoCE v2 packets are not fragmented)")    \
	X(IP_OPTIONS,  DROP, "IPv4 header with options (A17.4.5: the header has 5 words)")   \
	X(UDP_LENGTH,  DROP, "UDP length differs from that of the IP packet, or is too short") \
	X(BTH_VERSION, DROP, "transport header version is not 0")                            \
	X(SHORT,       DROP, "too short for the headers and the pad count of its opcode")    \
	X(LENGTH,      DROP, "payload length is wrong for the opcode")                       \
	X(PAD,         DROP, "pad count on a packet whose opcode allows none")               \
	X(ICRC,        DROP, "invariant CRC is wrong")
/* clang-format on */

enum xrdma_verdict {
#define X(symbol, action, text) XRDMA_V_##symbol,
	XRDMA_VERDICTS(X)
#undef X
		XRDMA_VERDICT_COUNT,
};

#ifdef __cplusplus
}
#endif
#endif
