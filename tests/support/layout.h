/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A case (case.h) whose packet names an mkey, with any layout of the case's region. */
#ifndef XRDMA_TESTS_LAYOUT_H
#define XRDMA_TESTS_LAYOUT_H

#include "case.h"

enum {
	LAYOUT_KEY = 0x5abc075b,
	LAYOUT_ENTRIES = 4, /* of layout_set_list(), of 16 bytes each */
};

/* The mkey's row, and its entry NUMBER. */
struct xrdma_mkey_row *layout_mkey(struct run *run);
struct xrdma_layout_entry *layout_entry(struct run *run, __u32 number);

/* An mkey of COUNT entries, whose lengths and skips are set, REPEAT times over. */
void layout_set(struct run *run, __u32 count, __u64 repeat);

/* The packet's 64 bytes go to four places, 32 bytes apart. */
void layout_set_list(struct run *run);

#endif
