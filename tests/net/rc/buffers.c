// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Send many frames that the kernel stores in several buffers. If the programs damaged the kernel's
 * memory, it would show only after a while. tests/net/rc.sh runs it.
 */
#include <stdint.h>

#include "support/pair.h"
#include "support/test.h"

enum { MESSAGES = 10000, LEN = XRDMA_MTU_MAX };

/* Returns the offset for message NUMBER, which differs from the one before. */
static __u32 offset_of(int number)
{
	return (__u32)number * 4099 % (PAIR_BYTES - LEN);
}

static void succeed(void)
{
	pair_expect(XRDMA_WC_SUCCESS);
}

static void execute_many(void (*set)(__u32 offset, __u32 len), void (*execute)(void))
{
	for (int i = 0; i < MESSAGES; i++) {
		__u32 at = offset_of(i);

		set(at, LEN);
		execute();
		expect_msg(!memcmp(pair.target + at, pair.source + at, LEN), "message %d differs",
			   i);
		memset(pair.target + at, 0, LEN);
	}
}

static void start(void)
{
	pair_start();
	pair_connect(4, XRDMA_MTU_MAX);
}

TestSuite(buffers, .once = pair_open, .init = start, .fini = pair_stop, .end = pair_close);

Test(buffers, writes)
{
	execute_many(pair_set_write, succeed);
}

Test(buffers, sends)
{
	execute_many(pair_set_send, pair_send_once);
}

static void start_read(void)
{
	pair_start_read();
	pair_connect(4, XRDMA_MTU_MAX);
}

TestSuite(buffers_read, .once = pair_open, .init = start_read, .fini = pair_stop,
	  .end = pair_close);

Test(buffers_read, reads)
{
	execute_many(pair_set_read, succeed);
}
