// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "dev/inspect.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dev/device.h"
#include "lib/error.h"

/* All rows of a map, for reading. */
struct view {
	const char *rows;
	__u32 row_size, count;
};

/* Map the rows of a map. Returns 0 or -errno. */
static int map_rows(int fd, struct view *view)
{
	struct bpf_map_info info = { 0 };
	__u32 len = sizeof(info);
	int err = bpf_obj_get_info_by_fd(fd, &info, &len);

	if (err)
		return err;
	*view = (struct view){ .row_size = info.value_size, .count = info.max_entries };
	view->rows = mmap(NULL, (size_t)view->row_size * view->count, PROT_READ, MAP_SHARED, fd, 0);
	return view->rows == MAP_FAILED ? -errno : 0;
}

static void unmap_rows(const struct view *view)
{
	munmap((void *)view->rows, (size_t)view->row_size * view->count);
}

struct inspection {
	int (*visit)(const struct xrdma_inspected *row, void *arg);
	void *arg;
};

static bool is_empty(const char *row, __u32 size)
{
	return !row[0] && !memcmp(row, row + 1, size - 1);
}

static int visit_rows(const struct inspection *inspection, const struct view *view,
		      struct xrdma_inspected *at)
{
	int err = 0;

	for (at->index = 0; !err && at->index < view->count; at->index++) {
		at->row = view->rows + (size_t)at->index * view->row_size;
		if (!is_empty(at->row, view->row_size))
			err = inspection->visit(at, inspection->arg);
	}
	return err;
}

/* Visit the rows of a table. A context that ends meanwhile is skipped. */
static int visit_table(const struct inspection *inspection, int outer, struct xrdma_inspected *at)
{
	struct view view;
	__u32 id;
	int fd, err;

	if (bpf_map_lookup_elem(outer, &at->slot, &id))
		return 0;
	fd = bpf_map_get_fd_by_id(id);
	if (fd < 0)
		return 0;
	err = map_rows(fd, &view);
	close(fd);
	if (err)
		return xrdma_fail(-err, "cannot map a context's rows: %s", strerror(-err));
	err = visit_rows(inspection, &view, at);
	unmap_rows(&view);
	return err;
}

static int visit_contexts(const struct inspection *inspection, const struct view *contexts,
			  int outer)
{
	const struct xrdma_context_row *rows = (const void *)contexts->rows;
	struct xrdma_inspected at = { 0 };
	int err = 0;

	for (at.slot = 0; !err && at.slot < contexts->count; at.slot++) {
		at.owner = rows[at.slot].owner;
		at.row = &rows[at.slot];
		if (outer < 0 && rows[at.slot].state != XRDMA_CONTEXT_FREE)
			err = inspection->visit(&at, inspection->arg);
		if (outer >= 0 && (rows[at.slot].state == XRDMA_CONTEXT_ALIVE ||
				   rows[at.slot].state == XRDMA_CONTEXT_PAUSED))
			err = visit_table(inspection, outer, &at);
	}
	return err;
}

/* Inspect OUTER, a file descriptor, or the contexts themselves for -1. */
static int inspect(const char *name, const struct inspection *inspection, int outer)
{
	int fd = xrdma_pin_get(name, "xrdma_contexts"), err;
	struct view contexts;

	if (fd < 0)
		return fd;
	err = map_rows(fd, &contexts);
	close(fd);
	if (err)
		return xrdma_fail(-err, "cannot map the contexts of %s: %s", name, strerror(-err));
	err = visit_contexts(inspection, &contexts, outer);
	unmap_rows(&contexts);
	return err;
}

int xrdma_inspect(const char *name, const char *map,
		  int (*visit)(const struct xrdma_inspected *row, void *arg), void *arg)
{
	const struct inspection inspection = { visit, arg };
	struct xrdma_device_row row;
	int outer = -1, err, lock = xrdma_device_lock(name, XRDMA_PIN_SHARED);

	if (lock < 0)
		return lock;
	err = xrdma_device_read(name, &row);
	if (!err && strcmp(map, "xrdma_contexts")) {
		outer = xrdma_pin_get(name, map);
		err = outer < 0 ? outer : 0;
	}
	if (!err)
		err = inspect(name, &inspection, outer);
	if (outer >= 0)
		close(outer);
	xrdma_pin_unlock(lock);
	return err;
}
