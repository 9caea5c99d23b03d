// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Frames that the kernel puts into several buffers, in numbers: what is wrong with those shows in the kernel's own
 * memory, and after a while only. tests/net/buffers.sh runs it.
 */
#include <stdint.h>

#include "support/pair.h"
#include "support/test.h"

enum { MESSAGES = 10000, LEN = XRDMA_MTU_MAX };

/* Message NUMBER is not where the one before it was. */
static __u32 offset_of(int number)
{
	return (__u32)number * 4099 % (PAIR_BYTES - LEN);
}

static void expect_message(int number)
{
	__u32 at = offset_of(number);

	expect_msg(!memcmp(p.target + at, p.source + at, LEN), "message %d differs", number);
	memset(p.target + at, 0, LEN);
}

static void start(void)
{
	pair_start();
	pair_connect(4, XRDMA_MTU_MAX);
}

TestSuite(buffers, .init = start, .fini = pair_stop);

Test(buffers, writes)
{
	for (int i = 0; i < MESSAGES; i++) {
		pair_set_write(offset_of(i), LEN);
		pair_expect(XRDMA_WC_SUCCESS);
		expect_message(i);
	}
}

Test(buffers, sends)
{
	for (int i = 0; i < MESSAGES; i++) {
		pair_set_send(offset_of(i), LEN);
		pair_send_once();
		expect_message(i);
	}
}

static void start_read(void)
{
	pair_start_read();
	pair_connect(4, XRDMA_MTU_MAX);
}

TestSuite(buffers_read, .init = start_read, .fini = pair_stop);

Test(buffers_read, reads)
{
	for (int i = 0; i < MESSAGES; i++) {
		pair_set_read(offset_of(i), LEN);
		pair_expect(XRDMA_WC_SUCCESS);
		expect_message(i);
	}
}
