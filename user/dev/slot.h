/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Slots of a device: each holds the maps of one context. A process claims a slot by a program in
 * the kernel, fills it with its maps, and frees it. All calls are thread safe and need no lock,
 * because the slot's row records which process has it. Errors set xrdma_error().
 */
#ifndef XRDMA_USER_DEV_SLOT_H
#define XRDMA_USER_DEV_SLOT_H

#include "dev/tables.h"
#include "lib/epoch.h"

struct xrdma_slots {
	struct xrdma_context_row *rows; /* shared with the XDP programs and other processes */
	/* File descriptors. */
	int claim, release, xrdma_heaps, xrdma_user_keys, xrdma_notices;
#define X(table, map, row) int map;
	XRDMA_CONTEXT_TABLES(X)
#undef X
	struct xrdma_epochs epochs;
};

/* Open the maps of DEVICE. Returns 0 or an error of xrdma_pin_get(). */
int xrdma_slots_open(struct xrdma_slots *slots, const char *device);
void xrdma_slots_close(struct xrdma_slots *slots);

/*
 * Claim a slot for the calling process, and set *SLOT. Slots of processes that have exited are
 * claimed and freed first. If this process ends in between, the next call frees them. Returns 0 or
 * -ENOSPC.
 */
int xrdma_slot_claim(const struct xrdma_slots *slots, __u32 *slot);

/* Maps of a context, for its slot. */
struct xrdma_slot_maps {
	const struct xrdma_context_tables *tables;
	const struct xrdma_table *arenas; /* of the heap */
	__u32 arena_count;
	int notices; /* file descriptor of the ring in which XDP posts notices */
};

/*
 * Put MAPS into SLOT, which the process has claimed, and make the slot ALIVE. Returns 0, or -errno
 * with the slot free again.
 */
int xrdma_slot_fill(const struct xrdma_slots *slots, __u32 slot, const struct xrdma_slot_maps *maps,
		    __u32 mkey_mask);

/*
 * Put COUNT of ARENAS, starting with number FIRST, into SLOT of the calling process. Returns 0 or
 * -errno.
 */
int xrdma_slot_add_arenas(const struct xrdma_slots *slots, __u32 slot,
			  const struct xrdma_table *arenas, __u32 first, __u32 count);

/*
 * Put MAP, a hash of user keys, into SLOT of the calling process. XDP uses it from now on. Returns
 * 0 or -errno.
 */
int xrdma_slot_add_user_keys(const struct xrdma_slots *slots, __u32 slot, int map);

/*
 * Let XDP use the optional tables USES (XRDMA_USES_*) of SLOT, a slot of the calling process.
 */
void xrdma_slot_use(const struct xrdma_slots *slots, __u32 slot, __u32 uses);

/*
 * Free SLOT. XDP no longer handles packets for it, and releases its maps: when this function
 * returns, no program run uses them. Does nothing if the calling process does not have the slot, or
 * if its generation is not GENERATION any more.
 */
void xrdma_slot_free(const struct xrdma_slots *slots, __u32 slot, __u32 generation);

/*
 * Pause SLOT, a slot of the calling process, until it is resumed. XDP drops all packets for it, as
 * if they were lost on the way. When this function returns, no program run uses the slot's maps.
 */
void xrdma_slot_pause(const struct xrdma_slots *slots, __u32 slot);
void xrdma_slot_resume(const struct xrdma_slots *slots, __u32 slot);

/* Mark all contexts that are alive as unloaded, because the device is being unloaded. */
void xrdma_slots_unload(const struct xrdma_slots *slots);

/* Mark the context of SLOT as unloaded. It gets no packets from now on, and its calls fail. */
void xrdma_slot_unload(const struct xrdma_slots *slots, __u32 slot);

/* Returns the number of contexts that are alive, and sets *OWNER to the process of one of them. */
__u32 xrdma_slots_alive(const struct xrdma_slots *slots, __u32 *owner);

#endif
