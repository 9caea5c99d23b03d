/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * How values are spread, whatever their number: they are counted in classes, whose width is 1/64 of
 * their values or less.
 */
#ifndef XRDMA_TOOLS_SPREAD_H
#define XRDMA_TOOLS_SPREAD_H

#include <linux/types.h>

enum { SPREAD_BITS = 6, SPREAD_CLASSES = (64 - SPREAD_BITS + 1) << SPREAD_BITS };

struct spread {
	__u64 count, min, max; /* of all values; MIN and MAX only where there are any */
	__u64 classes[SPREAD_CLASSES];
};

void spread_add(struct spread *spread, __u64 value);

/*
 * The least value of which SHARE (0 to 1) of all are no greater: of its class the greatest, or MAX.
 * 0: there are none.
 */
__u64 spread_quantile(const struct spread *spread, double share);

#endif
