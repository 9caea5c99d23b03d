// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "dev/slot.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/error.h"
#include "lib/order.h"
#include "lib/parallel.h"
#include "dev/pin.h"

enum {
#define X(table, map, row) table##_count,
	XRDMA_CONTEXT_TABLES(X)
#undef X
		TABLES,
	USER_KEYS = TABLES + XRDMA_HEAP_ARENAS,
	NOTICES,
	MAPS, /* maps that a slot may have */
	ROWS_SIZE = XRDMA_CONTEXTS_MAX * sizeof(struct xrdma_context_row),
};

/* Map the rows that all slots share. */
static int map_rows(struct xrdma_slots *slots, const char *device)
{
	int contexts = xrdma_pin_get(device, "xrdma_contexts"), epochs, err = 0;

	if (contexts < 0)
		return contexts;
	slots->rows = mmap(NULL, ROWS_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, contexts, 0);
	if (slots->rows == MAP_FAILED)
		err = xrdma_fail(errno, "cannot map the contexts of %s: %s", device,
				 strerror(errno));
	close(contexts);
	if (err)
		return err;
	epochs = xrdma_pin_get(device, "xrdma_epochs");
	err = epochs < 0 ? epochs : xrdma_epochs_map(&slots->epochs, epochs);
	if (epochs >= 0 && err)
		xrdma_fail(-err, "cannot map the epochs of %s: %s", device, strerror(-err));
	if (epochs >= 0)
		close(epochs);
	if (err)
		munmap(slots->rows, ROWS_SIZE);
	return err;
}

int xrdma_slots_open(struct xrdma_slots *slots, const char *device)
{
	const struct {
		int *fd;
		const char *pin;
	} pins[] = { { &slots->claim, "xrdma_claim" },
		     { &slots->release, "xrdma_release" },
		     { &slots->xrdma_heaps, "xrdma_heaps" },
		     { &slots->xrdma_user_keys, "xrdma_user_keys" },
		     { &slots->xrdma_notices, "xrdma_notices" },
#define X(table, map, row) { &slots->map, #map },
		     XRDMA_CONTEXT_TABLES(X)
#undef X
	};
	size_t opened = 0;
	int err = 0;

	while (!err && opened < sizeof(pins) / sizeof(pins[0])) {
		*pins[opened].fd = xrdma_pin_get(device, pins[opened].pin);
		if (*pins[opened].fd < 0)
			err = *pins[opened].fd;
		else
			opened++;
	}
	if (!err)
		err = map_rows(slots, device);
	while (err && opened)
		close(*pins[--opened].fd);
	return err;
}

void xrdma_slots_close(struct xrdma_slots *slots)
{
	munmap(slots->rows, ROWS_SIZE);
	xrdma_epochs_unmap(&slots->epochs);
	close(slots->claim);
	close(slots->release);
	close(slots->xrdma_heaps);
	close(slots->xrdma_user_keys);
	close(slots->xrdma_notices);
#define X(table, map, row) close(slots->map);
	XRDMA_CONTEXT_TABLES(X)
#undef X
}

/* Set the state of SLOT. All earlier writes are visible before it. */
static void set_state(const struct xrdma_slots *slots, __u32 slot, enum xrdma_context_state state)
{
	XRDMA_PUBLISH(slots->rows[slot].state, state);
}

/* An element of a map of maps. */
struct place {
	int map; /* file descriptor */
	__u32 key;
};

/* Returns the place for map NUMBER (of MAPS) of SLOT. */
static struct place place_of(const struct xrdma_slots *slots, __u32 slot, size_t number)
{
	const int maps[] = {
#define X(table, map, row) slots->map,
		XRDMA_CONTEXT_TABLES(X)
#undef X
	};

	if (number < TABLES)
		return (struct place){ maps[number], slot };
	if (number == USER_KEYS)
		return (struct place){ slots->xrdma_user_keys, slot };
	if (number == NOTICES)
		return (struct place){ slots->xrdma_notices, slot };
	return (struct place){ slots->xrdma_heaps, slot * XRDMA_HEAP_ARENAS + number - TABLES };
}

