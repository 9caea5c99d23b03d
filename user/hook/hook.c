// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Replacements for functions of the C library that change mappings. They are only in libxrdma.so.
 * Each one evicts the memory from the registration cache first (mem/cache.h), and no memory is
 * relocated while it runs (mem/relocator.h).
 */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include "mem/cache.h"
#include "mem/monitor.h"
#include "mem/relocator.h"

#define HOOK __attribute__((visibility("default")))

#define HOOKS(DO)         \
	DO(realloc)       \
	DO(munmap)        \
	DO(mmap)          \
	DO(mmap64)        \
	DO(mremap)        \
	DO(madvise)       \
	DO(mprotect)      \
	DO(pkey_mprotect) \
	DO(mlock)         \
	DO(mlock2)        \
	DO(munlock)       \
	DO(mlockall)      \
	DO(munlockall)    \
	DO(brk)           \
	DO(sbrk)          \
	DO(shmat)         \
	DO(dlclose)       \
	DO(free)

/* Functions that this library replaces. */
static struct next {
#define POINTER(name) __typeof__(name) *name;
	HOOKS(POINTER)
} next;

static void find_next(void)
{
#define FIND(name) XRDMA_PUBLISH(next.name, dlsym(RTLD_NEXT, #name));
	HOOKS(FIND)
}

/*
 * Returns the functions of the C library. Other libraries may call before start() has run. FREE is
 * the last one to be looked up.
 */
static const struct next *get_next(void)
{
	if (__builtin_expect(!XRDMA_OBSERVE(next.free), 0))
		find_next();
	return &next;
}

/* Returns whether calls of NAME in this process come to this library. */
static bool is_called(const char *name)
{
	const void *called = dlsym(RTLD_DEFAULT, name);
	Dl_info here, there;

	return dladdr(&next, &here) && called && dladdr(called, &there) &&
	       here.dli_fbase == there.dli_fbase;
}

static void drop(uintptr_t start, uintptr_t end)
{
	const int saved = errno;

	if (xrdma_cache_may_have(start, end))
		xrdma_cache_drop(start, end);
	errno = saved;
}

static void drop_size(const void *start, size_t size)
{
	drop((uintptr_t)start, (uintptr_t)start + size);
}

static void drop_all(void)
{
	drop(0, UINTPTR_MAX);
}

static void unblock(const bool *blocked)
{
	xrdma_relocator_unblock(*blocked);
}

/*
 * If CHANGES is true, prevent relocations until the end of the enclosing function. Use this in
 * functions that change how memory is mapped, but not in those that may take long because they fill
 * memory.
 */
#define BLOCK_RELOCATIONS_IF(changes)                                  \
	const bool blocked __attribute__((cleanup(unblock), unused)) = \
		(changes) && xrdma_relocator_block()

static void drop_chunk(void *chunk)
{
	if (chunk && xrdma_cache_may_have((uintptr_t)chunk, UINTPTR_MAX))
		drop_size(chunk, malloc_usable_size(chunk));
}

static __attribute__((constructor)) void start(void)
{
	bool called = true;

	get_next();
#define CHECK(name) called = called && is_called(#name);
	HOOKS(CHECK)
	if (called)
		xrdma_monitor_has_hooks();
}

HOOK void free(void *chunk)
{
	drop_chunk(chunk);
	get_next()->free(chunk);
}

HOOK void *realloc(void *chunk, size_t size)
{
	drop_chunk(chunk);
	return get_next()->realloc(chunk, size);
}

HOOK int munmap(void *addr, size_t len)
{
	drop_size(addr, len);
	BLOCK_RELOCATIONS_IF(true);
	return get_next()->munmap(addr, len);
}

HOOK void *mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	if (flags & MAP_FIXED)
		drop_size(addr, len);
	BLOCK_RELOCATIONS_IF(flags & MAP_FIXED);
	return get_next()->mmap(addr, len, prot, flags, fd, offset);
}

HOOK void *mmap64(void *addr, size_t len, int prot, int flags, int fd, off64_t offset)
{
	if (flags & MAP_FIXED)
		drop_size(addr, len);
	BLOCK_RELOCATIONS_IF(flags & MAP_FIXED);
	return get_next()->mmap64(addr, len, prot, flags, fd, offset);
}

HOOK void *mremap(void *old, size_t old_size, size_t new_size, int flags, ...)
{
	void *to = NULL;
	va_list rest;

	if (flags & (MREMAP_FIXED | MREMAP_DONTUNMAP)) {
		va_start(rest, flags);
		to = va_arg(rest, void *);
		va_end(rest);
	}
	drop_size(old, old_size ?: 1);
	if (flags & MREMAP_FIXED)
		drop_size(to, new_size);
	BLOCK_RELOCATIONS_IF(true);
	return get_next()->mremap(old, old_size, new_size, flags, to);
}

HOOK int madvise(void *addr, size_t len, int advice)
{
	drop_size(addr, len);
	BLOCK_RELOCATIONS_IF(advice == MADV_DONTNEED || advice == MADV_DONTNEED_LOCKED);
	return get_next()->madvise(addr, len, advice);
}

HOOK int mprotect(void *addr, size_t len, int prot)
{
	drop_size(addr, len);
	BLOCK_RELOCATIONS_IF(true);
	return get_next()->mprotect(addr, len, prot);
}

HOOK int pkey_mprotect(void *addr, size_t len, int prot, int pkey)
{
	drop_size(addr, len);
	BLOCK_RELOCATIONS_IF(true);
	return get_next()->pkey_mprotect(addr, len, prot, pkey);
}

HOOK int mlock(const void *addr, size_t len)
{
	drop_size(addr, len);
	return get_next()->mlock(addr, len);
}

HOOK int mlock2(const void *addr, size_t len, unsigned int flags)
{
	drop_size(addr, len);
	return get_next()->mlock2(addr, len, flags);
}

HOOK int munlock(const void *addr, size_t len)
{
	drop_size(addr, len);
	return get_next()->munlock(addr, len);
}

HOOK int mlockall(int flags)
{
	drop_all();
	return get_next()->mlockall(flags);
}

HOOK int munlockall(void)
{
	drop_all();
	return get_next()->munlockall();
}

HOOK int brk(void *end)
{
	drop((uintptr_t)end, (uintptr_t)get_next()->sbrk(0));
	BLOCK_RELOCATIONS_IF(true);
	return get_next()->brk(end);
}

HOOK void *sbrk(intptr_t increment)
{
	const uintptr_t end = (uintptr_t)get_next()->sbrk(0);

	if (increment < 0)
		drop(end + increment, end);
	BLOCK_RELOCATIONS_IF(increment < 0);
	return get_next()->sbrk(increment);
}

/* Only the kernel knows the length of the segment. */
HOOK void *shmat(int id, const void *addr, int flags)
{
	if (flags & SHM_REMAP)
		drop((uintptr_t)addr, UINTPTR_MAX);
	BLOCK_RELOCATIONS_IF(flags & SHM_REMAP);
	return get_next()->shmat(id, addr, flags);
}

/* A library, and those that only it needs, may have data that is registered. */
HOOK int dlclose(void *library)
{
	drop_all();
	return get_next()->dlclose(library);
}
