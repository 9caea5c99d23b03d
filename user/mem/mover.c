// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/mover.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "lib/error.h"
#include "lib/order.h"
#include "lib/process.h"
#include "lib/thread.h"
#include "mem/hold.h"
#include "mem/mappings.h"
#include "mem/moving.h"
#include "mem/threads.h"

enum {
	STACK_SIZE = 256 << 10, /* bytes of a thread, besides its thread-local variables */
	NEAR = 64 << 10,	/* a move uses fewer bytes than these of its thread's stack */
};

enum order { MOVE_IN, MOVE_OUT, UNWATCH, END };

/* All that its threads touch: any other memory may be what is being moved. Their stacks follow. */
struct mover {
	size_t size;	  /* bytes, with the stacks */
	size_t variables; /* bytes of a thread's thread-local variables, at most */
	struct xrdma_process process;
	struct xrdma_hold hold;
	sem_t asked, done;
	enum order order;
	struct xrdma_move move;
	int err;
};

static struct mover *mover;

/*
 * The thread that moves memory has this lock for itself. Threads that change how memory is mapped
 * share it.
 */
static pthread_rwlock_t mappings = PTHREAD_RWLOCK_INITIALIZER;

static enum order next_order(struct mover *own)
{
	while (sem_wait(&own->asked))
		;
	return own->order;
}

static int open_lists(const struct mover *own)
{
	int err = xrdma_mappings_open();

	if (err)
		return err;
	err = xrdma_threads_open((uintptr_t)own, (uintptr_t)own + own->size);
	if (err)
		xrdma_mappings_close();
	return err;
}

static void close_lists(void)
{
	xrdma_threads_close();
	xrdma_mappings_close();
}

static int obey(struct mover *own)
{
	switch (own->order) {
	case MOVE_IN:
		return xrdma_moving_in(&own->hold, &own->move);
	case MOVE_OUT:
		return xrdma_moving_out(&own->hold, &own->move);
	default:
		return xrdma_moving_unwatch(&own->hold, &own->move);
	}
}

/* This thread does not end before the process does: the files of the mappings are the thread's. */
static void *serve(void *arg)
{
	struct mover *own = arg;

	own->err = open_lists(own);
	sem_post(&own->done);
	while (next_order(own) != END) {
		own->hold.failed = &errno;
		pthread_rwlock_wrlock(&mappings);
		own->err = obey(own);
		pthread_rwlock_unlock(&mappings);
		sem_post(&own->done);
	}
	return NULL;
}

/* Who moves memory of SWAP waits for this. */
static void *read_events(void *arg)
{
	const struct mover *own = arg;
	struct uffd_msg event;

	while (own->hold.kernel(SYS_read, own->hold.swap, &event, sizeof(event)) > 0)
		;
	return NULL;
}

/* Add to *SUM what the thread-local variables of OBJECT take in each thread. */
static int add_variables(struct dl_phdr_info *object, size_t size, void *sum)
{
	size_t *variables = sum;

	(void)size;
	for (int i = 0; i < object->dlpi_phnum; i++)
		if (object->dlpi_phdr[i].p_type == PT_TLS)
			*variables += object->dlpi_phdr[i].p_memsz + object->dlpi_phdr[i].p_align;
	return 0;
}

static size_t whole_pages(size_t size)
{
	const size_t in_page = sysconf(_SC_PAGESIZE) - 1;

	return (size + in_page) & ~in_page;
}

static int start_thread(struct mover *own, int i, void *(*run)(void *), pthread_t *thread)
{
	const size_t records = whole_pages(sizeof(*own));
	const size_t stack = (own->size - records) / 2;
	pthread_attr_t attr;
	int err;

	pthread_attr_init(&attr);
	err = -pthread_attr_setstack(&attr, (char *)own + records + i * stack, stack)
		      ?: xrdma_thread_start(thread, &attr, run, own);
	pthread_attr_destroy(&attr);
	return err;
}

static int start(struct mover *own)
{
	pthread_t serving, events;
	int err = start_thread(own, 0, serve, &serving);

	if (err)
		return err;
	while (sem_wait(&own->done))
		;
	err = own->err ?: start_thread(own, 1, read_events, &events);
	if (!err)
		return 0;
	own->order = END;
	sem_post(&own->asked);
	pthread_join(serving, NULL);
	close_lists();
	return err;
}

static struct mover *map_mover(void)
{
	size_t variables = 0, size;
	struct mover *own;

