// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/moving.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "lib/bounds.h"
#include "mem/mappings.h"

enum { PIPE_SIZE = 1 << 20 }; /* bytes; a process without privileges may have so many (pipe(7)) */

static int protect(const struct xrdma_hold *hold, char *at, size_t size, int prot)
{
	return xrdma_hold_error(hold, hold->kernel(SYS_mprotect, at, size, prot));
}

/* A page of a map that was ever mapped without PROT_WRITE cannot get it by mprotect(2). */
static int map_into(const struct xrdma_hold *hold, const struct xrdma_move *move)
{
	int err = xrdma_hold_error(
		hold, hold->kernel(SYS_mmap, move->at, move->size, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_FIXED, move->fd, (long)move->fd_at));

	if (err)
		return err;
	hold->kernel(SYS_madvise, move->at, move->size, MADV_DONTFORK);
	if (move->prot != (PROT_READ | PROT_WRITE))
		protect(hold, move->at, move->size, move->prot);
	return 0;
}

/*
 * Map the map in the place of MOVE, which was made memory of FD. This fails with -EAGAIN, and
 * changes nothing, if another thread has mapped something else there since, or unmapped some of it.
 */
static int map_in_place(const struct xrdma_hold *hold, int fd, const struct xrdma_move *move)
{
	return xrdma_hold_has(hold, fd, move->at, move->size) ? map_into(hold, move) : -EAGAIN;
}

/* Copy the pages of MOVE, which are at PAGES now, into the map, and map that in their place. */
static int replace(const struct xrdma_hold *hold, const struct xrdma_move *move, char *pages)
{
	int err = protect(hold, pages, move->size, PROT_READ | PROT_WRITE);

	if (err)
		return err;
	hold->copy(move->into, pages, move->size);
	err = map_in_place(hold, hold->away, move);
	if (err)
		protect(hold, pages, move->size, move->prot);
	return err;
}

/*
 * Put the pages of MOVE, which are at PAGES, back where they were. Where another thread has mapped
 * or unmapped something since, drop them instead.
 */
static void put_back(const struct xrdma_hold *hold, const struct xrdma_move *move, char *pages)
{
	size_t at, end;

	for (at = 0; at < move->size; at = end) {
		const bool has = xrdma_hold_has(hold, hold->away, move->at + at, hold->page);

		for (end = at + hold->page; end < move->size; end += hold->page)
			if (xrdma_hold_has(hold, hold->away, move->at + end, hold->page) != has)
				break;
		if (has)
			xrdma_hold_remap(hold, pages + at, end - at, move->at + at);
		else
			hold->kernel(SYS_munmap, pages + at, end - at);
		if (has && move->watch)
			xrdma_hold_watch(hold, move->at + at, end - at);
	}
}

/*
 * Write a page of MOVE's memory, and change nothing of it. If no page of a mapping was ever
 * written, and mremap(2) puts it just beside its old place, the kernel makes one mapping of both
 * places, and forgets that threads are to wait at the old one.
 */
static int write_page(const struct xrdma_hold *hold, const struct xrdma_move *move)
{
	return xrdma_hold_error(
		hold, hold->kernel(SYS_madvise, move->at, hold->page, MADV_POPULATE_WRITE));
}