struct slot_list {
	const struct xrdma_slots *slots;
	const __u32 *slots_of_process;
};

/*
 * Delete the element of a map of maps, if it exists. The kernel waits until no program run uses it.
 */
static int take_away(void *of, size_t index)
{
	const struct slot_list *list = of;
	struct place place =
		place_of(list->slots, list->slots_of_process[index / MAPS], index % MAPS);
	__u32 id;

	if (!bpf_map_lookup_elem(place.map, &place.key, &id))
		bpf_map_delete_elem(place.map, &place.key);
	return 0;
}

/*
 * Free COUNT slots in LIST, which the calling process has claimed. XDP no longer handles packets
 * for them.
 */
static void release(const struct xrdma_slots *slots, const __u32 *list, __u32 count)
{
	struct slot_list all = { slots, list };

	if (!count)
		return;
	xrdma_epochs_wait(&slots->epochs);
	xrdma_parallel(take_away, &all, (size_t)count * MAPS);
	for (__u32 i = 0; i < count; i++) {
		slots->rows[list[i]].owner = 0;
		set_state(slots, list[i], XRDMA_CONTEXT_FREE);
	}
}

void xrdma_slot_free(const struct xrdma_slots *slots, __u32 slot, __u32 generation)
{
	__u64 args[] = { slot, generation };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args));

	if (!bpf_prog_test_run_opts(slots->release, &opts) && !opts.retval)
		release(slots, &slot, 1);
}

/* Change the state of SLOT from FROM to TO. If its state is not FROM, do nothing. */
static void change_state(const struct xrdma_slots *slots, __u32 slot, __u32 from, __u32 to)
{
	__atomic_compare_exchange_n(&slots->rows[slot].state, &from, to, false, __ATOMIC_SEQ_CST,
				    __ATOMIC_RELAXED);
}

void xrdma_slot_pause(const struct xrdma_slots *slots, __u32 slot)
{
	if (XRDMA_OBSERVE(slots->rows[slot].state) == XRDMA_CONTEXT_ALIVE)
		XRDMA_WRITE(slots->rows[slot].paused_since, xrdma_now());
	change_state(slots, slot, XRDMA_CONTEXT_ALIVE, XRDMA_CONTEXT_PAUSED);
	xrdma_epochs_wait(&slots->epochs);
}

void xrdma_slot_resume(const struct xrdma_slots *slots, __u32 slot)
{
	change_state(slots, slot, XRDMA_CONTEXT_PAUSED, XRDMA_CONTEXT_ALIVE);
}

void xrdma_slot_unload(const struct xrdma_slots *slots, __u32 slot)
{
	change_state(slots, slot, XRDMA_CONTEXT_PAUSED, XRDMA_CONTEXT_UNLOADED);
	change_state(slots, slot, XRDMA_CONTEXT_ALIVE, XRDMA_CONTEXT_UNLOADED);
}

void xrdma_slots_unload(const struct xrdma_slots *slots)
{
	for (__u32 slot = 0; slot < XRDMA_CONTEXTS_MAX; slot++)
		xrdma_slot_unload(slots, slot);
}

/*
 * Claim a slot that has the state FROM, and set *SLOT. Returns 0, -ENOSPC without a message, or
 * another -errno.
 */
static int claim(const struct xrdma_slots *slots, enum xrdma_context_state from, __u32 *slot)
{
	__u64 args[] = { from };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args));
	int err = bpf_prog_test_run_opts(slots->claim, &opts);

	if (err)
		return xrdma_fail(-err, "cannot claim a context: %s", strerror(-err));
	*slot = opts.retval;
	return opts.retval < XRDMA_CONTEXTS_MAX ? 0 : -ENOSPC;
}

static void free_dead(const struct xrdma_slots *slots)
{
	__u32 dead[XRDMA_CONTEXTS_MAX], count = 0;

	while (count < XRDMA_CONTEXTS_MAX && !claim(slots, XRDMA_CONTEXT_DEAD, &dead[count]))
		count++;
	release(slots, dead, count);
}

