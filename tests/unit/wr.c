// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Compare the table of work requests (user/lib/wr.c) with the table of opcodes. */
#include <stdbool.h>

#include "lib/opcode.h"
#include "lib/wr.h"
#include "support/test.h"

enum { OPCODES = 64 };

static const struct xrdma_opcode_info *packet_of(__u8 transport, unsigned int opcode,
						 enum xrdma_position position)
{
	return xrdma_opcode_info(xrdma_wr_packet(xrdma_wr_info(opcode), transport, position));
}

static const struct xrdma_opcode_info *packet(unsigned int opcode, enum xrdma_position position)
{
	return packet_of(XRDMA_TRANSPORT_RC, opcode, position);
}

static bool is_one(unsigned int opcode)
{
	return xrdma_wr_info(opcode)->services;
}

static bool is_local(unsigned int opcode)
{
	return xrdma_wr_info(opcode)->flags & XRDMA_WRF_LOCAL;
}

static bool fetches(unsigned int opcode)
{
	return xrdma_wr_info(opcode)->flags & XRDMA_WRF_FETCHES;
}

/* A request that fetches nothing is a message, with a first packet, and so on. */
Test(wr, packets_are_of_one_operation)
{
	int count = 0;

	for (unsigned int opcode = 0; opcode < OPCODES; opcode++) {
		count += is_one(opcode);
		for (int at = 0; is_one(opcode) && !is_local(opcode) && at < 4; at++) {
			const struct xrdma_opcode_info *info = packet(opcode, at);

			expect_int(info->op, ==, packet(opcode, XRDMA_POSITION_ONLY)->op);
			expect_int(info->position, ==, fetches(opcode) ? XRDMA_POSITION_ONLY : at);
		}
	}
	expect_int(count, ==, 11);
}

/*
 * IBA 9.2, table of opcodes: a service supports a request if it has an opcode for a message of one
 * packet.
 */
Test(wr, services_have_the_opcodes)
{
	const __u8 transports[] = { XRDMA_TRANSPORT_RC, XRDMA_TRANSPORT_UC, XRDMA_TRANSPORT_UD };

	for (unsigned int opcode = 0; opcode < OPCODES; opcode++) {
		for (int i = 0; is_one(opcode) && !is_local(opcode) && i < 3; i++) {
			const __u8 transport = transports[i], only = XRDMA_POSITION_ONLY;
			const __u8 op = xrdma_wr_info(opcode)->services & 1 << transport
						? packet(opcode, only)->op
						: XRDMA_OP_NONE;

			expect_int(packet_of(transport, opcode, only)->op, ==, op);
		}
	}
}

/* ibv_post_send(3): UC queue pairs can bind windows and invalidate keys, UD queue pairs cannot. */
Test(wr, services_of_requests_without_packets)
{
	const __u16 connected = 1 << XRDMA_TRANSPORT_RC | 1 << XRDMA_TRANSPORT_UC;

	expect_int(xrdma_wr_info(XRDMA_WR_LOCAL_INV)->services, ==, connected);
	expect_int(xrdma_wr_info(XRDMA_WR_BIND_MW)->services, ==, connected);
	expect_int(xrdma_wr_info(XRDMA_WR_DRIVER1)->services, ==, 1 << XRDMA_TRANSPORT_RC);
}

/* IBA 9.4: only READs and atomics have data in their responses. */
Test(wr, what_fetches)
{
	for (unsigned int opcode = 0; opcode < OPCODES; opcode++) {
		__u8 op = packet(opcode, XRDMA_POSITION_ONLY)->op;
		bool atomic = op == XRDMA_OP_CMP_SWAP || op == XRDMA_OP_FETCH_ADD;

		if (!is_one(opcode) || is_local(opcode))
			continue;
		expect_int(!(xrdma_wr_info(opcode)->flags & XRDMA_WRF_ATOMIC), ==, !atomic);
		expect_int(fetches(opcode), ==, atomic || op == XRDMA_OP_READ);
		expect(!fetches(opcode) || !(xrdma_wr_info(opcode)->flags & XRDMA_WRF_INLINE));
	}
}

/* IBA 9.2.3: SENDs and WRITEs with immediate complete a receive. */
Test(wr, what_completes_a_receive)
{
	for (unsigned int opcode = 0; opcode < OPCODES; opcode++) {
		const struct xrdma_opcode_info *last = packet(opcode, XRDMA_POSITION_LAST);
		bool completes = last->op == XRDMA_OP_SEND || last->headers & XRDMA_HDR_IMMDT;

		if (is_one(opcode) && !is_local(opcode))
			expect_int(!(xrdma_wr_info(opcode)->flags & XRDMA_WRF_SOLICITS), ==,
				   !completes);
	}
}

/*
 * Other numbers of enum ibv_wr_opcode are not supported, and neither are numbers that it does not
 * have.
 */
Test(wr, others_are_none)
{
	const unsigned int none[] = { 10, 12, 13, 1000, -1 };

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		expect_int(xrdma_wr_info(none[i])->services, ==, 0);
}

Test(wr, packets_of_a_message)
{
	enum { MTU = 256 };
	const __u32 lengths[][2] = {
		{ 0, 1 }, { 1, 1 }, { MTU, 1 }, { MTU + 1, 2 }, { 4 * MTU, 4 }
	};

	for (int i = 0; i < 5; i++)
		expect_msg(xrdma_wr_packets(XRDMA_WR_SEND, lengths[i][0], MTU) == lengths[i][1],
			   "%u bytes", lengths[i][0]);
	expect_int(xrdma_wr_packets(XRDMA_WR_SEND, 0x80000000, 4096), ==, 0x80000);
}
