/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Random changes of RoCE v2 frames, which depend only on the seed. */
#ifndef XRDMA_TESTS_MUTATE_H
#define XRDMA_TESTS_MUTATE_H

#include <stdbool.h>

#include "packet.h"

enum { MUTATE_VALUES_MAX = 16 };

/* Likely new values of a field; their neighbours are likely, too. */
struct mutate_values {
	__u64 all[MUTATE_VALUES_MAX];
	int count;
};

struct mutate_likely {
	struct mutate_values qpns, psns, keys, addresses, lengths;
};

void mutate_seed(__u64 seed);

/* Returns a random number below BELOW, or true once in ONCE calls. */
__u32 mutate_random(__u32 below);
bool mutate_chance(__u32 once);

/* Returns the offset of the BTH in a frame without VLAN tags. */
size_t mutate_bth_at(const __u8 *frame);

/* Write the SIZE low bytes of VALUE at AT, in the byte order of the wire. */
void mutate_put(__u8 *at, int size, __u64 value);

/*
 * Make one to three changes to FRAME, a valid frame of LEN bytes, and usually correct its
 * checksums. Returns its new length.
 */
size_t mutate(__u8 frame[PACKET_MAX], size_t len, const struct mutate_likely *likely);

#endif