/* The pages go elsewhere at once; who touches what they left waits. */
static int move_in(const struct xrdma_hold *hold, struct xrdma_move *move)
{
	long pages;
	int err = move->prot == (PROT_READ | PROT_WRITE) ? write_page(hold, move) : 0;

	err = err ?: xrdma_hold_begin(hold, hold->away, move->at, move->size);
	if (err)
		return err;
	pages = hold->kernel(SYS_mremap, move->at, move->size, move->size,
			     (long)(MREMAP_MAYMOVE | MREMAP_DONTUNMAP), NULL);
	if (pages == -1) {
		err = -*hold->failed;
		xrdma_hold_end(hold, hold->away, move->at, move->size);
		return err;
	}
	err = replace(hold, move, (char *)pages);
	if (err) {
		put_back(hold, move, (char *)pages);
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

/* Copy SIZE bytes to INTO from a pipe that hold_pages() filled. */
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
			   xrdma_lesser(move->size - at, PIPE_SIZE));
	err = map_in_place(hold, hold->swap, move);
	if (err)
		xrdma_hold_fill(hold, move->at, move->into, move->size, move->watch);
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
	int err = protect(hold, move->at, move->size, PROT_READ | PROT_WRITE)
			  ?: xrdma_hold_error(hold, hold->kernel(SYS_madvise, move->at, move->size,
								 MADV_POPULATE_WRITE));

	for (size_t at = 0; at < move->size && !err; at += PIPE_SIZE)
		err = hold_pages(hold, pipes[at / PIPE_SIZE], move->at + at,
				 xrdma_lesser(move->size - at, PIPE_SIZE));
	if (!err)
		err = move_held(hold, move, pipes);
	for (int i = 0; i < PIPES; i++) {
		hold->kernel(SYS_close, pipes[i][0]);
		hold->kernel(SYS_close, pipes[i][1]);
	}
	if (err)
		protect(hold, move->at, move->size, move->prot);
	/* Only now are there as many huge pages again. */
	move->kept = !err && move->huge ? xrdma_hold_blank(hold, move->size, move->huge) : NULL;
	return err;
}

/*
 * Fill the place of MOVE with the bytes that the map has, but for what another thread has mapped or
 * unmapped there since. If the memory for that runs out, the rest stays mapped from the map.
 */
static int fill(const struct xrdma_hold *hold, struct xrdma_move *move)
{
	struct xrdma_move rest = *move;

	move->back = xrdma_hold_fill(hold, move->at, move->into, move->size, move->watch);
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
	int err = blank ? protect(hold, blank, move->size, move->prot) : -ENOMEM;

	if (!err &&
	    !xrdma_mapping_may_be_of_map((uintptr_t)move->at, move->size, move->fd_at, move->into))
		err = -EAGAIN;
	err = err ?: xrdma_hold_put(hold, blank, move->at, move->size);

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

/*
 * Returns 0 if what is watched of MOVE is there, or nothing is watched. If its first page is not,
 * returns -ENOENT; if only another one is not, -EAGAIN.
 */
static int find_watched(const struct xrdma_hold *hold, const struct xrdma_move *move)
{
	if (!move->watched || xrdma_hold_has(hold, hold->swap, move->at, move->size))
		return 0;
	return xrdma_hold_has(hold, hold->swap, move->at, hold->page) ? -EAGAIN : -ENOENT;
}

int xrdma_moving_unwatch(const struct xrdma_hold *hold, struct xrdma_move *move)
{
	const size_t part = find_watched(hold, move) ? hold->page : move->size;

	for (size_t at = 0; move->watched && at < move->size; at += part)
		if (xrdma_hold_has(hold, hold->swap, move->at + at, part))
			xrdma_hold_end(hold, hold->swap, move->at + at, part);
	move->watched = false;
	return 0;
}

int xrdma_moving_in(const struct xrdma_hold *hold, struct xrdma_move *move)
{
	int err = find_watched(hold, move);

	if (err)
		return err;
	move->watch = move->watched;
	xrdma_moving_unwatch(hold, move);
	move->locked = !move->huge && unlock(hold, move);
	err = move->of_file ? move_in_of_file(hold, move) : move_in(hold, move);
	if (err) {
		lock_again(hold, move, move->size);
		move->watched = move->watch &&
				(err == -EAGAIN || xrdma_hold_watch(hold, move->at, move->size));
	}
	move->watch = false;
	return err;
}

int xrdma_moving_out(const struct xrdma_hold *hold, struct xrdma_move *move)
{
	int err = move_out(hold, move);

	lock_again(hold, move, move->back);
	move->watched = !err && move->watch && hold->knows_others;
	return err;
}
