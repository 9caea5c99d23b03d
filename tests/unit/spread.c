// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Quantiles of values that are counted in classes (tools/spread.h). */
#include "../../tools/spread.h"

#include <stdlib.h>

#include "support/test.h"

enum { VALUES = 5000 };

static struct spread spread;

static int compare(const void *a, const void *b)
{
	const __u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return x < y ? -1 : x > y;
}

/* Each quantile is exact to 1/64, and never too small. */
Test(spread, quantiles)
{
	static __u64 values[VALUES];

	srandom(1);
	for (int i = 0; i < VALUES; i++) {
		values[i] = ((__u64)random() << 33 | (__u64)random() << 2) >> random() % 64;
		spread_add(&spread, values[i]);
	}
	qsort(values, VALUES, sizeof(values[0]), compare);
	ck_assert_uint_eq(spread.count, VALUES);
	ck_assert_uint_eq(spread.min, values[0]);
	ck_assert_uint_eq(spread.max, values[VALUES - 1]);
	for (int i = 0; i < VALUES; i++) {
		const __u64 got = spread_quantile(&spread, (i + 0.5) / VALUES);

		ck_assert_uint_ge(got, values[i]);
		ck_assert_uint_le(got - values[i], values[i] / 64);
	}
}

Test(spread, edges)
{
	ck_assert_uint_eq(spread_quantile(&spread, 0.5), 0);
	spread_add(&spread, 0);
	ck_assert_uint_eq(spread_quantile(&spread, 1), 0);
	spread_add(&spread, UINT64_MAX);
	ck_assert_uint_eq(spread.min, 0);
	ck_assert_uint_eq(spread_quantile(&spread, 0), 0);
	ck_assert_uint_eq(spread_quantile(&spread, 0.5), 0);
	ck_assert_uint_eq(spread_quantile(&spread, 0.51), UINT64_MAX);
	ck_assert_uint_eq(spread_quantile(&spread, 1), UINT64_MAX);
}
