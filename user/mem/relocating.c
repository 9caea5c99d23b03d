// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/relocating.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "lib/bounds.h"
#include "mem/mappings.h"

enum { PIPE_SIZE = 1 << 20 }; /* bytes; a process without privileges may have so many (pipe(7)) */

static int protect(const struct xrdma_freeze *freeze, char *at, size_t size, int prot)
{
	return xrdma_freeze_error(freeze, freeze->kernel(SYS_mprotect, at, size, prot));
}

/* A page of a map that was ever mapped without PROT_WRITE cannot get it by mprotect(2). */
static int map_into(const struct xrdma_freeze *freeze, const struct xrdma_relocation *relocation)
{
	int err = xrdma_freeze_error(freeze,
				     freeze->kernel(SYS_mmap, relocation->at, relocation->size,
						    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
						    relocation->fd, (long)relocation->fd_at));

	if (err)
		return err;
	freeze->kernel(SYS_madvise, relocation->at, relocation->size, MADV_DONTFORK);
	if (relocation->prot != (PROT_READ | PROT_WRITE))
		protect(freeze, relocation->at, relocation->size, relocation->prot);
	return 0;
}

/*
 * Map the pages of the map at RELOCATION->at, which is registered with FD. This fails with -EAGAIN,
 * and changes nothing, if another thread has mapped something else there since, or unmapped some of
 * it.
 */
static int map_in_place(const struct xrdma_freeze *freeze, int fd,
			const struct xrdma_relocation *relocation)
{
	return xrdma_freeze_has(freeze, fd, relocation->at, relocation->size)
		       ? map_into(freeze, relocation)
		       : -EAGAIN;
}

/* Copy the pages of RELOCATION, which are at PAGES now, into the map, and map the map over them. */
static int replace(const struct xrdma_freeze *freeze, const struct xrdma_relocation *relocation,
		   char *pages)
{
	int err = protect(freeze, pages, relocation->size, PROT_READ | PROT_WRITE);

	if (err)
		return err;
	freeze->copy(relocation->into, pages, relocation->size);
	err = map_in_place(freeze, freeze->away, relocation);
	if (err)
		protect(freeze, pages, relocation->size, relocation->prot);
	return err;
}

/*
 * Put the pages of RELOCATION, which are at PAGES, back where they were. Drop those where another
 * thread has mapped or unmapped something since.
 */
static void put_back(const struct xrdma_freeze *freeze, const struct xrdma_relocation *relocation,
		     char *pages)
{
	size_t at, end;

	for (at = 0; at < relocation->size; at = end) {
		const bool has =
			xrdma_freeze_has(freeze, freeze->away, relocation->at + at, freeze->page);

		for (end = at + freeze->page; end < relocation->size; end += freeze->page)
			if (xrdma_freeze_has(freeze, freeze->away, relocation->at + end,
					     freeze->page) != has)
				break;
		if (has)
			xrdma_freeze_remap(freeze, pages + at, end - at, relocation->at + at);
		else
			freeze->kernel(SYS_munmap, pages + at, end - at);
		if (has && relocation->watch)
			xrdma_freeze_watch(freeze, relocation->at + at, end - at);
	}
}

/*
 * Write a page of RELOCATION's memory, and change nothing of it. If no page of a mapping was ever
 * written, and mremap(2) puts it just beside its old place, the kernel makes one mapping of both
 * places, and forgets that threads are to wait at the old one.
 */
static int write_page(const struct xrdma_freeze *freeze, const struct xrdma_relocation *relocation)
{
	return xrdma_freeze_error(freeze, freeze->kernel(SYS_madvise, relocation->at, freeze->page,
							 MADV_POPULATE_WRITE));
}

/* Move the pages elsewhere in one step. Threads that touch the old place wait. */
static int move_in(const struct xrdma_freeze *freeze, struct xrdma_relocation *relocation)
{
	long pages;
	int err = relocation->prot == (PROT_READ | PROT_WRITE) ? write_page(freeze, relocation) : 0;

	err = err ?: xrdma_freeze_begin(freeze, freeze->away, relocation->at, relocation->size);
	if (err)
		return err;
	pages = freeze->kernel(SYS_mremap, relocation->at, relocation->size, relocation->size,
			       (long)(MREMAP_MAYMOVE | MREMAP_DONTUNMAP), NULL);
	if (pages == -1) {
		err = -*freeze->failed;
		xrdma_freeze_end(freeze, freeze->away, relocation->at, relocation->size);
		return err;
	}
	err = replace(freeze, relocation, (char *)pages);
	if (err) {
		put_back(freeze, relocation, (char *)pages);
	} else {
		xrdma_freeze_empty(freeze, (char *)pages, relocation->size);
		relocation->origin = (char *)pages;
	}
	xrdma_freeze_wake(freeze, freeze->away, relocation->at, relocation->size);
	return err;
}

