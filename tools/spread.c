// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Each value below 64 has a class of its own. Larger values are divided by powers of two: each
 * power has 64 classes, selected by the highest 7 bits of the value.
 */
#include "spread.h"

static unsigned int shift_of(__u64 value)
{
	return value >> SPREAD_BITS ? 63 - SPREAD_BITS - __builtin_clzll(value) : 0;
}

static unsigned int class_of(__u64 value)
{
	const unsigned int shift = shift_of(value);

	return (shift << SPREAD_BITS) + (value >> shift);
}

/* Returns the largest value of CLASS. */
static __u64 last_of(unsigned int class)
{
	const unsigned int shift = class >> (SPREAD_BITS + 1) ? (class >> SPREAD_BITS) - 1 : 0;

	return (((__u64) class - (shift << SPREAD_BITS) + 1) << shift) - 1;
}

void spread_add(struct spread *spread, __u64 value)
{
	if (!spread->count++ || value < spread->min)
		spread->min = value;
	if (value > spread->max)
		spread->max = value;
	spread->classes[class_of(value)]++;
}

__u64 spread_quantile(const struct spread *spread, double share)
{
	__u64 seen = 0;

	for (unsigned int class = 0; class < SPREAD_CLASSES; class ++) {
		seen += spread->classes[class];
		if (seen && seen >= share * spread->count)
			return last_of(class) < spread->max ? last_of(class) : spread->max;
	}
	return 0;
}
