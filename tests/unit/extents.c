// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Extents: the heap's records of memory in use. */
#include <errno.h>
#include <stdlib.h>

#include "lib/extents.h"
#include "support/test.h"

enum { SIZE = 1 << 16 };

static size_t take(struct xrdma_extents *heap, size_t size, size_t align)
{
	size_t at;

	expect_int(xrdma_extents_take(heap, size, align, &at), ==, 0);
	expect_int(at % align, ==, 0);
	expect_int(at % XRDMA_EXTENT_ALIGN, ==, 0);
	return at;
}

Test(extents, all_of_it_and_not_a_byte_more)
{
	struct xrdma_extents heap;
	size_t at;

	expect_int(xrdma_extents_init(&heap, SIZE), ==, 0);
	expect_int(xrdma_extents_take(&heap, SIZE + 1, 1, &at), ==, -ENOMEM);
	expect_int(take(&heap, SIZE, 1), ==, 0);
	expect_int(xrdma_extents_take(&heap, 1, 1, &at), ==, -ENOMEM);
	expect_int(xrdma_extents_give(&heap, 0), ==, 0);
	expect_int(take(&heap, SIZE - 1, 1), ==, 0);
	xrdma_extents_exit(&heap);
}

Test(extents, what_is_freed_is_joined)
{
	struct xrdma_extents heap;
	size_t a, b, c;

	expect_int(xrdma_extents_init(&heap, SIZE), ==, 0);
	a = take(&heap, 1, 1);
	b = take(&heap, 100, 4096);
	c = take(&heap, SIZE / 2, 64);
	expect(a != b && b != c);
	expect_int(xrdma_extents_give(&heap, a), ==, 0);
	expect_int(xrdma_extents_give(&heap, c), ==, 0);
	expect_int(xrdma_extents_give(&heap, b), ==, 0);
	expect_int(take(&heap, SIZE, 1), ==, 0);
	xrdma_extents_exit(&heap);
}

Test(extents, only_what_is_in_use_is_given_back)
{
	struct xrdma_extents heap;
	size_t at;

	expect_int(xrdma_extents_init(&heap, SIZE), ==, 0);
	at = take(&heap, 256, 64);
	expect_int(xrdma_extents_give(&heap, at + 64), ==, -EINVAL);
	expect_int(xrdma_extents_give(&heap, SIZE), ==, -EINVAL);
	expect_int(xrdma_extents_give(&heap, at), ==, 0);
	expect_int(xrdma_extents_give(&heap, at), ==, -EINVAL);
	xrdma_extents_exit(&heap);
}

Test(extents, holds_what_was_taken_in_one_call)
{
	struct xrdma_extents heap;
	size_t a, b;

	expect_int(xrdma_extents_init(&heap, SIZE), ==, 0);
	a = take(&heap, 256, 64);
	b = take(&heap, 256, 64);
	expect_int(b, ==, a + 256);
	expect(xrdma_extents_hold(&heap, a, 256));
	expect(xrdma_extents_hold(&heap, b + 255, 1));
	expect(!xrdma_extents_hold(&heap, a, 257));
	expect(!xrdma_extents_hold(&heap, b + 1, (size_t)-1));
	expect(!xrdma_extents_hold(&heap, b + 256, 1));
	expect(!xrdma_extents_hold(&heap, (size_t)-64, 1));
	expect_int(xrdma_extents_give(&heap, a), ==, 0);
	expect(!xrdma_extents_hold(&heap, a, 1));
	xrdma_extents_exit(&heap);
}

/* An extent that is long enough is found among those of its class, whose sizes differ. */
Test(extents, the_last_that_fits)
{
	enum { UNIT = XRDMA_EXTENT_ALIGN };
	size_t a, b, at, rest = SIZE - (33 + 32 + 2) * UNIT;
	struct xrdma_extents heap;

	expect_int(xrdma_extents_init(&heap, SIZE), ==, 0);
	a = take(&heap, 33 * UNIT, 1);
	take(&heap, UNIT, 1);
	b = take(&heap, 32 * UNIT, 1);
	take(&heap, UNIT, 1);
	take(&heap, rest, 1);
	expect_int(xrdma_extents_give(&heap, a), ==, 0);
	expect_int(xrdma_extents_give(&heap, b), ==, 0);
	expect_int(xrdma_extents_take(&heap, 34 * UNIT, 1, &at), ==, -ENOMEM);
	expect_int(take(&heap, 33 * UNIT, 1), ==, a);
	expect_int(take(&heap, 32 * UNIT, 1), ==, b);
	xrdma_extents_exit(&heap);
}

static bool has_room(const unsigned char *used, size_t size, size_t align)
{
	for (size_t at = 0; at + size <= SIZE; at += align) {
		size_t k = 0;

		while (k < size && !used[at + k])
			k++;
		if (k == size)
			return true;
	}
	return false;
}

/*
 * Random extents are compared with a map of bytes in use. No two overlap, and a refusal means that
 * there was no room.
 */
Test(extents, many_at_random)
{
	enum { SLOTS = 64, ROUNDS = 20000 };
	static unsigned char used[SIZE];
	size_t at[SLOTS], size[SLOTS] = { 0 }, align;
	struct xrdma_extents heap;

	srandom(13);
	expect_int(xrdma_extents_init(&heap, SIZE), ==, 0);
	for (int round = 0; round < ROUNDS; round++) {
		int i = random() % SLOTS;

		if (size[i]) {
			expect_int(xrdma_extents_give(&heap, at[i]), ==, 0);
			for (size_t k = 0; k < size[i]; k++)
				used[at[i] + k] = 0;
			size[i] = 0;
			continue;
		}
		size[i] = 1 + random() % 3000;
		align = 64 << random() % 4;
		if (xrdma_extents_take(&heap, size[i], align, &at[i])) {
			expect(!has_room(used, size[i], align));
			size[i] = 0;
			continue;
		}
		expect(at[i] + size[i] <= SIZE);
		for (size_t k = 0; k < size[i]; k++)
			expect_int(used[at[i] + k]++, ==, 0);
	}
	for (int i = 0; i < SLOTS; i++)
		if (size[i])
			expect_int(xrdma_extents_give(&heap, at[i]), ==, 0);
	expect_int(take(&heap, SIZE, 1), ==, 0);
	xrdma_extents_exit(&heap);
}
