/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Distribution of any number of values. Values are counted in classes. The width of a class is at
 * most 1/64 of its values.
 */
#ifndef XRDMA_TOOLS_SPREAD_H
#define XRDMA_TOOLS_SPREAD_H

#include <linux/types.h>

enum { SPREAD_BITS = 6, SPREAD_CLASSES = (64 - SPREAD_BITS + 1) << SPREAD_BITS };

struct spread {
	__u64 count, min, max; /* of all values; MIN and MAX are valid if COUNT is not 0 */
	__u64 classes[SPREAD_CLASSES];
};

void spread_add(struct spread *spread, __u64 value);

/*
 * Returns the quantile SHARE (0 to 1): the smallest value for which this share of all values is not
 * larger. It is rounded up to the end of its class, but not above MAX. Returns 0 if there are no
 * values.
 */
__u64 spread_quantile(const struct spread *spread, double share);

#endif
