// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "lib/mappings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Of proc_pid_maps(5). */
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
	snprintf(mapping->name, sizeof(mapping->name), "%.*s", (int)strcspn(line + name, "\n"),
		 line + name);
	return true;
}

static int list(FILE *maps, __u64 start, __u64 end, struct xrdma_mapping **mappings)
{
	struct xrdma_mapping one, *more;
	char *line = NULL;
	size_t size = 0;
	int count = 0;

	while (getline(&line, &size, maps) > 0) {
		if (!read_line(line, &one) || one.end <= start)
			continue;
		if (one.start >= end)
			break;
		more = reallocarray(*mappings, count + 1, sizeof(**mappings));
		if (!more) {
			count = -ENOMEM;
			break;
		}
		*mappings = more;
		more[count++] = one;
	}
	free(line);
	return count;
}

int xrdma_mappings_list(__u64 start, __u64 end, struct xrdma_mapping **mappings)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	int count;

	*mappings = NULL;
	if (!maps)
		return -errno;
	count = list(maps, start, end, mappings);
	fclose(maps);
	if (count < 0) {
		free(*mappings);
		*mappings = NULL;
	}
	return count;
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

__u64 xrdma_mapping_page_size(const struct xrdma_mapping *mapping)
{
	FILE *smaps = fopen("/proc/self/smaps", "re");
	unsigned long long start, end, kib = 0;
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
	return kib ? kib << 10 : (__u64)sysconf(_SC_PAGESIZE);
}

/*
 * Number of the page of physical memory at ADDR, or 0. There is none in the page table before the
 * page is first used: since Linux 7 that is so with maps too.
 */
static __u64 frame_at(FILE *pagemap, __u64 addr)
{
	const __u64 number = (1ULL << 55) - 1, size = sysconf(_SC_PAGESIZE);
	__u64 entry;

	madvise((void *)(addr / size * size), size, MADV_POPULATE_READ);
	if (!pagemap || fseeko(pagemap, addr / size * sizeof(entry), SEEK_SET) ||
	    fread(&entry, sizeof(entry), 1, pagemap) != 1)
		return 0;
	return entry & number;
}

bool xrdma_mapping_same(__u64 a, __u64 b)
{
	FILE *pagemap = fopen("/proc/self/pagemap", "re");
	const __u64 frame_a = frame_at(pagemap, a), frame_b = frame_at(pagemap, b);

	if (pagemap)
		fclose(pagemap);
	return !frame_a || !frame_b || frame_a == frame_b;
}
