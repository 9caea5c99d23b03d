// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "regions.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <xrdma/mr.h>

#include "life.h"
#include "peer.h"
#include "plain.h"

enum {
	PART_BYTES = 32 << 10, /* bytes that the peer writes or reads at once */
	MANY_PAGES = 24,
	CHUNKS = 4,
	ACCESS = XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ,
};

/* A region of LEN bytes, beginning with byte FROM of the plain memory. */
static struct region {
	struct xrdma_mr *mr;
	int context;
	size_t from, len;
	struct cell *cells[PAGES]; /* cells of its pages */
} regions[REGIONS_MAX];
static int count;

static struct chunk {
	__u8 *at;
	size_t len;
	int context, value;
} chunks[CHUNKS];
enum allowed allowed;

static size_t pages_of(const struct region *region)
{
	return (region->from + region->len - 1) / PAGE - region->from / PAGE + 1;
}

static struct page *page_of(const struct region *region, size_t i)
{
	return &plain.pages[region->from / PAGE + i];
}

/* Returns why the memory of REGION cannot be registered now, or NULL if it can. */
static const char *why_not(const struct region *region)
{
	for (size_t i = 0; i < pages_of(region); i++) {
		const struct page *page = page_of(region, i);

		if (!page->cell)
			return "not mapped";
		if (page->prot != (PROT_READ | PROT_WRITE))
			return "not to be read and written";
		if (page->cell->moved)
			return "heap memory that was moved";
		if (page->cell->registered[!region->context])
			return "registered with another context";
	}
	return NULL;
}

/* Make the pages of REGION show the cells that the range shows now. */
static void show_cells(struct region *region)
{
	for (size_t i = 0; i < pages_of(region); i++) {
		region->cells[i] = page_of(region, i)->cell;
		region->cells[i]->registered[region->context]++;
		cell_hold(region->cells[i]);
	}
}

static void drop_cells(struct region *region)
{
	for (size_t i = 0; i < pages_of(region); i++) {
		region->cells[i]->registered[region->context]--;
		cell_drop(region->cells[i]);
	}
}

static void register_bytes(int context, size_t from, size_t len)
{
	struct region *region = &regions[count];
	const char *why;
	int err;

	*region = (struct region){ .context = context, .from = from, .len = len };
	why = why_not(region);
	trace(region->context ? "register 1" : "register 0", from / PAGE, pages_of(region));
	err = xrdma_mr_reg(owner_of(region->context)->pd, plain.at + from, len, ACCESS,
			   &region->mr);
	must(!why || err, "memory was registered that is %s", why);
	must(why || !err || allowed, "%s", xrdma_error());
	if (err)
		return;
	show_cells(region);
	count++;
}

void region_register(void)
{
	const struct part part = random_part(MANY_PAGES);
	const size_t from = part.first * PAGE + below(PAGE);
	const size_t end = (part.first + part.count) * PAGE;

	if (count < REGIONS_MAX)
		register_bytes(below(2), from, 1 + below(end - from));
}

void region_register_much(void)
{
	const size_t from = below(PLAIN_BYTES / 8);

	if (count < REGIONS_MAX)
		register_bytes(below(2), from, PLAIN_BYTES - from - below(PLAIN_BYTES / 8));
}

static void end(struct region *region)
{
	trace("close", region->from / PAGE, pages_of(region));
	must(!xrdma_mr_close(region->mr), "%s", xrdma_error());
	drop_cells(region);
	*region = regions[--count];
}

void region_end(void)
{
	if (count)
		end(&regions[below(count)]);
}

void regions_end(void)
{
	while (count)
		region_end();
}

/*
 * Refresh a region. If this fails, some pages may have been refreshed and others not. Then the
 * region is closed.
 */
void region_refresh(void)
{
	struct region *region = &regions[below(count ?: 1)];
	const char *why;
	int err;

	if (!count)
		return;
	trace("refresh", region->from / PAGE, pages_of(region));
	why = why_not(region);
	err = xrdma_mr_refresh(region->mr, NULL, 0, 0);
	must(!why || err, "a region was refreshed that is %s", why);
	must(why || !err || allowed, "%s", xrdma_error());
	if (err)
		must(!xrdma_mr_close(region->mr), "%s", xrdma_error());
	drop_cells(region);
	if (err)
		*region = regions[--count];
	else
		show_cells(region);
}

/* Copy the LEN bytes that the peer has written from byte FROM of REGION on to the plain copy. */
static void copy_in(struct region *region, size_t from, size_t len)
{
	const __u8 *written = peer_memory();

	for (size_t i = 0; i < len; i++) {
		const size_t at = region->from % PAGE + from + i;

		region->cells[at / PAGE]->bytes[at % PAGE] = written[i];
	}
}

/*
 * Compare the LEN bytes that the peer has read from byte FROM of REGION on with the plain copy.
 * Pages that the process has unmapped are left out, because a fork loses their contents.
 */