/*
 * Make a pipe that holds references to the pages of SIZE bytes at AT, and set both ENDS, which are
 * -1 before. The pipe does not copy the pages.
 */
static int pipe_pages(const struct xrdma_freeze *freeze, int ends[2], char *at, size_t size)
{
	struct iovec pages = { at, size };
	int err = xrdma_freeze_error(freeze, freeze->kernel(SYS_pipe2, ends, O_CLOEXEC));

	if (!err)
		err = xrdma_freeze_error(freeze,
					 freeze->kernel(SYS_fcntl, ends[1], F_SETPIPE_SZ, size));
	if (!err &&
	    freeze->kernel(SYS_vmsplice, ends[1], &pages, 1L, SPLICE_F_NONBLOCK) != (long)size)
		err = -ENOMEM;
	return err;
}

/* Copy SIZE bytes to INTO from a pipe that pipe_pages() filled. */
static void read_pages(const struct xrdma_freeze *freeze, int pipe, char *into, size_t size)
{
	size_t done = 0;
	long got = 1;

	for (; got > 0 && done < size; done += got)
		got = freeze->kernel(SYS_read, pipe, into + done, size - done);
}

/* Make pipes that hold the pages of RELOCATION. */
static int move_piped(const struct xrdma_freeze *freeze, struct xrdma_relocation *relocation,
		      int pipes[][2])
{
	char *blank = xrdma_freeze_blank(freeze, relocation->size, relocation->huge);
	int err =
		blank ? xrdma_freeze_put(freeze, blank, relocation->at, relocation->size) : -ENOMEM;

	if (err) {
		if (blank)
			freeze->kernel(SYS_munmap, blank, relocation->size);
		return err;
	}
	for (size_t at = 0; at < relocation->size; at += PIPE_SIZE)
		read_pages(freeze, pipes[at / PIPE_SIZE][0], relocation->into + at,
			   xrdma_lesser(relocation->size - at, PIPE_SIZE));
	err = map_in_place(freeze, freeze->swap, relocation);
	if (err)
		xrdma_freeze_fill(freeze, relocation->at, relocation->into, relocation->size,
				  relocation->watch);
	else
		xrdma_freeze_wake(freeze, freeze->swap, relocation->at, relocation->size);
	return err;
}

/*
 * Move pages in that userfaultfd(2) does not support. Pipes hold the pages while something else is
 * mapped in their place.
 */
static int move_in_of_file(const struct xrdma_freeze *freeze, struct xrdma_relocation *relocation)
{
	enum { PIPES = XRDMA_RELOCATION_OF_FILE_MAX / PIPE_SIZE };
	int pipes[PIPES][2] = { { -1, -1 }, { -1, -1 } };
	int err = protect(freeze, relocation->at, relocation->size, PROT_READ | PROT_WRITE)
			  ?: xrdma_freeze_error(freeze, freeze->kernel(SYS_madvise, relocation->at,
								       relocation->size,
								       MADV_POPULATE_WRITE));

	for (size_t at = 0; at < relocation->size && !err; at += PIPE_SIZE)
		err = pipe_pages(freeze, pipes[at / PIPE_SIZE], relocation->at + at,
				 xrdma_lesser(relocation->size - at, PIPE_SIZE));
	if (!err)
		err = move_piped(freeze, relocation, pipes);
	for (int i = 0; i < PIPES; i++) {
		freeze->kernel(SYS_close, pipes[i][0]);
		freeze->kernel(SYS_close, pipes[i][1]);
	}
	if (err)
		protect(freeze, relocation->at, relocation->size, relocation->prot);
	/* Only now are there as many huge pages again. */
	relocation->origin = !err && relocation->huge ? xrdma_freeze_blank(freeze, relocation->size,
									   relocation->huge)
						      : NULL;
	return err;
}

/*
 * Fill the place of RELOCATION with the bytes of the map, but for memory that another thread has
 * mapped or unmapped there since. If the kernel runs out of memory, the rest stays mapped from the
 * map.
 */
