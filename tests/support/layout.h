/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A case (case.h) whose packet names an mkey, with any layout of the case's region. */
#ifndef XRDMA_TESTS_LAYOUT_H
#define XRDMA_TESTS_LAYOUT_H

#include "case.h"

enum {
	LAYOUT_KEY = 0x5abc075b,
	LAYOUT_ENTRIES = 4, /* entries of layout_set_list(), of 16 bytes each */
};

/* Returns the mkey's row, or its entry NUMBER. */
struct xrdma_mkey_row *layout_mkey(struct run *run);
struct xrdma_layout_entry *layout_entry(struct run *run, __u32 number);

/* Set the mkey to COUNT entries, whose lengths and skips are set, repeated REPEAT times. */
void layout_set(struct run *run, __u32 count, __u64 repeat);

/* Set the mkey to a list that puts the packet's 64 bytes into four places, 32 bytes apart. */
void layout_set_list(struct run *run);

#endif