int xrdma_slot_claim(const struct xrdma_slots *slots, __u32 *slot)
{
	int err;

	free_dead(slots);
	err = claim(slots, XRDMA_CONTEXT_FREE, slot);
	if (err == -ENOSPC)
		xrdma_fail(ENOSPC,
			   "all %d contexts of the device are in use: close one, or end a process "
			   "that has one",
			   XRDMA_CONTEXTS_MAX);
	return err;
}

struct change {
	struct place place;
	int map; /* file descriptor */
};

/* Write an element of a map of maps. The kernel waits until no program run uses the former map. */
static int apply(void *changes, size_t index)
{
	const struct change *change = (struct change *)changes + index;

	return bpf_map_update_elem(change->place.map, &change->place.key, &change->map, BPF_ANY);
}

/* List the arenas of a slot's heap. Returns how many there are. */
static __u32 list_arenas(const struct xrdma_slots *slots, __u32 slot,
			 const struct xrdma_table *arenas, __u32 first, __u32 count,
			 struct change *changes)
{
	for (__u32 i = 0; i < count; i++)
		changes[i] = (struct change){ place_of(slots, slot, TABLES + first + i),
					      arenas[first + i].fd };
	return count;
}

int xrdma_slot_fill(const struct xrdma_slots *slots, __u32 slot, const struct xrdma_slot_maps *maps,
		    __u32 mkey_mask)
{
	struct change changes[MAPS] = {
#define X(table, map_, row) { { slots->map_, slot }, maps->tables->table.fd },
		XRDMA_CONTEXT_TABLES(X)
#undef X
			{ { slots->xrdma_notices, slot }, maps->notices },
	};
	__u32 count = TABLES + 1;
	int err;

	count += list_arenas(slots, slot, maps->arenas, 0, maps->arena_count, changes + count);
	err = xrdma_parallel(apply, changes, count);
	if (err) {
		release(slots, &slot, 1);
		return xrdma_fail(-err, "cannot give the context its maps: %s", strerror(-err));
	}
	slots->rows[slot].mkey_mask = mkey_mask;
	slots->rows[slot].uses = 0;
	set_state(slots, slot, XRDMA_CONTEXT_ALIVE);
	return 0;
}

int xrdma_slot_add_arenas(const struct xrdma_slots *slots, __u32 slot,
			  const struct xrdma_table *arenas, __u32 first, __u32 count)
{
	struct change changes[XRDMA_HEAP_ARENAS];
	int err;

	list_arenas(slots, slot, arenas, first, count, changes);
	err = xrdma_parallel(apply, changes, count);
	if (!err)
		return 0;
	for (__u32 i = 0; i < count; i++)
		bpf_map_delete_elem(changes[i].place.map, &changes[i].place.key);
	return xrdma_fail(-err, "cannot give the context more of its heap: %s", strerror(-err));
}

void xrdma_slot_use(const struct xrdma_slots *slots, __u32 slot, __u32 uses)
{
	__atomic_or_fetch(&slots->rows[slot].uses, uses, __ATOMIC_RELEASE);
}

int xrdma_slot_add_user_keys(const struct xrdma_slots *slots, __u32 slot, int map)
{
	struct change change = { place_of(slots, slot, USER_KEYS), map };
	int err = apply(&change, 0);

	if (err)
		return xrdma_fail(-err, "cannot give the context its requested keys: %s",
				  strerror(-err));
	xrdma_slot_use(slots, slot, XRDMA_USES_USER_KEYS);
	return 0;
}

__u32 xrdma_slots_alive(const struct xrdma_slots *slots, __u32 *owner)
{
	__u32 alive = 0;

	for (__u32 slot = 0; slot < XRDMA_CONTEXTS_MAX; slot++) {
		const struct xrdma_context_row *row = &slots->rows[slot];

		__u32 state = XRDMA_OBSERVE(row->state);

		if (state != XRDMA_CONTEXT_ALIVE && state != XRDMA_CONTEXT_PAUSED)
			continue;
		*owner = row->owner;
		alive++;
	}
	return alive;
}
