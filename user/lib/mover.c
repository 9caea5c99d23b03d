// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "lib/mover.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "lib/error.h"
#include "lib/hold.h"
#include "lib/mappings.h"
#include "lib/process.h"
#include "lib/thread.h"

enum {
	STACK_SIZE = 256 << 10, /* bytes of a thread, besides its thread-local variables */
	PIPE_SIZE = 1 << 20,	/* bytes; who is not allowed more has it (pipe(7)) */
};

enum order { MOVE_IN, MOVE_OUT, END };

/* All that its threads touch: any other memory may be what is being moved. Their stacks follow. */
struct mover {
	size_t size; /* bytes, with the stacks */
	struct xrdma_process process;
	struct xrdma_hold hold;
	sem_t asked, done;
	enum order order;
	struct xrdma_move move;
	int err;
};

static struct mover *mover;

static size_t lesser(size_t a, size_t b)
{
	return a < b ? a : b;
}

static int map_into(const struct xrdma_hold *hold, const struct xrdma_move *move)
{
	int err = xrdma_hold_error(
		hold, hold->kernel(SYS_mmap, move->at, move->size, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_FIXED, move->fd, (long)move->fd_at));

	if (!err)
		hold->kernel(SYS_madvise, move->at, move->size, MADV_DONTFORK);
	return err;
}

/* The pages go elsewhere at once; who touches what they left waits. */
static int move_in(const struct xrdma_hold *hold, struct xrdma_move *move)
{
	long pages;
	int err = xrdma_hold_begin(hold, hold->away, move->at, move->size);

	if (err)
		return err;
	pages = hold->kernel(SYS_mremap, move->at, move->size, move->size,
			     (long)(MREMAP_MAYMOVE | MREMAP_DONTUNMAP), NULL);
	if (pages == -1) {
		err = -*hold->failed;
		xrdma_hold_end(hold, hold->away, move->at, move->size);
		return err;
	}
	hold->copy(move->into, (char *)pages, move->size);
	err = map_into(hold, move);
	if (err) {
		xrdma_hold_remap(hold, (char *)pages, move->size, move->at);
	} else {
		xrdma_hold_empty(hold, (char *)pages, move->size);
		move->kept = (char *)pages;
	}
	xrdma_hold_wake(hold, hold->away, move->at, move->size);
	return err;
}

/* ENDS, both -1 before, are a pipe that holds the SIZE bytes of pages at AT: not their contents. */
static int hold_pages(const struct xrdma_hold *hold, int ends[2], char *at, size_t size)
{
	struct iovec pages = { at, size };
	int err = xrdma_hold_error(hold, hold->kernel(SYS_pipe2, ends, O_CLOEXEC));

	if (!err)
		err = xrdma_hold_error(hold, hold->kernel(SYS_fcntl, ends[1], F_SETPIPE_SZ, size));
	if (!err &&
	    hold->kernel(SYS_vmsplice, ends[1], &pages, 1L, SPLICE_F_NONBLOCK) != (long)size)
		err = -ENOMEM;
	return err;
}

/* What hold_pages() put into the pipe. */
static void read_pages(const struct xrdma_hold *hold, int pipe, char *into, size_t size)
{
	size_t done = 0;
	long got = 1;

	for (; got > 0 && done < size; done += got)
		got = hold->kernel(SYS_read, pipe, into + done, size - done);
}

/* Pipes hold the pages of MOVE. */
static int move_held(const struct xrdma_hold *hold, struct xrdma_move *move, int pipes[][2])
{
	char *blank = xrdma_hold_blank(hold, move->size, move->huge);
	int err = blank ? xrdma_hold_put(hold, blank, move->at, move->size) : -ENOMEM;

	if (err) {
		if (blank)
			hold->kernel(SYS_munmap, blank, move->size);
		return err;
	}
	for (size_t at = 0; at < move->size; at += PIPE_SIZE)
		read_pages(hold, pipes[at / PIPE_SIZE][0], move->into + at,
			   lesser(move->size - at, PIPE_SIZE));
	err = map_into(hold, move);
	if (err)
		xrdma_hold_fill(hold, move->at, move->into, move->size);
	else
		xrdma_hold_wake(hold, hold->swap, move->at, move->size);
	return err;
}

/*
 * Pages that userfaultfd(2) takes no part in: pipes hold them, whatever is mapped in their place
 * meanwhile.
 */
static int move_in_of_file(const struct xrdma_hold *hold, struct xrdma_move *move)
{
	enum { PIPES = XRDMA_MOVE_OF_FILE_MAX / PIPE_SIZE };
	int pipes[PIPES][2] = { { -1, -1 }, { -1, -1 } };
	int err = xrdma_hold_error(
		hold, hold->kernel(SYS_madvise, move->at, move->size, MADV_POPULATE_WRITE));

	for (size_t at = 0; at < move->size && !err; at += PIPE_SIZE)
		err = hold_pages(hold, pipes[at / PIPE_SIZE], move->at + at,
				 lesser(move->size - at, PIPE_SIZE));
	if (!err)
		err = move_held(hold, move, pipes);
	for (int i = 0; i < PIPES; i++) {
		hold->kernel(SYS_close, pipes[i][0]);
		hold->kernel(SYS_close, pipes[i][1]);
	}
	/* Only now are there as many huge pages again. */
	move->kept = !err && move->huge ? xrdma_hold_blank(hold, move->size, move->huge) : NULL;
	return err;
}

