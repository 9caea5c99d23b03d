// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "plain.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "life.h"

struct plain plain;

struct part random_part(size_t max)
{
	struct part part = { .first = below(PAGES) };
	const size_t room = PAGES - part.first;

	part.count = 1 + below(room < max ? room : max);
	return part;
}

void plain_start(void *at)
{
	plain = (struct plain){ .at = at };
}

static __u8 *address(size_t page)
{
	return plain.at + page * PAGE;
}

static bool is_registered(const struct cell *cell)
{
	return cell->registered[0] || cell->registered[1];
}

void cell_hold(struct cell *cell)
{
	cell->users++;
}

void cell_drop(struct cell *cell)
{
	if (!--cell->users)
		free(cell);
}

/* Remove the cell from PAGE. */
static void hide(struct page *page)
{
	if (!page->cell)
		return;
	page->cell->shown = false;
	cell_drop(page->cell);
	*page = (struct page){ 0 };
}

static void show(struct page *page, struct cell *cell, int prot)
{
	hide(page);
	cell->shown = true;
	*page = (struct page){ .cell = cell, .prot = prot };
}

static void hide_part(struct part part)
{
	for (size_t i = part.first; i < part.first + part.count; i++)
		hide(&plain.pages[i]);
}

void plain_unmap(struct part part)
{
	trace("unmap", part.first, part.count);
	must(!munmap(address(part.first), part.count * PAGE), "munmap(): %s", strerror(errno));
	hide_part(part);
}

void plain_map(struct part part)
{
	void *const at = address(part.first);

	trace("map", part.first, part.count);
	must(mmap(at, part.count * PAGE, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == at,
	     "mmap(): %s", strerror(errno));
	for (size_t i = part.first; i < part.first + part.count; i++) {
		struct cell *cell = calloc(1, sizeof(*cell));

		must(cell, "no memory for the plain copy");
		cell_hold(cell);
		show(&plain.pages[i], cell, PROT_READ | PROT_WRITE);
	}
}

void plain_protect(struct part part, int prot)
{
	trace("protect", part.first, part.count);
	for (size_t i = part.first; i < part.first + part.count; i++) {
		struct page *page = &plain.pages[i];

		if (!page->cell)
			continue;
		must(!mprotect(address(i), PAGE, prot), "mprotect(): %s", strerror(errno));
		page->prot = prot;
	}
}

void plain_discard(struct part part)
{
	trace("discard", part.first, part.count);
	for (size_t i = part.first; i < part.first + part.count; i++) {
		struct page *page = &plain.pages[i];

		if (!page->cell || is_registered(page->cell) || page->cell->moved)
			continue;
		must(!madvise(address(i), PAGE, MADV_DONTNEED), "madvise(): %s", strerror(errno));
		memset(page->cell->bytes, 0, PAGE);
	}
}

static void move_page(size_t from, size_t to)
{
	struct page *page = &plain.pages[from];
	struct cell *cell = page->cell;

	if (!cell || cell->moved)
		return;
	trace("move from", from, 1);
	trace("move to", to, 1);
	must(mremap(address(from), PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, address(to)) ==
		     address(to),
	     "mremap(): %s", strerror(errno));
	cell->moved = cell->moved || is_registered(cell);
	cell_hold(cell);
	show(&plain.pages[to], cell, page->prot);
	*page = (struct page){ 0 };
	cell_drop(cell);
}

void plain_move(struct part part, size_t to)
{
	for (size_t i = 0; i < part.count && to + i < PAGES; i++)
		if (part.first + i != to + i)
			move_page(part.first + i, to + i);
}

void plain_write(struct part part)
{
	trace("write", part.first, part.count);
	for (size_t i = part.first; i < part.first + part.count; i++) {
		const struct page *page = &plain.pages[i];
		const size_t from = below(PAGE), len = 1 + below(PAGE - from);
		const int value = below(256);

		if (!page->cell || !(page->prot & PROT_WRITE))
			continue;
		memset(address(i) + from, value, len);
		memset(page->cell->bytes + from, value, len);
	}
}

static void check_page(size_t i, const char *of)
{
	const struct page *page = &plain.pages[i];

	if (!page->cell || page->prot == PROT_NONE || !memcmp(address(i), page->cell->bytes, PAGE))
		return;
	for (size_t byte = 0; byte < PAGE; byte++)
		must(address(i)[byte] == page->cell->bytes[byte],
		     "%s: byte %zu of page %zu is %#x, not %#x", of, byte, i, address(i)[byte],
		     page->cell->bytes[byte]);
}

void plain_check(struct part part, const char *of)
{
	for (size_t i = part.first; i < part.first + part.count; i++)
		check_page(i, of);
}

/* Check the pages from FIRST up to END. Each must belong to a mapping with PROT, or to none. */
static void check_mapped(size_t first, size_t end, bool mapped, int prot)
{
	for (size_t i = first; i < end && i < PAGES; i++) {
		must(mapped == (plain.pages[i].cell != NULL), "page %zu is %smapped", i,
		     mapped ? "" : "not ");
		must(!mapped || prot == plain.pages[i].prot, "page %zu has protection %d, not %d",
		     i, prot, plain.pages[i].prot);
	}
}

void plain_check_mappings(void)
{
	FILE *maps = fopen("/proc/thread-self/maps", "re");
	unsigned long start, end;
	size_t next = 0;
	char line[512], flags[8];

	must(maps, "/proc/thread-self/maps: %s", strerror(errno));
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %7s", &start, &end, flags) != 3 ||
		    start < (uintptr_t)plain.at || start >= (uintptr_t)plain.at + PLAIN_BYTES)
			continue;
		start = (start - (uintptr_t)plain.at) / PAGE;
		end = (end - (uintptr_t)plain.at) / PAGE;
		check_mapped(next, start, false, 0);
		check_mapped(start, end, true,
			     (flags[0] == 'r' ? PROT_READ : 0) |
				     (flags[1] == 'w' ? PROT_WRITE : 0));
		next = end;
	}
	check_mapped(next, PAGES, false, 0);
	fclose(maps);
}

void plain_check_child(const char *of)
{
	for (size_t i = 0; i < PAGES; i++)
		if (plain.pages[i].cell && !plain.pages[i].cell->moved)
			check_page(i, of);
}

void plain_forget_regions(void)
{
	for (size_t i = 0; i < PAGES; i++) {
		struct page *page = &plain.pages[i];

		if (!page->cell)
			continue;
		if (page->cell->moved)
			hide(page);
		else
			memset(page->cell->registered, 0, sizeof(page->cell->registered));
	}
}
