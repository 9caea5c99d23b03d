/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The slots of a device's contexts: claimed in the kernel, filled with a process's maps, freed. All
 * calls are thread safe and need no lock: a slot's state says whose it is. Errors set
 * xrdma_error().
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

/* Open the maps of a device. Returns 0 or -errno as xrdma_pin_get(). */
int xrdma_slots_open(struct xrdma_slots *slots, const char *device);
void xrdma_slots_close(struct xrdma_slots *slots);

/*
 * Claim a slot for the calling process. First it claims and frees those of processes that are gone;
 * if it ends half-way, they are the next one's. Returns 0 or -ENOSPC.
 */
int xrdma_slot_claim(const struct xrdma_slots *slots, __u32 *slot);

/* The maps that a context brings along. */
struct xrdma_slot_maps {
	const struct xrdma_context_tables *tables;
	const struct xrdma_table *arenas; /* of the heap */
	__u32 arena_count;
	int notices; /* file descriptor of the ring for notices of XDP */
};

/*
 * Put MAPS into a claimed slot and make it ALIVE. On error the slot is free again. Returns 0 or
 * -errno.
 */
int xrdma_slot_fill(const struct xrdma_slots *slots, __u32 slot, const struct xrdma_slot_maps *maps,
		    __u32 mkey_mask);

/* Put COUNT of ARENAS, from FIRST on, into a slot of the calling process. Returns 0 or -errno. */
int xrdma_slot_add_arenas(const struct xrdma_slots *slots, __u32 slot,
			  const struct xrdma_table *arenas, __u32 first, __u32 count);

/*
 * Give a slot of the calling process MAP, a hash by requested keys, which XDP looks at from now on.
 * Returns 0 or -errno.
 */
int xrdma_slot_add_user_keys(const struct xrdma_slots *slots, __u32 slot, int map);

/* XDP looks at what USES says, XRDMA_USES_*, from now on, in a slot of the calling process. */
void xrdma_slot_use(const struct xrdma_slots *slots, __u32 slot, __u32 uses);

/*
 * XDP no longer handles packets for the slot, and lets go of its maps. When it returns, no program
 * run uses them. Nothing happens where it is not the calling process's any more, or was claimed
 * again since it had GENERATION.
 */
void xrdma_slot_free(const struct xrdma_slots *slots, __u32 slot, __u32 generation);

/*
 * XDP leaves the slot, which is the calling process's, alone from now on, as if what comes were
 * lost on the way: when it returns no program run uses its maps. Until it is resumed.
 */
void xrdma_slot_pause(const struct xrdma_slots *slots, __u32 slot);
void xrdma_slot_resume(const struct xrdma_slots *slots, __u32 slot);

/* The device is being unloaded: contexts that are alive are told. */
void xrdma_slots_unload(const struct xrdma_slots *slots);

/* Mark the context of SLOT as unloaded: it gets no packets from now on, and its calls fail. */
void xrdma_slot_unload(const struct xrdma_slots *slots, __u32 slot);

/* How many contexts are alive; *OWNER is the process of one of them. */
__u32 xrdma_slots_alive(const struct xrdma_slots *slots, __u32 *owner);

#endif
