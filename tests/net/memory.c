// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Operations on memory that is not from xrdma_alloc(), on both sides; tests/net/rc.sh runs it. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/pair.h"
#include "support/test.h"

static void *of_heap[2]; /* what xrdma_alloc() gave the two */

/* Not at the begin of a page. */
static __u8 zeroed[PAIR_BYTES + 100], set[PAIR_BYTES + 5] = { 1 };

static void open_pair(void)
{
	pair_open();
	of_heap[0] = p.a.owner.memory;
	of_heap[1] = p.b.owner.memory;
}

TestSuite(memory, .once = open_pair, .end = pair_close);

static void write_one(__u32 offset, __u32 len)
{
	pair_set_write(offset, len);
	pair_expect(XRDMA_WC_SUCCESS);
}

static void read_one(__u32 offset, __u32 len)
{
	pair_set_read(offset, len);
	pair_expect(XRDMA_WC_SUCCESS);
}

static void send_one(__u32 offset, __u32 len)
{
	pair_set_send(offset, len);
	pair_send_once();
}

/* A has MINE and B THEIRS. */
static void every_operation(void *mine, void *theirs)
{
	p.a.owner.memory = mine;
	p.b.owner.memory = theirs;
	pair_start();
	pair_every_size(write_one);
	pair_every_size(send_one);
	pair_stop();
	pair_start_read();
	pair_every_size(read_one);
	pair_stop();
}

Test(memory, of_malloc)
{
	__u8 *mine = malloc(PAIR_BYTES + 100), *theirs = malloc(PAIR_BYTES + 100);

	every_operation(mine + 1, theirs + 99);
	free(mine);
	free(theirs);
}

Test(memory, of_the_stack)
{
	__u8 on_stack[PAIR_BYTES];

	every_operation(of_heap[0], on_stack);
}

/* A child has a copy of its own; what peers send while it is made comes all the same. */
Test(memory, forked_under_way)
{
	__u8 *mine = malloc(PAIR_BYTES), *theirs = malloc(PAIR_BYTES);
	int status;

	p.a.owner.memory = mine;
	p.b.owner.memory = theirs;
	pair_start();
	for (int i = 0; i < 20; i++) {
		pid_t child;

		pair_set_write(0, PAIR_BYTES);
		arc4random_buf(mine, PAIR_BYTES);
		expect_int(pair_post(), ==, 0);
		child = fork();
		if (!child) {
			memset(theirs, i, PAIR_BYTES);
			_exit(theirs[PAIR_BYTES - 1] != i);
		}
		pair_poll(1);
		expect_int(wc[0].status, ==, XRDMA_WC_SUCCESS);
		expect_int(waitpid(child, &status, 0), ==, child);
		expect_int(status, ==, 0);
		expect(!memcmp(mine, theirs, PAIR_BYTES));
	}
	pair_stop();
	free(mine);
	free(theirs);
}

Test(memory, of_the_program)
{
	every_operation(set + 5, zeroed + 50);
	every_operation(zeroed + 99, set + 1);
}
