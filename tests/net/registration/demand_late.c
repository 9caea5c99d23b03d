// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The library handles missing pages late, because another thread uses the CPU of the thread that
 * maps them. tests/net/rc.sh runs it.
 */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "support/demand.h"
#include "support/test.h"

enum { PAGE = 3, TIMES = 40, TICK = 2000 /* microseconds */ };

static cpu_set_t all_cpus, one_cpu;

static void set_policy(int policy)
{
	const struct sched_param none = { 0 };

	expect_int(sched_setscheduler(0, policy, &none), ==, 0);
}

/*
 * A thread inherits the CPUs and the policy of the thread that starts it. The library's thread for
 * missed pages starts with the first region.
 */
static void open_idle(void)
{
	sched_getaffinity(0, sizeof(all_cpus), &all_cpus);
	for (int i = 0; !CPU_COUNT(&one_cpu); i++)
		if (CPU_ISSET(i, &all_cpus))
			CPU_SET(i, &one_cpu);
	region_open(XRDMA_MR_MODE_LOCAL);
	demand_start();
	sched_setaffinity(0, sizeof(one_cpu), &one_cpu);
	set_policy(SCHED_IDLE);
	demand_reg();
	set_policy(SCHED_OTHER);
	sched_setaffinity(0, sizeof(all_cpus), &all_cpus);
	demand_stop();
}

TestSuite(demand_late, .once = open_idle, .end = region_close, .init = demand_start,
	  .fini = demand_stop);

/* Use up the CPU, so that threads of SCHED_IDLE on it hardly run. */
static void *spin(void *arg)
{
	const bool *stop = arg;

	sched_setaffinity(0, sizeof(one_cpu), &one_cpu);
	while (!__atomic_load_n(stop, __ATOMIC_RELAXED))
		;
	return NULL;
}

/*
 * A peer requests a page. The library learns of it after another region has replaced the first one.
 */
static void replace_after_miss(void)
{
	bool stop = false;
	pthread_t spinning;

	demand_reg();
	demand_set_request(XRDMA_WR_RDMA_WRITE, PAGE * DEMAND_PAGE);
	expect_int(pthread_create(&spinning, NULL, spin, &stop), ==, 0);
	usleep(TICK);
	expect_int(pair_post(), ==, 0);
	usleep(TICK / 10);
	side_bring_to(&pair.a, XRDMA_QPS_RESET);
	demand_reg();
	demand_map(PAGE, 1, 1);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(spinning, NULL);
}

/* Memory of a region is mapped only if a peer has requested it under that region's key. */
Test(demand_late, region_before)
{
	for (int i = 0; i < TIMES; i++) {
		replace_after_miss();
		usleep(TICK);
		demand_unmap(PAGE, 1);
		demand_expect_missing(PAGE);
	}
}