static void compare(const struct region *region, size_t from, size_t len)
{
	const __u8 *read = peer_memory();

	for (size_t i = 0; i < len; i++) {
		const size_t at = region->from % PAGE + from + i;
		const struct cell *cell = region->cells[at / PAGE];

		must(!cell->shown || cell->bytes[at % PAGE] == read[i],
		     "the peer reads %#x, not %#x, from byte %zu of page %zu", read[i],
		     cell->bytes[at % PAGE], at % PAGE, region->from / PAGE + at / PAGE);
	}
}

static size_t random_bytes(const struct region *region, size_t *from)
{
	const size_t room = region->len - (*from = below(region->len));

	return 1 + below(room < PART_BYTES ? room : PART_BYTES);
}

void region_access(void)
{
	struct region *region = &regions[below(count ?: 1)];
	__u8 *memory = peer_memory();
	const __u64 key = count ? xrdma_mr_key(region->mr) : 0;
	size_t from, len;

	if (!count)
		return;
	len = random_bytes(region, &from);
	memset(memory, below(256), len);
	memory[0] = below(256);
	peer_execute(region->context, XRDMA_WR_RDMA_WRITE, key, plain.at + region->from + from,
		     len);
	copy_in(region, from, len);
	len = random_bytes(region, &from);
	peer_execute(region->context, XRDMA_WR_RDMA_READ, key, plain.at + region->from + from, len);
	compare(region, from, len);
}

void region_refused(void)
{
	const struct region *last;
	enum xrdma_wc_status status;
	__u64 key;

	if (!count)
		return;
	last = &regions[--count];
	key = xrdma_mr_key(last->mr);
	must(!xrdma_mr_close(last->mr), "%s", xrdma_error());
	drop_cells(&regions[count]);
	status = peer_try(last->context, XRDMA_WR_RDMA_WRITE, key, plain.at + last->from,
			  last->len < PART_BYTES ? last->len : PART_BYTES);
	must(status == XRDMA_WC_REM_ACCESS_ERR, "the peer used the key of a region that has ended");
	peer_connect(last->context);
}

void region_elsewhere(void *addr, size_t len)
{
	const int context = below(2);
	__u8 *const memory = peer_memory();
	struct xrdma_mr *mr;

	must(!xrdma_mr_reg(owner_of(context)->pd, addr, len, ACCESS, &mr), "%s", xrdma_error());
	memset(memory, below(256), len);
	peer_execute(context, XRDMA_WR_RDMA_WRITE, xrdma_mr_key(mr), addr, len);
	must(!memcmp(memory, addr, len), "what the peer wrote is not there");
	memset(addr, below(256), len);
	peer_execute(context, XRDMA_WR_RDMA_READ, xrdma_mr_key(mr), addr, len);
	must(!memcmp(memory, addr, len), "the peer reads something else");
	must(!xrdma_mr_close(mr), "%s", xrdma_error());
}

static void take_chunk(struct chunk *chunk)
{
	void *at;

	*chunk = (struct chunk){ .len = 1 + below(256 << 10), .context = below(2) };
	if (xrdma_alloc(owner_of(chunk->context)->context, chunk->len, 64, &at)) {
		must(allowed, "%s", xrdma_error());
		return;
	}
	chunk->at = at;
	chunk->value = below(256);
	memset(at, chunk->value, chunk->len);
}

static void free_chunk(struct chunk *chunk)
{
	for (size_t i = 0; i < chunk->len; i++)
		must(chunk->at[i] == chunk->value, "byte %zu of heap memory has changed", i);
	must(!xrdma_free(owner_of(chunk->context)->context, chunk->at), "%s", xrdma_error());
	chunk->at = NULL;
}

void heap_take_or_free(void)
{
	struct chunk *chunk = &chunks[below(CHUNKS)];

	if (chunk->at)
		free_chunk(chunk);
	else
		take_chunk(chunk);
}

void region_register_anew(void)
{
	const struct part part = random_part(MANY_PAGES);

	regions_end();
	for (int i = 0; i < CHUNKS; i++)
		if (chunks[i].at)
			free_chunk(&chunks[i]);
	for (int context = 0; context < 2; context++) {
		plain_map(part);
		register_bytes(context, part.first * PAGE, part.count * PAGE);
	}
	end(&regions[0]);
}

void child_register(void)
{
	const struct owner owner = open_owner("xb");
	struct xrdma_mr *mr;

	for (size_t page = below(PAGES); page < PAGES; page++)
		if (plain.pages[page].cell && plain.pages[page].prot == (PROT_READ | PROT_WRITE)) {
			must(!xrdma_mr_reg(owner.pd, plain.at + page * PAGE, PAGE, ACCESS, &mr),
			     "%s", xrdma_error());
			return;
		}
}
