// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "scattered.h"

#include <stdlib.h>

#include "test.h"

enum { PAGE = 4096, REGIONS = 6 };

static struct scattered {
	__u8 *memory, *of_heap;
	struct xrdma_mr *mrs[REGIONS];
} scattered[2];

/*
 * Give SIDE memory whose pages are in random order in the heap. Small regions register pages of it
 * first, in a mixed order, and these pages stay in place. The memory begins at byte SKIP of a block
 * from malloc().
 */
static void scatter(struct scattered *side, struct owner *owner, __u32 skip)
{
	side->memory = malloc(PAIR_BYTES + PAGE);
	for (int i = 0; i < REGIONS; i++) {
		const size_t at = (i * 5 + 3) % (2 * REGIONS) * 2 * PAGE + i;

		expect_int(xrdma_mr_reg(owner->pd, side->memory + at, PAGE - i, 0, &side->mrs[i]),
			   ==, 0);
	}
	side->of_heap = owner->memory;
	owner->memory = side->memory + skip;
}

static void gather(struct scattered *side, struct owner *owner)
{
	for (int i = 0; i < REGIONS; i++)
		expect_int(xrdma_mr_close(side->mrs[i]), ==, 0);
	owner->memory = side->of_heap;
	free(side->memory);
}

void scattered_start(void)
{
	scatter(&scattered[0], &pair.a.owner, 77);
	scatter(&scattered[1], &pair.b.owner, 500);
}

void scattered_stop(void)
{
	gather(&scattered[0], &pair.a.owner);
	gather(&scattered[1], &pair.b.owner);
}
