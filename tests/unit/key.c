// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Keys of a row (user/key/key.c). */
#include <stdlib.h>

#include "key/key.h"
#include "support/test.h"

#define SECRET 0x0123456789abcdefULL

/* Expect that the keys of a row are repeated only after all others, and in the same order. */
static void expect_all_once(__u32 mask, __u32 index)
{
	__u32 bits = 32 - __builtin_popcount(mask);
	__u64 count = 1ULL << bits;
	__u8 *seen = calloc(count, 1);

	for (__u64 i = 0; i < count; i++) {
		__u32 key = xrdma_key_make(SECRET, mask, index, i);
		__u32 tag = (__u64)key >> (32 - bits + 8) << 8 | (key & 0xff);

		expect_int(key >> XRDMA_KEY_INDEX_SHIFT & mask, ==, index);
		expect_msg(!seen[tag]++, "key %08x came again after %llu", key, i);
	}
	for (__u32 i = 0; i < 100; i++)
		expect_int(xrdma_key_make(SECRET, mask, index, count + i), ==,
			   xrdma_key_make(SECRET, mask, index, i));
	free(seen);
}

Test(key, keys_come_once)
{
	expect_all_once(XRDMA_MKEYS_MAX - 1, 0);
	expect_all_once(XRDMA_MKEYS_MAX - 1, 0xabcdef);
	expect_all_once(0xfffff, 0x12345);
	expect_all_once(0x7fff, 77);
}

/*
 * Returns how many of 1000 keys agree in their last byte with keys of another row, or with the key
 * AHEAD places later.
 */
static int agreeing(__u64 secret, __u32 index, __u32 ahead)
{
	int count = 0;

	for (__u32 i = 0; i < 1000; i++)
		count += (__u8)xrdma_key_make(SECRET, 0xfff, 5, i) ==
			 (__u8)xrdma_key_make(secret, 0xfff, index, i + ahead);
	return count;
}

/*
 * A key does not depend in a visible way on another context, another row or the next key. Four keys
 * in a thousand agree by chance.
 */
Test(key, keys_say_nothing_of_others)
{
	expect_int(agreeing(SECRET, 5, 0), ==, 1000);
	expect_int(agreeing(SECRET + 1, 5, 0), <, 20);
	expect_int(agreeing(~SECRET, 5, 0), <, 20);
	expect_int(agreeing(SECRET, 6, 0), <, 20);
	expect_int(agreeing(SECRET, 5, 1), <, 20);
}