static int fill(const struct xrdma_freeze *freeze, struct xrdma_relocation *relocation)
{
	struct xrdma_relocation rest = *relocation;

	relocation->back = xrdma_freeze_fill(freeze, relocation->at, relocation->into,
					     relocation->size, relocation->watch);
	if (relocation->back == relocation->size)
		return 0;
	rest.at += relocation->back;
	rest.fd_at += relocation->back;
	rest.size -= relocation->back;
	map_into(freeze, &rest);
	xrdma_freeze_wake(freeze, freeze->swap, rest.at, rest.size);
	return -ENOMEM;
}

static int move_out(const struct xrdma_freeze *freeze, struct xrdma_relocation *relocation)
{
	char *blank = relocation->origin ?: xrdma_freeze_blank(freeze, relocation->size, 0);
	int err = blank ? protect(freeze, blank, relocation->size, relocation->prot) : -ENOMEM;

	if (!err && !xrdma_mapping_may_be_of_map((uintptr_t)relocation->at, relocation->size,
						 relocation->fd_at, relocation->into))
		err = -EAGAIN;
	err = err ?: xrdma_freeze_put(freeze, blank, relocation->at, relocation->size);

	relocation->back = 0;
	if (err) {
		if (blank && !relocation->origin)
			freeze->kernel(SYS_munmap, blank, relocation->size);
		return err;
	}
	if (!relocation->origin)
		relocation->huge = 0;
	relocation->of_file = relocation->huge;
	relocation->origin = NULL;
	return fill(freeze, relocation);
}

/*
 * Unlock the memory at AT, and return whether it was locked. mremap(2) with MREMAP_DONTUNMAP counts
 * locked pages once more, for good. MADV_COLD, which changes no contents, is refused for locked
 * memory.
 */
static bool unlock(const struct xrdma_freeze *freeze, const struct xrdma_relocation *relocation)
{
	return freeze->kernel(SYS_madvise, relocation->at, 1L, MADV_COLD) &&
	       *freeze->failed == EINVAL &&
	       !freeze->kernel(SYS_munlock, relocation->at, relocation->size);
}

static void lock_again(const struct xrdma_freeze *freeze, const struct xrdma_relocation *relocation,
		       size_t size)
{
	if (relocation->locked && size)
		freeze->kernel(SYS_mlock, relocation->at, size);
}

/*
 * Returns 0 if all watched pages of RELOCATION are still mapped, or if none is watched. Returns
 * -ENOENT if the first page is not mapped, and -EAGAIN if only another page is not.
 */
static int find_watched(const struct xrdma_freeze *freeze,
			const struct xrdma_relocation *relocation)
{
	if (!relocation->watched ||
	    xrdma_freeze_has(freeze, freeze->swap, relocation->at, relocation->size))
		return 0;
	return xrdma_freeze_has(freeze, freeze->swap, relocation->at, freeze->page) ? -EAGAIN
										    : -ENOENT;
}

int xrdma_relocating_unwatch(const struct xrdma_freeze *freeze, struct xrdma_relocation *relocation)
{
	const size_t part = find_watched(freeze, relocation) ? freeze->page : relocation->size;

	for (size_t at = 0; relocation->watched && at < relocation->size; at += part)
		if (xrdma_freeze_has(freeze, freeze->swap, relocation->at + at, part))
			xrdma_freeze_end(freeze, freeze->swap, relocation->at + at, part);
	relocation->watched = false;
	return 0;
}

int xrdma_relocating_in(const struct xrdma_freeze *freeze, struct xrdma_relocation *relocation)
{
	int err = find_watched(freeze, relocation);

	if (err)
		return err;
	relocation->watch = relocation->watched;
	xrdma_relocating_unwatch(freeze, relocation);
	relocation->locked = !relocation->huge && unlock(freeze, relocation);
	err = relocation->of_file ? move_in_of_file(freeze, relocation)
				  : move_in(freeze, relocation);
	if (err) {
		lock_again(freeze, relocation, relocation->size);
		relocation->watched = relocation->watch &&
				      (err == -EAGAIN || xrdma_freeze_watch(freeze, relocation->at,
									    relocation->size));
	}
	relocation->watch = false;
	return err;
}

int xrdma_relocating_out(const struct xrdma_freeze *freeze, struct xrdma_relocation *relocation)
{
	int err = move_out(freeze, relocation);

	lock_again(freeze, relocation, relocation->back);
	relocation->watched = !err && relocation->watch && freeze->knows_others;
	return err;
}
