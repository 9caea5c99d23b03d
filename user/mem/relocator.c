// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/relocator.h"

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
#include "mem/freeze.h"
#include "mem/mappings.h"
#include "mem/relocating.h"
#include "mem/threads.h"

enum {
	STACK_SIZE = 256 << 10, /* bytes of a thread, besides its thread-local variables */
	NEAR = 64 << 10,	/* a relocation uses fewer bytes than these of its thread's stack */
};

enum order { MOVE_IN, MOVE_OUT, UNWATCH, END };

/*
 * All memory that the threads touch, because any other memory may be the one that is relocated.
 * The stacks of the threads follow.
 */
struct relocator {
	size_t size;	  /* bytes, with the stacks */
	size_t variables; /* bytes of a thread's thread-local variables, at most */
	struct xrdma_process process;
	struct xrdma_freeze freeze;
	sem_t asked, done;
	enum order order;
	struct xrdma_relocation relocation;
	int err;
};

static struct relocator *relocator;

/*
 * The thread that relocates memory has this lock for itself. Threads that change how memory is
 * mapped share it.
 */
static pthread_rwlock_t mappings = PTHREAD_RWLOCK_INITIALIZER;

static enum order next_order(struct relocator *own)
{
	while (sem_wait(&own->asked))
		;
	return own->order;
}

static int open_lists(const struct relocator *own)
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

static int obey(struct relocator *own)
{
	switch (own->order) {
	case MOVE_IN:
		return xrdma_relocating_in(&own->freeze, &own->relocation);
	case MOVE_OUT:
		return xrdma_relocating_out(&own->freeze, &own->relocation);
	default:
		return xrdma_relocating_unwatch(&own->freeze, &own->relocation);
	}
}

/*
 * The thread that lists mappings. It does not end before the process does, because the files by
 * which mappings are listed are those of the thread.
 */
static void *serve(void *arg)
{
	struct relocator *own = arg;

	own->err = open_lists(own);
	sem_post(&own->done);
	while (next_order(own) != END) {
		own->freeze.failed = &errno;
		pthread_rwlock_wrlock(&mappings);
		own->err = obey(own);
		pthread_rwlock_unlock(&mappings);
		sem_post(&own->done);
	}
	return NULL;
}

/* Read the messages of SWAP. A thread that relocates memory of SWAP waits until they are read. */
static void *read_events(void *arg)
{
	const struct relocator *own = arg;
	struct uffd_msg event;

	while (own->freeze.kernel(SYS_read, own->freeze.swap, &event, sizeof(event)) > 0)
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

static int start_thread(struct relocator *own, int i, void *(*run)(void *), pthread_t *thread)
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

static int start(struct relocator *own)
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

static struct relocator *map_relocator(void)
{
	size_t variables = 0, size;
	struct relocator *own;

	dl_iterate_phdr(add_variables, &variables);
	size = whole_pages(sizeof(*own)) + 2 * whole_pages(STACK_SIZE + variables);
	own = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (own == MAP_FAILED)
		return NULL;
	own->size = size;
	own->variables = variables;
	own->freeze.copy = memcpy;
	sem_init(&own->asked, 0, 0);
	sem_init(&own->done, 0, 0);
	return own;
}

static int open_relocator(struct relocator *own)
{
	int err = xrdma_process_init(&own->process);

	if (err)
		return err;
	err = xrdma_freeze_open(&own->freeze);
	if (!err) {
		err = start(own);
		if (err)
			xrdma_freeze_close(&own->freeze);
	}
	if (err)
		xrdma_process_exit(&own->process);
	return err;
}

static int new_relocator(void)
{
	struct relocator *own = map_relocator();
	int err;

	if (!own)
		return -ENOMEM;
	err = open_relocator(own);
	if (err)
		munmap(own, own->size);
	else
		XRDMA_PUBLISH(relocator, own);
	return err;
}

int xrdma_relocator_start(void)
{
	int err = 0;

	if (!relocator || !xrdma_process_is_current(&relocator->process))
		err = new_relocator();
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

bool xrdma_relocator_block(void)
{
	return XRDMA_OBSERVE(relocator) && !pthread_rwlock_rdlock(&mappings);
}

void xrdma_relocator_unblock(bool blocked)
{
	if (blocked)
		pthread_rwlock_unlock(&mappings);
}

void xrdma_relocator_forget(void)
{
	mappings = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
	if (!relocator)
		return;
	xrdma_freeze_close(&relocator->freeze);
	xrdma_process_exit(&relocator->process);
	munmap(relocator, relocator->size);
	close_lists();
	relocator = NULL;
}

bool xrdma_relocator_owns(__u64 start, __u64 end)
{
	return relocator && start < (uintptr_t)relocator + relocator->size &&
	       end > (uintptr_t)relocator;
}

/* Returns whether memory of RELOCATION is less than SIZE bytes from AT. */
static bool takes(const struct xrdma_relocation *relocation, const void *at, size_t size)
{
	return (uintptr_t)relocation->at < (uintptr_t)at + size &&
	       xrdma_relocation_end(relocation) > (uintptr_t)at - size;
}

/*
 * Returns whether RELOCATION has memory that the calling thread uses while it relocates: the end of
 * its stack, or its control block, beside which the C library has errno and other thread-local
 * variables. The kernel writes into these, too (rseq(2)).
 */
static bool takes_own(const struct relocator *own, const struct xrdma_relocation *relocation)
{
	return takes(relocation, __builtin_frame_address(0), NEAR) ||
	       takes(relocation, (void *)pthread_self(), own->variables + NEAR);
}

/* Block all signals while memory is relocated, because a handler could use that memory. */
static void obey_here(struct relocator *own)
{
	const __u64 all = ~0ULL;
	const int number = errno;
	__u64 before;

	own->freeze.failed = &errno;
	own->freeze.kernel(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof(all));
	pthread_rwlock_wrlock(&mappings);
	own->err = obey(own);
	pthread_rwlock_unlock(&mappings);
	own->freeze.kernel(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof(before));
	errno = number;
}

static void obey_there(struct relocator *own)
{
	sem_post(&own->asked);
	while (sem_wait(&own->done))
		;
}

static int run(struct xrdma_relocation *relocation, enum order order)
{
	relocator->relocation = *relocation;
	relocator->order = order;
	if (takes_own(relocator, relocation))
		obey_there(relocator);
	else
		obey_here(relocator);
	*relocation = relocator->relocation;
	return relocator->err;
}

int xrdma_relocate_in(struct xrdma_relocation *relocation)
{
	const int err = run(relocation, MOVE_IN);

	if (!err)
		relocation->in = true;
	return err;
}

int xrdma_relocate_out(struct xrdma_relocation *relocation)
{
	const int err = run(relocation, MOVE_OUT);

	if (!err)
		relocation->in = false;
	return err;
}

void xrdma_relocation_unwatch(struct xrdma_relocation *relocation)
{
	run(relocation, UNWATCH);
}