	dl_iterate_phdr(add_variables, &variables);
	size = whole_pages(sizeof(*own)) + 2 * whole_pages(STACK_SIZE + variables);
	own = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (own == MAP_FAILED)
		return NULL;
	own->size = size;
	own->variables = variables;
	own->hold.copy = memcpy;
	sem_init(&own->asked, 0, 0);
	sem_init(&own->done, 0, 0);
	return own;
}

static int open_mover(struct mover *own)
{
	int err = xrdma_process_init(&own->process);

	if (err)
		return err;
	err = xrdma_hold_open(&own->hold);
	if (!err) {
		err = start(own);
		if (err)
			xrdma_hold_close(&own->hold);
	}
	if (err)
		xrdma_process_exit(&own->process);
	return err;
}

static int new_mover(void)
{
	struct mover *own = map_mover();
	int err;

	if (!own)
		return -ENOMEM;
	err = open_mover(own);
	if (err)
		munmap(own, own->size);
	else
		XRDMA_PUBLISH(mover, own);
	return err;
}

int xrdma_mover_start(void)
{
	int err = 0;

	if (!mover || !xrdma_process_is_current(&mover->process))
		err = new_mover();
	if (err)
		xrdma_fail(-err,
			   "cannot start the threads that move memory which is not from "
			   "xrdma_alloc(), by userfaultfd(2): %s%s",
			   strerror(-err),
			   err == -EPERM ? ": CAP_SYS_PTRACE, vm.unprivileged_userfaultfd = 1 or "
					   "access to /dev/userfaultfd is needed"
					 : "");
	return err;
}

bool xrdma_mover_keep_off(void)
{
	return XRDMA_OBSERVE(mover) && !pthread_rwlock_rdlock(&mappings);
}

void xrdma_mover_let_on(bool kept_off)
{
	if (kept_off)
		pthread_rwlock_unlock(&mappings);
}

void xrdma_mover_forget(void)
{
	mappings = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
	if (!mover)
		return;
	xrdma_hold_close(&mover->hold);
	xrdma_process_exit(&mover->process);
	munmap(mover, mover->size);
	close_lists();
	mover = NULL;
}

bool xrdma_mover_owns(__u64 start, __u64 end)
{
	return mover && start < (uintptr_t)mover + mover->size && end > (uintptr_t)mover;
}

/* Returns whether MOVE takes memory that is less than SIZE bytes from AT. */
static bool takes(const struct xrdma_move *move, const void *at, size_t size)
{
	return (uintptr_t)move->at < (uintptr_t)at + size &&
	       xrdma_move_end(move) > (uintptr_t)at - size;
}

/*
 * Returns whether MOVE takes memory that the calling thread uses while it moves memory: the end of
 * its stack, or its control block, beside which the C library has errno and other thread-local
 * variables. The kernel writes into these, too (rseq(2)).
 */
static bool takes_own(const struct mover *own, const struct xrdma_move *move)
{
	return takes(move, __builtin_frame_address(0), NEAR) ||
	       takes(move, (void *)pthread_self(), own->variables + NEAR);
}

/* The handler of a signal could use what is being moved, so none runs meanwhile. */
static void obey_here(struct mover *own)
{
	const __u64 all = ~0ULL;
	const int number = errno;
	__u64 before;

	own->hold.failed = &errno;
	own->hold.kernel(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof(all));
	pthread_rwlock_wrlock(&mappings);
	own->err = obey(own);
	pthread_rwlock_unlock(&mappings);
	own->hold.kernel(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof(before));
	errno = number;
}

static void obey_there(struct mover *own)
{
	sem_post(&own->asked);
	while (sem_wait(&own->done))
		;
}

static int run(struct xrdma_move *move, enum order order)
{
	mover->move = *move;
	mover->order = order;
	if (takes_own(mover, move))
		obey_there(mover);
	else
		obey_here(mover);
	*move = mover->move;
	return mover->err;
}

int xrdma_move_in(struct xrdma_move *move)
{
	const int err = run(move, MOVE_IN);

	if (!err)
		move->in = true;
	return err;
}

int xrdma_move_out(struct xrdma_move *move)
{
	const int err = run(move, MOVE_OUT);

	if (!err)
		move->in = false;
	return err;
}

void xrdma_move_unwatch(struct xrdma_move *move)
{
	run(move, UNWATCH);
}
