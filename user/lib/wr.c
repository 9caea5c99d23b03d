// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "lib/wr.h"

#define REQUEST(symbol, packets_, completes_, flags_, right_, services_) \
	[XRDMA_WR_##symbol] = {                                          \
		.packets = packets_,                                     \
		.completes = XRDMA_WC_##completes_,                      \
		.flags = flags_,                                         \
		.right = XRDMA_ACCESS_##right_,                          \
		.services = services_,                                   \
	}

/*
 * Operations of a message by position: the lower five bits are the same for all services. END
 * distinguishes the opcodes of the last packet.
 */
#define MESSAGE(op, END)                                           \
	{                                                          \
		[XRDMA_POSITION_MIDDLE] = XRDMA_RC_##op##_MIDDLE,  \
		[XRDMA_POSITION_FIRST] = XRDMA_RC_##op##_FIRST,    \
		[XRDMA_POSITION_LAST] = XRDMA_RC_##op##_LAST##END, \
		[XRDMA_POSITION_ONLY] = XRDMA_RC_##op##_ONLY##END, \
	}

/* Operations of READs and atomics, the same at each position. */
#define EACH(op)                                                           \
	{                                                                  \
		XRDMA_RC_##op, XRDMA_RC_##op, XRDMA_RC_##op, XRDMA_RC_##op \
	}

/* Requests without packets. */
#define NONE      \
	{         \
		0 \
	}

enum {
	SENDS = XRDMA_WRF_INLINE | XRDMA_WRF_SOLICITS,
	ATOMIC = XRDMA_WRF_FETCHES | XRDMA_WRF_ATOMIC,
	XRDMA_ACCESS_NOTHING = 0,
	RC = 1 << XRDMA_TRANSPORT_RC,
	CONNECTED = RC | 1 << XRDMA_TRANSPORT_UC,
	ALL = CONNECTED | 1 << XRDMA_TRANSPORT_UD,
};

/* Services are from IBA 9.2 and ibv_post_send(3). */
/* clang-format off */
static const struct xrdma_wr_info infos[] = {
	REQUEST(RDMA_WRITE, MESSAGE(WRITE, ), RDMA_WRITE, XRDMA_WRF_INLINE, WRITE, CONNECTED),
	REQUEST(RDMA_WRITE_WITH_IMM, MESSAGE(WRITE, _IMM), RDMA_WRITE, SENDS, WRITE, CONNECTED),
	REQUEST(SEND, MESSAGE(SEND, ), SEND, SENDS, SEND, ALL),
	REQUEST(SEND_WITH_IMM, MESSAGE(SEND, _IMM), SEND, SENDS, SEND, ALL),
	REQUEST(RDMA_READ, EACH(READ_REQUEST), RDMA_READ, XRDMA_WRF_FETCHES, READ, RC),
	REQUEST(ATOMIC_CMP_AND_SWP, EACH(CMP_SWAP), COMP_SWAP, ATOMIC, READ, RC),
	REQUEST(ATOMIC_FETCH_AND_ADD, EACH(FETCH_ADD), FETCH_ADD, ATOMIC, READ, RC),
	REQUEST(LOCAL_INV, NONE, LOCAL_INV, XRDMA_WRF_LOCAL, NOTHING, CONNECTED),
	REQUEST(BIND_MW, NONE, BIND_MW, XRDMA_WRF_LOCAL, NOTHING, CONNECTED),
	REQUEST(DRIVER1, NONE, DRIVER1, XRDMA_WRF_LOCAL | XRDMA_WRF_INLINE, NOTHING, RC),
	REQUEST(SEND_WITH_INV, MESSAGE(SEND, _INV), SEND, SENDS, SEND, RC),
};
/* clang-format on */

const struct xrdma_wr_info *xrdma_wr_info(unsigned int opcode)
{
	static const struct xrdma_wr_info none;

	return opcode < sizeof(infos) / sizeof(infos[0]) ? &infos[opcode] : &none;
}

__u64 xrdma_wr_packets(unsigned int opcode, __u32 length, __u16 mtu)
{
	if (xrdma_wr_info(opcode)->flags & XRDMA_WRF_LOCAL)
		return 0;
	return length ? ((__u64)length + mtu - 1) / mtu : 1;
}