/* What there is no memory for remains in the map. */
static int fill(const struct xrdma_hold *hold, struct xrdma_move *move)
{
	struct xrdma_move rest = *move;

	move->back = xrdma_hold_fill(hold, move->at, move->into, move->size);
	if (move->back == move->size)
		return 0;
	rest.at += move->back;
	rest.fd_at += move->back;
	rest.size -= move->back;
	map_into(hold, &rest);
	xrdma_hold_wake(hold, hold->swap, rest.at, rest.size);
	return -ENOMEM;
}

static int move_out(const struct xrdma_hold *hold, struct xrdma_move *move)
{
	char *blank = move->kept ?: xrdma_hold_blank(hold, move->size, 0);
	int err = blank ? xrdma_hold_put(hold, blank, move->at, move->size) : -ENOMEM;

	move->back = 0;
	if (err) {
		if (blank && !move->kept)
			hold->kernel(SYS_munmap, blank, move->size);
		return err;
	}
	if (!move->kept)
		move->huge = 0;
	move->of_file = move->huge;
	move->kept = NULL;
	return fill(hold, move);
}

/*
 * Unlock the memory at AT, and return whether it was locked. mremap(2) with MREMAP_DONTUNMAP counts
 * locked pages once more, for good. MADV_COLD, which changes no contents, is refused for locked
 * memory.
 */
static bool unlock(const struct xrdma_hold *hold, const struct xrdma_move *move)
{
	return hold->kernel(SYS_madvise, move->at, 1L, MADV_COLD) && *hold->failed == EINVAL &&
	       !hold->kernel(SYS_munlock, move->at, move->size);
}

static void lock_again(const struct xrdma_hold *hold, const struct xrdma_move *move, size_t size)
{
	if (move->locked && size)
		hold->kernel(SYS_mlock, move->at, size);
}

static int obey_in(const struct xrdma_hold *hold, struct xrdma_move *move)
{
	int err;

	move->locked = !move->huge && unlock(hold, move);
	err = move->of_file ? move_in_of_file(hold, move) : move_in(hold, move);
	if (err)
		lock_again(hold, move, move->size);
	return err;
}

static int obey_out(const struct xrdma_hold *hold, struct xrdma_move *move)
{
	int err = move_out(hold, move);

	lock_again(hold, move, move->back);
	return err;
}

static enum order next_order(struct mover *own)
{
	while (sem_wait(&own->asked))
		;
	return own->order;
}

/* This thread does not end before the process does: the files of the mappings are the thread's. */
static void *serve(void *arg)
{
	struct mover *own = arg;

	own->hold.failed = &errno;
	own->err = xrdma_mappings_open();
	sem_post(&own->done);
	while (next_order(own) != END) {
		own->err = own->order == MOVE_IN ? obey_in(&own->hold, &own->move)
						 : obey_out(&own->hold, &own->move);
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

/* Of OBJECT, whose thread-local variables the stack of each thread may have to hold. */
static int add_variables(struct dl_phdr_info *object, size_t size, void *of)
{
	size_t *stack = of;

	(void)size;
	for (int i = 0; i < object->dlpi_phnum; i++)
		if (object->dlpi_phdr[i].p_type == PT_TLS)
			*stack += object->dlpi_phdr[i].p_memsz + object->dlpi_phdr[i].p_align;
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
	xrdma_mappings_close();
	return err;
}

static struct mover *map_mover(void)
{
	size_t stack = STACK_SIZE, size;
	struct mover *own;

	dl_iterate_phdr(add_variables, &stack);
	size = whole_pages(sizeof(*own)) + 2 * whole_pages(stack);
	own = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (own == MAP_FAILED)
		return NULL;
	own->size = size;
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
		mover = own;
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
			   "xrdma_alloc(), by userfaultfd(2): %s",
			   strerror(-err));
	return err;
}

void xrdma_mover_forget(void)
{
	if (!mover)
		return;
	xrdma_hold_close(&mover->hold);
	xrdma_process_exit(&mover->process);
	munmap(mover, mover->size);
	xrdma_mappings_close();
	mover = NULL;
}

bool xrdma_mover_owns(__u64 start, __u64 end)
{
	return mover && start < (uintptr_t)mover + mover->size && end > (uintptr_t)mover;
}

static int run(struct xrdma_move *move, enum order order)
{
	mover->move = *move;
	mover->order = order;
	sem_post(&mover->asked);
	while (sem_wait(&mover->done))
		;
	*move = mover->move;
	if (!mover->err)
		move->in = order == MOVE_IN;
	return mover->err;
}

int xrdma_move_in(struct xrdma_move *move)
{
	return run(move, MOVE_IN);
}

int xrdma_move_out(struct xrdma_move *move)
{
	return run(move, MOVE_OUT);
}
