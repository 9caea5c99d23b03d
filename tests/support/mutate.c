// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mutate.h"

#include <endian.h>
#include <string.h>

#include <xrdma/opcode.h>

enum {
	ETH_LEN = 14,
	IPV4_LEN = 20,
	IPV6_LEN = 40,
	UDP_LEN = 8,
	BTH_LEN = 12,
	ICRC_LEN = 4,
	PKEY_AT = 2, /* in the BTH */
	QPN_AT = 5,
	PSN_AT = 9,
	KEY_AT = 8, /* in a RETH or an AtomicETH */
	LENGTH_AT = 12,
	LONGEST = 4400,
};

static __u64 state;

void mutate_seed(__u64 seed)
{
	state = seed * 0x9e3779b97f4a7c15 | 1;
}

/* Returns a random number (Marsaglia's xorshift64*). */
static __u64 next(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1d;
}

__u32 mutate_random(__u32 below)
{
	return (next() >> 32) % below;
}

bool mutate_chance(__u32 once)
{
	return !mutate_random(once);
}

void mutate_put(__u8 *at, int size, __u64 value)
{
	for (int i = size - 1; i >= 0; i--, value >>= 8)
		at[i] = value;
}

size_t mutate_bth_at(const __u8 *frame)
{
	return ETH_LEN + (frame[ETH_LEN] >> 4 == 6 ? IPV6_LEN : IPV4_LEN) + UDP_LEN;
}

/* Returns one of VALUES, a number next to it, or any number. */
static __u64 value_of(const struct mutate_values *values)
{
	static const __u64 edges[] = { 0, 1, -1, 0x7fffffff, 0x80000000, 0xffffffff };

	switch (mutate_random(4)) {
	case 0:
		return next();
	case 1:
		return edges[mutate_random(sizeof(edges) / sizeof(*edges))];
	default:
		return values->all[mutate_random(values->count)] + mutate_random(3) - 1;
	}
}

static void change_bit(__u8 *frame, size_t len)
{
	size_t at = mutate_bth_at(frame);

	frame[at + mutate_random(len - at)] ^= 1 << mutate_random(8);
}

static void change_byte(__u8 *frame, size_t len)
{
	size_t at = mutate_bth_at(frame);

	frame[at + mutate_random(len - at)] = next();
}

static void change_opcode(__u8 *frame)
{
	__u8 *bth = frame + mutate_bth_at(frame);

	*bth = mutate_chance(4) ? next() : mutate_random(XRDMA_RC_SEND_ONLY_INV + 1);
}

/* Change the flags: solicited, migration, pad count and version. */
static void change_flags(__u8 *frame)
{
	frame[mutate_bth_at(frame) + 1] ^= mutate_chance(2) ? mutate_random(4) << 4 : next();
}

/* Cut off bytes at the end, or add some. The lengths are adjusted, or not. */
static size_t change_length(__u8 *frame, size_t len)
{
	const size_t bth_at = mutate_bth_at(frame), before = len;
	const bool v6 = frame[ETH_LEN] >> 4 == 6;

	len = mutate_chance(2) ? bth_at + mutate_random(64) : len - 32 + 4 * mutate_random(17);
	len = len < bth_at ? bth_at : len > LONGEST ? LONGEST : len;
	if (len > before)
		memset(frame + before, 0x5a, len - before);
	if (mutate_chance(8))
		return len;
	mutate_put(frame + bth_at - 4, 2, len - bth_at + UDP_LEN);
	mutate_put(frame + ETH_LEN + (v6 ? 4 : 2), 2, v6 ? len - bth_at + UDP_LEN : len - ETH_LEN);
	return len;
}

/* Change the address in a RETH to the start of the message's memory or, as often, to its end. */
static void change_address(__u8 *header, const struct mutate_likely *likely)
{
	__be32 length;

	memcpy(&length, header + LENGTH_AT, sizeof(length));
	mutate_put(header, 8,
		   value_of(&likely->addresses) - (mutate_chance(2) ? be32toh(length) : 0));
}

static size_t change_field(__u8 *frame, size_t len, const struct mutate_likely *likely)
{
	__u8 *bth = frame + mutate_bth_at(frame), *header = bth + BTH_LEN;

	switch (mutate_random(11)) {
	case 0:
		change_bit(frame, len);
		break;
	case 1:
		change_byte(frame, len);
		break;
	case 2:
		change_opcode(frame);
		break;
	case 3:
		change_flags(frame);
		break;
	case 4:
		mutate_put(bth + PKEY_AT, 2, mutate_chance(2) ? 0x7fff : next());
		break;
	case 5:
		mutate_put(bth + QPN_AT, 3, value_of(&likely->qpns));
		break;
	case 6:
		mutate_put(bth + PSN_AT, 3, value_of(&likely->psns));
		break;
	case 7:
		change_address(header, likely);
		break;
	case 8:
		mutate_put(header + KEY_AT, 4, value_of(&likely->keys));
		break;
	case 9:
		mutate_put(header + LENGTH_AT, 4, value_of(&likely->lengths));
		break;
	default:
		return change_length(frame, len);
	}
	return len;
}

/* Change the Ethernet, IP or UDP header. */
static void change_below(__u8 *frame)
{
	frame[mutate_random(mutate_bth_at(frame))] ^= 1 << mutate_random(8);
}

size_t mutate(__u8 frame[PACKET_MAX], size_t len, const struct mutate_likely *likely)
{
	const size_t least = mutate_bth_at(frame) + BTH_LEN;

	for (int more = 1 + mutate_random(3); more && len >= least; more--)
		len = change_field(frame, len, likely);
	if (len >= least && !mutate_chance(32))
		packet_seal(frame, len);
	if (mutate_chance(16))
		change_below(frame);
	return len;
}
