// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/mappings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mem/pagemap.h"

/* PROCMAP_QUERY of Linux 6.11, which the headers of Debian 12 do not have. */
struct query {
	__u64 size, flags, addr;
	__u64 start, end, access, page_size, offset, inode;
	__u32 device[2];
	__u32 name_size, build_id_size;
	__u64 name, build_id;
};

#define QUERY _IOWR('f', 17, struct query)

enum { QUERY_THIS_OR_NEXT = 0x10, READABLE = 1, WRITABLE = 2, EXECUTABLE = 4, SHARED = 8 };

static int maps = -1; /* file descriptor; -1: not open */

int xrdma_mappings_open(void)
{
	int err;

	maps = open("/proc/thread-self/maps", O_RDONLY | O_CLOEXEC);
	if (maps < 0)
		return -errno;
	err = xrdma_pagemap_open();
	if (err)
		xrdma_mappings_close();
	return err;
}

void xrdma_mappings_close(void)
{
	if (maps >= 0)
		close(maps);
	maps = -1;
	xrdma_pagemap_close();
}

/*
 * Append ONE to the list, whose size is the next power of two of COUNT. Returns the new COUNT or
 * -ENOMEM.
 */
static int add(struct xrdma_mapping **mappings, int count, const struct xrdma_mapping *one)
{
	struct xrdma_mapping *more = *mappings;

	if (!(count & (count - 1)))
		more = reallocarray(more, count ? 2 * count : 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	*mappings = more;
	more[count] = *one;
	return count + 1;
}

/* Ask the kernel for the mapping at ADDR, or else for the next one. Returns 0 or -errno. */
static int ask(__u64 addr, struct xrdma_mapping *mapping)
{
	struct query query = {
		.size = sizeof(query),
		.flags = QUERY_THIS_OR_NEXT,
		.addr = addr,
		.name = (uintptr_t)mapping->name,
		.name_size = sizeof(mapping->name),
	};
	int err = ioctl(maps, QUERY, &query);

	if (err && errno == ENAMETOOLONG) {
		query.name = query.name_size = 0;
		err = ioctl(maps, QUERY, &query);
		strcpy(mapping->name, "(a file with a long name)");
	} else if (!query.name_size) {
		*mapping->name = '\0';
	}
	if (err)
		return -errno;
	mapping->start = query.start;
	mapping->end = query.end;
	mapping->offset = query.offset;
	mapping->inode = query.inode;
	mapping->page_size = query.page_size;
	snprintf(mapping->flags, sizeof(mapping->flags), "%c%c%c%c",
		 query.access & READABLE ? 'r' : '-', query.access & WRITABLE ? 'w' : '-',
		 query.access & EXECUTABLE ? 'x' : '-', query.access & SHARED ? 's' : 'p');
	return 0;
}

bool xrdma_mappings_are_asked(void)
{
	struct xrdma_mapping first;

	return ask(0, &first) != -ENOTTY;
}

bool xrdma_mapping_may_be_of_map(__u64 addr, __u64 size, __u64 offset, const void *other)
{
	struct xrdma_mapping there;
	int err = ask(addr, &there);

	if (err == -ENOTTY)
		return xrdma_pages_may_be_same(addr, (uintptr_t)other, size);
	return !err && xrdma_mapping_is_of_map(&there, addr, offset) && there.end - addr >= size;
}

/* List mappings by PROCMAP_QUERY. Returns -ENOTTY if the kernel does not have it. */
static int list_asked(__u64 start, __u64 end, struct xrdma_mapping **mappings)
{
	struct xrdma_mapping one;
	int err = 0, count = 0;

	while (start < end && count >= 0) {
		err = ask(start, &one);
		if (err || one.start >= end)
			break;
		count = add(mappings, count, &one);
		start = one.end;
	}
	return err && err != -ENOENT ? err : count;
}

/* Read a line of proc_pid_maps(5). */
static bool read_line(const char *line, struct xrdma_mapping *mapping)
{
	unsigned long long start, end, offset, inode;
	int name = 0;

	if (sscanf(line, "%llx-%llx %4s %llx %*x:%*x %llu %n", &start, &end, mapping->flags,
		   &offset, &inode, &name) != 5)
		return false;
	mapping->start = start;
	mapping->end = end;
	mapping->offset = offset;
	mapping->inode = inode;
	mapping->page_size = 0;
	snprintf(mapping->name, sizeof(mapping->name), "%s", line + name);
	return true;
}

/* Text that was read and is not parsed yet. It begins at the start of a line. */
struct text {
	size_t used; /* bytes */
	char bytes[8192];
};

/*
 * A visitor is called with one mapping after the other, in the order of their addresses. ARG is
 * what its caller has given. A visitor returns 0 to see the next mapping; if it returns another
 * value, it sees no more of them.
 */
typedef int visitor(const struct xrdma_mapping *one, void *arg);

/*
 * Call VISIT for the mappings from START up to END in the whole lines of TEXT, and drop these
 * lines.
 */
static int parse(struct text *text, __u64 start, __u64 end, visitor *visit, void *arg)
{
	struct xrdma_mapping one;
	char *line = text->bytes, *rest = text->bytes + text->used, *line_end;
	int stop = 0;

	while (!stop && (line_end = memchr(line, '\n', rest - line))) {
		*line_end = '\0';
		if (!read_line(line, &one))
			stop = -EIO;
		else if (one.start < end && one.end > start)
			stop = visit(&one, arg);
		line = line_end + 1;
	}
	text->used = rest - line;
	memmove(text->bytes, line, text->used);
	return stop;
}

/*
 * Call VISIT for all mappings, by their text. It is read in parts, since a process that has as many
 * mappings as it may have gets no memory for all of it. Returns the last result of VISIT, or
 * -errno.
 */
static int visit_text(__u64 start, __u64 end, visitor *visit, void *arg)
{
	struct text text = { .used = 0 };
	int stop = 0;
	ssize_t got;

	if (lseek(maps, 0, SEEK_SET))
		return -errno;
	got = read(maps, text.bytes, sizeof(text.bytes));
	if (!got)
		return -ESRCH;
	while (got > 0 && !stop) {
		text.used += got;
		stop = parse(&text, start, end, visit, arg);
		if (text.used == sizeof(text.bytes))
			return -EIO; /* a line is too long */
		got = read(maps, text.bytes + text.used, sizeof(text.bytes) - text.used);
	}
	return got < 0 && !stop ? -errno : stop;
}

struct list {
	struct xrdma_mapping **mappings;
	int count; /* or -ENOMEM */
};

static int add_visited(const struct xrdma_mapping *one, void *arg)
{
	struct list *list = arg;

	list->count = add(list->mappings, list->count, one);
	return list->count < 0 ? list->count : 0;
}

static int list_text(__u64 start, __u64 end, struct xrdma_mapping **mappings)
{
	struct list list = { .mappings = mappings };

	return visit_text(start, end, add_visited, &list) ?: list.count;
}

int xrdma_mappings_list(__u64 start, __u64 end, struct xrdma_mapping **mappings)
{
	int count;

	*mappings = NULL;
	count = list_asked(start, end, mappings);
	if (count == -ENOTTY)
		count = list_text(start, end, mappings);
	if (count < 0) {
		free(*mappings);
		*mappings = NULL;
	}
	return count;
}

static bool are_alike(const struct xrdma_mapping *a, const struct xrdma_mapping *b)
{
	return a->start == b->start && a->end == b->end && a->offset == b->offset &&
	       a->inode == b->inode && !strcmp(a->flags, b->flags) && !strcmp(a->name, b->name);
}

bool xrdma_mappings_are_old(const struct xrdma_mapping *mappings, int count, __u64 start, __u64 end)
{
	struct xrdma_mapping *now;
	const int count_now = xrdma_mappings_list(start, end, &now);
	bool old = count_now != count;

	for (int i = 0; i < count && !old; i++)
		old = !are_alike(&mappings[i], &now[i]);
	free(now);
	return old;
}

/* Returns whether MAPPING goes on with memory at *AT, which becomes its end. */
static bool goes_on(const struct xrdma_mapping *mapping, __u64 *at)
{
	const bool there = mapping->start <= *at && !xrdma_mapping_is_reserved(mapping);

	*at = mapping->end;
	return there;
}

static int stop_at_hole(const struct xrdma_mapping *one, void *at)
{
	return !goes_on(one, at);
}

/* Do the work of xrdma_mappings_fill() by the text of all mappings. */
static int fill_by_text(__u64 start, __u64 end)
{
	int stop = visit_text(start, end, stop_at_hole, &start);

	return stop < 0 ? stop : !stop && start >= end;
}

int xrdma_mappings_fill(__u64 start, __u64 end)
{
	struct xrdma_mapping one;
	bool filled = true;
	int err = 0;

	while (start < end && filled) {
		err = ask(start, &one);
		if (err == -ENOTTY)
			return fill_by_text(start, end);
		if (err)
			return err == -ENOENT ? 0 : err;
		filled = goes_on(&one, &start);
	}
	return filled;
}

const struct xrdma_mapping *xrdma_mappings_in(const struct xrdma_mapping *mappings, int *count,
					      __u64 start, __u64 end)
{
	for (; *count && mappings->end <= start; --*count)
		mappings++;
	while (*count && mappings[*count - 1].start >= end)
		--*count;
	return mappings;
}

const struct xrdma_mapping *xrdma_mappings_at(const struct xrdma_mapping *mappings, int count,
					      __u64 at, __u64 *end)
{
	__u64 border;
	bool there;

	mappings = xrdma_mappings_in(mappings, &count, at, *end);
	if (!count)
		return NULL;
	there = mappings->start <= at;
	border = there ? mappings->end : mappings->start;
	if (*end > border)
		*end = border;
	return there ? mappings : NULL;
}

__u64 xrdma_mapping_page_size(const struct xrdma_mapping *mapping)
{
	FILE *smaps = mapping->page_size ? NULL : fopen("/proc/thread-self/smaps", "re");
	unsigned long long start, end, kib = mapping->page_size >> 10;
	char line[512];
	bool here = false;

	while (smaps && !kib && fgets(line, sizeof(line), smaps)) {
		if (sscanf(line, "%llx-%llx ", &start, &end) == 2)
			here = start == mapping->start;
		else if (here)
			sscanf(line, "KernelPageSize: %llu kB", &kib);
	}
	if (smaps)
		fclose(smaps);
	return kib << 10;
}
