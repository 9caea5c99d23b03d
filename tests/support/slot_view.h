/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef XRDMA_TESTS_SLOT_VIEW_H
#define XRDMA_TESTS_SLOT_VIEW_H
/* Slots of contexts in the maps of the loaded device xa. */
#include <stdbool.h>
#include <xrdma/abi/device.h>

#define SLOT_DEVICE "xa"

struct slot_view {
	struct xrdma_context_row row;
	bool has_maps;
	__u32 heap_parts;
};

/* Read a slot from the device's maps. */
struct slot_view slot_look(__u32 slot);

/* List the slots in STATE. SLOTS must have room for all. Returns their number. */
__u32 slot_list(__u32 state, __u32 *slots);

void slot_set_row(__u32 slot, const struct xrdma_context_row *row);

/* Change the state of every slot from FROM to TO, as if other processes had these slots. */
void slot_set_others(__u32 from, __u32 to);

/* Open a context and close it. Returns its slot. */
__u32 slot_open_and_close(void);

#endif
