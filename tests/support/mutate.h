/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* RoCE v2 frames that are changed at random: the same way each time after the same seed. */
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

/* A number below BELOW; whether something happens that does ONCE in so many times. */
__u32 mutate_random(__u32 below);
bool mutate_chance(__u32 once);

/* Where the BTH is in a frame without VLAN tags. */
size_t mutate_bth_at(const __u8 *frame);

/* Write the SIZE low bytes of VALUE, as they stand on the wire, at AT. */
void mutate_put(__u8 *at, int size, __u64 value);

/*
 * Change something about FRAME of LEN bytes, which is whole, one to three times, and most often
 * make its checksums right afterwards. Returns its new length.
 */
size_t mutate(__u8 frame[PACKET_MAX], size_t len, const struct mutate_likely *likely);

#endif
