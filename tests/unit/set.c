// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Sets of numbers. */
#include <stdlib.h>

#include "lib/set.h"
#include "support/test.h"

/* Returns the next member by looking at each number. */
static __u32 next_by_hand(const bool *member, __u32 bound, __u32 from)
{
	while (from < bound && !member[from])
		from++;
	return from < bound ? from : XRDMA_SET_NONE;
}

static __u32 previous_by_hand(const bool *member, __u32 bound, __u32 from)
{
	__u32 at = from < bound ? from + 1 : bound;

	while (at && !member[at - 1])
		at--;
	return at ? at - 1 : XRDMA_SET_NONE;
}

/* Check a set with few members, so that whole words of each level are empty between them. */
static void expect_right(__u32 bound)
{
	bool *member = calloc(bound, sizeof(*member));
	struct xrdma_set set;

	expect_int(xrdma_set_init(&set, bound, false), ==, 0);
	for (int round = 0; round < 2000; round++) {
		__u32 from = random() % (bound + 2), found = xrdma_set_next(&set, from);

		expect_int(found, ==, next_by_hand(member, bound, from));
		expect_int(xrdma_set_previous(&set, from), ==,
			   previous_by_hand(member, bound, from));
		if (found != XRDMA_SET_NONE && random() % 2) {
			xrdma_set_remove(&set, found);
			member[found] = false;
		} else if (from < bound) {
			xrdma_set_add(&set, from);
			member[from] = true;
		}
		expect_int(xrdma_set_has(&set, from), ==, from < bound && member[from]);
	}
	xrdma_set_exit(&set);
	free(member);
}

Test(set, as_when_each_number_is_looked_at)
{
	const __u32 bounds[] = { 1, 2, 63, 64, 65, 4095, 4096, 4097, 70000 };

	srandom(7);
	for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++)
		expect_right(bounds[i]);
}

Test(set, all_of_them)
{
	const __u32 bounds[] = { 1, 64, 65, 4096, 4160, 300000 };

	for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
		struct xrdma_set set;

		expect_int(xrdma_set_init(&set, bounds[i], true), ==, 0);
		for (__u32 number = 0; number < bounds[i]; number++) {
			expect_int(xrdma_set_next(&set, 0), ==, number);
			xrdma_set_remove(&set, number);
		}
		expect_int(xrdma_set_next(&set, 0), ==, XRDMA_SET_NONE);
		expect_int(xrdma_set_previous(&set, bounds[i]), ==, XRDMA_SET_NONE);
		xrdma_set_exit(&set);
	}
}

/* The largest bound needs six levels, but little memory. */
Test(set, the_largest)
{
	struct xrdma_set set;

	expect_int(xrdma_set_init(&set, XRDMA_SET_NONE, false), ==, 0);
	expect_int(xrdma_set_next(&set, 0), ==, XRDMA_SET_NONE);
	xrdma_set_add(&set, XRDMA_SET_NONE - 1);
	xrdma_set_add(&set, 0);
	expect_int(xrdma_set_next(&set, 1), ==, XRDMA_SET_NONE - 1);
	expect_int(xrdma_set_previous(&set, XRDMA_SET_NONE - 2), ==, 0);
	xrdma_set_exit(&set);
}
