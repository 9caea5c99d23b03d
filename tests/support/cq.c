// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "cq.h"

#include <time.h>

#include "wait.h"
#include "test.h"

int cq_poll_within(int seconds, struct xrdma_cq *cq, int count, struct xrdma_wc *into)
{
	const time_t end = time(NULL) + seconds;
	int got = 0, more;

	while (got < count && time(NULL) < end) {
		more = xrdma_cq_poll(cq, count - got, into + got);
		expect_int(more, >=, 0);
		got += more;
		wait_unless(more);
	}
	return got;
}
