// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "slot.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "pin.h"

int xrdma_slots_open(struct xrdma_slots *slots, const char *device)
{
	const struct {
		int *fd;
		const char *pin;
	} pins[] = { { &slots->contexts, "xrdma_contexts" },
		     { &slots->claim, "xrdma_claim" },
#define X(table, map, row) { &slots->map, #map },
		     XRDMA_CONTEXT_TABLES(X)
#undef X
	};
	size_t opened = 0;
	int fd, err;

	for (; opened < sizeof(pins) / sizeof(pins[0]); opened++) {
		fd = xrdma_pin_get(device, pins[opened].pin);
		if (fd < 0) {
			err = fd;
			goto err_open;
		}
		*pins[opened].fd = fd;
	}
	fd = xrdma_pin_get(device, "xrdma_epochs");
	if (fd < 0) {
		err = fd;
		goto err_open;
	}
	err = xrdma_epochs_map(&slots->epochs, fd);
	close(fd);
	if (!err)
		return 0;
	xrdma_fail(-err, "cannot map the epochs of %s: %s", device, strerror(-err));
err_open:
	while (opened)
		close(*pins[--opened].fd);
	return err;
}

void xrdma_slots_close(struct xrdma_slots *slots)
{
	xrdma_epochs_unmap(&slots->epochs);
	close(slots->contexts);
	close(slots->claim);
#define X(table, map, row) close(slots->map);
	XRDMA_CONTEXT_TABLES(X)
#undef X
}

static int set_row(const struct xrdma_slots *slots, __u32 slot, const struct xrdma_context_row *row)
{
	return bpf_map_update_elem(slots->contexts, &slot, row, BPF_ANY);
}

static int get_row(const struct xrdma_slots *slots, __u32 slot, struct xrdma_context_row *row)
{
	return bpf_map_lookup_elem(slots->contexts, &slot, row);
}

void xrdma_slot_free(const struct xrdma_slots *slots, __u32 slot)
{
	struct xrdma_context_row row;

	if (get_row(slots, slot, &row))
		return;
	/* A dead one stays dead until it is free: its owner cannot mark it again if this process ends half-way. */
	if (row.state == XRDMA_CONTEXT_ALIVE) {
		row.state = XRDMA_CONTEXT_OPENING;
		set_row(slots, slot, &row);
	}
	xrdma_epochs_wait(&slots->epochs);
#define X(table, map, row) bpf_map_delete_elem(slots->map, &slot);
	XRDMA_CONTEXT_TABLES(X)
#undef X
	row = (struct xrdma_context_row){ .state = XRDMA_CONTEXT_FREE };
	set_row(slots, slot, &row);
}

static void free_dead(const struct xrdma_slots *slots)
{
	struct xrdma_context_row row;

	for (__u32 slot = 0; slot < XRDMA_CONTEXTS_MAX; slot++)
		if (!get_row(slots, slot, &row) && row.state == XRDMA_CONTEXT_DEAD)
			xrdma_slot_free(slots, slot);
}

int xrdma_slot_claim(const struct xrdma_slots *slots, __u32 *slot)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err;

	free_dead(slots);
	err = bpf_prog_test_run_opts(slots->claim, &opts);
	if (err)
		return xrdma_fail(-err, "cannot claim a context: %s", strerror(-err));
	if (opts.retval >= XRDMA_CONTEXTS_MAX)
		return xrdma_fail(ENOSPC,
				  "all %d contexts of the device are in use: close one, or end a "
				  "process that has one",
				  XRDMA_CONTEXTS_MAX);
	*slot = opts.retval;
	return 0;
}

int xrdma_slot_fill(const struct xrdma_slots *slots, __u32 slot,
		    const struct xrdma_context_tables *tables, __u32 mkey_mask)
{
	struct xrdma_context_row row;
	int err = get_row(slots, slot, &row);

#define X(table, map, row) \
	if (!err)          \
		err = bpf_map_update_elem(slots->map, &slot, &tables->table.fd, BPF_ANY);
	XRDMA_CONTEXT_TABLES(X)
#undef X
	if (!err) {
		row.state = XRDMA_CONTEXT_ALIVE;
		row.mkey_mask = mkey_mask;
		err = set_row(slots, slot, &row);
	}
	if (!err)
		return 0;
	xrdma_slot_free(slots, slot);
	return xrdma_fail(-err, "cannot give the context its maps: %s", strerror(-err));
}

int xrdma_slots_alive(const struct xrdma_slots *slots, __u32 *owner)
{
	struct xrdma_context_row row;
	int alive = 0, err;

	for (__u32 slot = 0; slot < XRDMA_CONTEXTS_MAX; slot++) {
		err = get_row(slots, slot, &row);
		if (err)
			return err;
		if (row.state != XRDMA_CONTEXT_ALIVE)
			continue;
		*owner = row.owner;
		alive++;
	}
	return alive;
}
