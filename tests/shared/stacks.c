// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Threads register memory on their stacks and end. tests/net/cache.sh runs this program.
 */
#include <pthread.h>
#include <sys/mman.h>
#include <threads.h>

#include "peer_view.h"
#include "support/distant.h"
#include "support/test.h"

enum { BYTES = 8 * PAGE };

TestSuite(stacks, .once = peer_view_open, .end = pair_close, .init = peer_view_start,
	  .fini = peer_view_stop);

static pthread_barrier_t barrier; /* threads wait here before they end */

static int use_stack(void *at)
{
	volatile __u8 bytes[BYTES];

	for (int i = 0; i < BYTES; i++)
		bytes[i] = i;
	*(void **)at = (void *)bytes;
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return 0;
}

static void *use_stack_by_pthread(void *at)
{
	use_stack(at);
	return NULL;
}

/*
 * Start a thread with the function of POSIX or of C11. The latter does not call pthread_create().
 */
static void start_thread(bool posix, pthread_t *thread, void **stack)
{
	thrd_t of_c11;

	if (posix) {
		expect_int(pthread_create(thread, NULL, use_stack_by_pthread, stack), ==, 0);
		return;
	}
	expect_int(thrd_create(&of_c11, use_stack, stack), ==, thrd_success);
	*thread = of_c11;
}

/*
 * The cache keeps no stacks, but it keeps other memory. When a thread has ended, the next one gets
 * its stack. In between, the C library has discarded that memory.
 */
Test(stacks, of_threads)
{
	__u8 *memory = map_at(distant_address(), BYTES);
	pthread_t thread, last = 0;
	void *stack;

	pthread_barrier_init(&barrier, NULL, 2);
	for (int i = 0; i < 6; i++) {
		start_thread(i % 2, &thread, &stack);
		pthread_barrier_wait(&barrier);
		expect(!last || last == thread);
		last = thread;
		expect(peer_sees(stack, BYTES));
		expect(!is_cached(stack));
		expect(peer_sees(memory, BYTES));
		expect(is_cached(memory));
		pthread_barrier_wait(&barrier);
		pthread_join(thread, NULL);
	}
	munmap(memory, BYTES);
}
