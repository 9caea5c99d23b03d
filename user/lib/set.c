// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "lib/set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static __u32 words_for(__u32 bits)
{
	return bits / 64 + (bits % 64 != 0);
}

static void fill(__u64 *words, __u32 bits)
{
	memset(words, 0xff, bits / 64 * sizeof(*words));
	if (bits % 64)
		words[bits / 64] = (1ULL << bits % 64) - 1;
}

int xrdma_set_init(struct xrdma_set *set, __u32 bound, bool full)
{
	__u32 bits = bound;

	*set = (struct xrdma_set){ .bound = bound };
	do {
		__u64 *words = calloc(words_for(bits), sizeof(*words));

		if (!words) {
			xrdma_set_exit(set);
			return -ENOMEM;
		}
		if (full)
			fill(words, bits);
		set->levels[set->depth++] = words;
		bits = words_for(bits);
	} while (bits > 1);
	return 0;
}

void xrdma_set_exit(struct xrdma_set *set)
{
	for (__u32 level = 0; level < set->depth; level++)
		free(set->levels[level]);
	set->depth = 0;
}

/* Add NUMBER: set bits up to the first word that had a member before. */
void xrdma_set_add(struct xrdma_set *set, __u32 number)
{
	for (__u32 level = 0; level < set->depth; level++, number /= 64) {
		__u64 *word = &set->levels[level][number / 64], before = *word;

		*word |= 1ULL << number % 64;
		if (before)
			return;
	}
}

/* Remove NUMBER: clear bits up to the first word that still has a member. */
void xrdma_set_remove(struct xrdma_set *set, __u32 number)
{
	for (__u32 level = 0; level < set->depth; level++, number /= 64) {
		__u64 *word = &set->levels[level][number / 64];

		*word &= ~(1ULL << number % 64);
		if (*word)
			return;
	}
}

/* Go up while all members are smaller, and then down to the first one. */
__u32 xrdma_set_next(const struct xrdma_set *set, __u32 from)
{
	__u64 at = from, bits, bound = set->bound;

	for (__u32 level = 0; level < set->depth && at < bound; level++) {
		bits = set->levels[level][at / 64] >> at % 64;
		if (bits) {
			at += __builtin_ctzll(bits);
			while (level--)
				at = at * 64 + __builtin_ctzll(set->levels[level][at]);
			return at;
		}
		at = at / 64 + 1;
		bound = words_for(bound);
	}
	return XRDMA_SET_NONE;
}

__u32 xrdma_set_previous(const struct xrdma_set *set, __u32 from)
{
	__u64 at = from < set->bound ? from : set->bound - 1, bits;

	for (__u32 level = 0; level < set->depth; level++) {
		bits = set->levels[level][at / 64] << (63 - at % 64);
		if (bits) {
			at -= __builtin_clzll(bits);
			while (level--)
				at = at * 64 + 63 - __builtin_clzll(set->levels[level][at]);
			return at;
		}
		if (at < 64)
			break;
		at = at / 64 - 1;
	}
	return XRDMA_SET_NONE;
}
