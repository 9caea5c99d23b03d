// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Waiting for program runs before a key is revoked. */
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "key/key.h"
#include "support/test.h"

/* Memory shared with the process that waits. */
static struct shared {
	struct xrdma_epoch cpus[2];
	struct xrdma_mkey_row row;
	int looked; /* how often the process has found that it must wait */
	int waited;
} * shared;

static void start(void)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
}

TestSuite(epoch, .init = start);

/* Replacement for the C library's function. The waiting process calls it after each look. */
int sched_yield(void)
{
	__atomic_add_fetch(&shared->looked, 1, __ATOMIC_RELEASE);
	return syscall(SYS_sched_yield);
}

/* Expect that the waiting thread has read the epochs a hundred times more. */
static void expect_waiting(void)
{
	int looked = __atomic_load_n(&shared->looked, __ATOMIC_ACQUIRE);

	while (__atomic_load_n(&shared->looked, __ATOMIC_ACQUIRE) < looked + 100) {
		expect_int(__atomic_load_n(&shared->waited, __ATOMIC_ACQUIRE), ==, 0);
		syscall(SYS_sched_yield);
	}
}

/* Start a process that ends with this one. */
static pid_t begin(void)
{
	pid_t child = fork();

	if (!child)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return child;
}

static void end(void)
{
	__atomic_store_n(&shared->waited, 1, __ATOMIC_RELEASE);
	_exit(0);
}

Test(epoch, waits_for_the_runs_under_way_and_no_others)
{
	struct xrdma_epochs epochs = { .cpus = shared->cpus, .count = 2 };
	pid_t waiter;

	shared->cpus[0].entered = 1; /* the counter has wrapped around */
	shared->cpus[0].left = -1;
	shared->cpus[1].entered = shared->cpus[1].left = 7;
	waiter = begin();
	if (!waiter) {
		xrdma_epochs_wait(&epochs);
		end();
	}
	expect_waiting();
	__atomic_store_n(&shared->cpus[0].left, 0, __ATOMIC_RELEASE);
	expect_waiting();
	__atomic_store_n(&shared->cpus[0].entered, 2, __ATOMIC_RELEASE); /* a later run */
	__atomic_store_n(&shared->cpus[0].left, 1, __ATOMIC_RELEASE);
	waitpid(waiter, NULL, 0);
	expect_int(shared->waited, ==, 1);
}

/*
 * A run that began before invalidates the key in the meantime. The row becomes free for another key
 * all the same.
 */
Test(epoch, key_that_a_peer_invalidates_while_it_is_revoked)
{
	struct xrdma_epochs epochs = { .cpus = shared->cpus, .count = 1 };
	struct xrdma_keys keys = { .epochs = &epochs, .rows = &shared->row };
	pid_t revoker;

	expect_int(xrdma_rows_init(&keys.free, 1, 1), ==, 0);
	shared->cpus[0].entered = 1;
	shared->row.state = XRDMA_MKEY_STATE_VALID;
	revoker = begin();
	if (!revoker) {
		xrdma_key_revoke(&keys, &shared->row);
		end();
	}
	expect_waiting();
	expect_int(shared->row.state, ==, XRDMA_MKEY_STATE_INVALID);
	__atomic_store_n(&shared->row.state, XRDMA_MKEY_STATE_FREE, __ATOMIC_RELEASE);
	__atomic_store_n(&shared->cpus[0].left, 1, __ATOMIC_RELEASE);
	waitpid(revoker, NULL, 0);
	expect_int(shared->waited, ==, 1);
	expect_int(shared->row.state, ==, XRDMA_MKEY_STATE_INVALID);
	xrdma_rows_exit(&keys.free);
}
