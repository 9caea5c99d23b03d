/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef XRDMA_TESTS_CQ_H
#define XRDMA_TESTS_CQ_H

#include <xrdma/cq.h>

/*
 * Poll CQ until INTO has COUNT completions, at most SECONDS. Returns the number of completions that
 * came. An error of CQ fails the test.
 */
int cq_poll_within(int seconds, struct xrdma_cq *cq, int count, struct xrdma_wc *into);

#endif
