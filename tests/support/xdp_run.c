// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "xdp_run.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xrdma/abi/device.h>

#include "dev/pin.h"
#include "test.h"

struct action {
	void (*act)(void);
	bool done;
};

static void *execute(void *arg)
{
	struct action *action = arg;

	action->act();
	__atomic_store_n(&action->done, true, __ATOMIC_RELEASE);
	return NULL;
}

void xdp_run_expect_waited_for(void (*act)(void))
{
	int map = xrdma_pin_get("xb", "xrdma_epochs");
	struct xrdma_epoch *epoch = mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, map, 0);
	struct action action = { .act = act };
	bool early = false;
	pthread_t thread;

	expect(epoch != MAP_FAILED);
	__atomic_fetch_add(&epoch->entered, 1, __ATOMIC_SEQ_CST);
	expect_int(pthread_create(&thread, NULL, execute, &action), ==, 0);
	for (int i = 0; i < 10000 && !early; i++) {
		sched_yield();
		early = __atomic_load_n(&action.done, __ATOMIC_ACQUIRE);
	}
	__atomic_fetch_add(&epoch->left, 1, __ATOMIC_SEQ_CST);
	pthread_join(thread, NULL);
	munmap(epoch, 4096);
	close(map);
	expect(!early);
}
