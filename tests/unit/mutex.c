// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Check of the order of locks: what it accepts, and what it aborts. */
#include "lib/mutex.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/test.h"

static struct xrdma_mutex fork_lock = XRDMA_MUTEX(XRDMA_RANK_FORK);
static struct xrdma_mutex qp = XRDMA_MUTEX(XRDMA_RANK_QP);
static struct xrdma_mutex notes = XRDMA_MUTEX(XRDMA_RANK_KEYS);
static struct xrdma_mutex other_notes = XRDMA_MUTEX(XRDMA_RANK_KEYS);
static struct xrdma_spin cq;

static void twice(void)
{
	xrdma_mutex_lock(&notes);
	xrdma_mutex_lock(&notes);
}

static void against_the_order(void)
{
	xrdma_spin_lock(&cq);
	xrdma_mutex_lock(&qp);
}

static void two_of_a_rank(void)
{
	xrdma_mutex_lock(&notes);
	xrdma_mutex_lock(&other_notes);
}

static void after_a_try(void)
{
	xrdma_mutex_trylock(&notes);
	xrdma_mutex_lock(&fork_lock);
}

static void waits_with_another(void)
{
	pthread_cond_t never = PTHREAD_COND_INITIALIZER;

	xrdma_mutex_lock(&qp);
	xrdma_mutex_lock(&notes);
	xrdma_mutex_wait(&notes, &never);
}

static void releases_another(void)
{
	xrdma_mutex_unlock(&qp);
}

static void (*const wrong[])(void) = { twice,	    against_the_order,	two_of_a_rank,
				       after_a_try, waits_with_another, releases_another };

Tests(mutex, aborts_what_breaks_the_order, sizeof(wrong) / sizeof(*wrong))
{
	int status;
	pid_t child;

#ifndef XRDMA_CHECK_LOCKS
	SKIP("built without the checker");
#endif
	child = fork();
	if (!child) {
		signal(SIGABRT, SIG_DFL);
		alarm(10);
		wrong[i]();
		_exit(0);
	}
	expect_int(waitpid(child, &status, 0), ==, child);
	expect(WIFSIGNALED(status));
	expect_int(WTERMSIG(status), ==, SIGABRT);
}

static void in_order(void)
{
	xrdma_mutex_lock(&qp);
	xrdma_spin_lock(&cq);
	xrdma_mutex_lock(&notes);
	xrdma_mutex_unlock(&qp); /* unlocking may have another order */
	xrdma_mutex_unlock(&notes);
	xrdma_spin_unlock(&cq);

	xrdma_spin_lock(&cq);
	expect(xrdma_mutex_trylock(&qp));
	xrdma_spin_unlock(&cq);
	xrdma_mutex_unlock(&qp);

	xrdma_mutex_lock(&fork_lock);
	xrdma_mutex_lock(&notes);
	xrdma_mutex_lock(&other_notes);
	xrdma_mutex_unlock(&notes);
	xrdma_mutex_unlock(&other_notes);
	xrdma_mutex_unlock(&fork_lock);
}

Test(mutex, lets_pass_what_keeps_it)
{
	in_order();
	in_order();
	xrdma_mutex_lock(&notes);
	xrdma_rank_forget(); /* like a child, which initializes the locks again */
	xrdma_mutex_init(&notes, XRDMA_RANK_KEYS);
	in_order();
}

static void init(void)
{
	xrdma_spin_init(&cq, XRDMA_RANK_CQ);
}

TestSuite(mutex, .init = init);
