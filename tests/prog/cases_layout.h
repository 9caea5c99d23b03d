/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The cases of accesses by mkeys, of all that cases.h has. */
#ifndef XRDMA_TESTS_CASES_LAYOUT_H
#define XRDMA_TESTS_CASES_LAYOUT_H

/* clang-format off */
#define LAYOUT_CASES(X)                                               \
	X(beyond_the_mkey,        KEY_RANGE,    set_beyond, NULL)     \
	X(mkey_without_right,     KEY_RIGHTS,   set_no_right, NULL)   \
	X(mkey_of_other_pd,       KEY_PD,       set_pd, NULL)         \
	X(mkey_free,              KEY_STATE,    set_free, NULL)       \
	X(mkey_without_layout,    KEY_RANGE,    set_no_layout, NULL)  \
	X(write_to_transform,     TRANSFORM,    set_transform, NULL)  \
	X(read_of_transform,      TRANSFORM,    set_transform_read, NULL) \
	X(atomic_of_transform,    TRANSFORM,    set_transform_atomic, NULL) \
	X(receive_of_transform,   RECV_KEY,     set_transform_receive, NULL) \
	X(entry_key_unknown,      LAYOUT_KEY,   set_entry_key, NULL)  \
	X(entry_key_gone,         LAYOUT_KEY,   set_entry_gone, NULL) \
	X(entry_of_other_pd,      LAYOUT_KEY,   set_entry_pd, NULL)   \
	X(entry_not_writable,     LAYOUT_KEY,   set_entry_read_only, NULL) \
	X(word_not_writable,      LAYOUT_KEY,   set_word_read_only, NULL) \
	X(receive_entry_read_only, RECV_KEY,    set_receive_read_only, NULL) \
	X(entry_is_a_window,      LAYOUT_KEY,   set_entry_window, NULL) \
	X(entry_is_the_mkey,      LAYOUT_KEY,   set_entry_self, NULL) \
	X(entry_is_another_mkey,  LAYOUT_KEY,   set_entry_mkey, NULL) \
	X(entry_before_region,    LAYOUT_KEY,   set_entry_before, NULL) \
	X(entry_beyond_region,    LAYOUT_KEY,   set_entry_beyond, NULL) \
	X(first_byte_is_beyond,   LAYOUT_KEY,   set_first_byte_beyond, NULL) \
	X(last_entry_gone,        LAYOUT_KEY,   set_last_entry, NULL) \
	X(entry_of_later_packet,  LAYOUT_KEY,   set_later_packet, NULL) \
	X(last_round_beyond,      LAYOUT_KEY,   set_last_round, NULL) \
	X(no_layouts_table,       LAYOUT,       set_no_layouts, NULL) \
	X(layout_beyond_table,    LAYOUT,       set_far_layout, NULL) \
	X(layout_of_no_entries,   LAYOUT,       set_no_entries, NULL) \
	X(layout_of_65_entries,   LAYOUT,       set_65_entries, NULL) \
	X(layout_of_too_few,      LAYOUT,       set_3_entries, NULL)  \
	X(round_of_no_bytes,      LAYOUT,       set_no_round, NULL)   \
	X(entry_of_no_bytes,      LAYOUT,       set_no_bytes, NULL)   \
	X(gap_between_entries,    LAYOUT,       set_gap, NULL)        \
	X(short_entries_repeated, LAYOUT,       set_short_entries, NULL) \
	X(gap_at_begin,           LAYOUT,       set_gap_at_begin, NULL) \
	X(entry_beyond_heap,      HEAP,         set_entry_nowhere, NULL) \
	X(entry_missing,          HEAP,         set_entry_missing, NULL) \
	X(entry_asked,            FAULT,        set_entry_asked, NULL) \
	X(entry_wraps,            LAYOUT_KEY,   set_entry_wraps, NULL) \
	X(read_entry_gone,        LAYOUT_KEY,   set_read_entry, NULL) \
	X(word_in_two_entries,    MISALIGNED,   set_word_in_two, NULL) \
	X(word_of_odd_entry,      MISALIGNED,   set_word_odd, NULL)   \
	X(receive_entry_gone,     RECV_KEY,     set_receive_entry, NULL) \
	X(receive_mkey_is_short,  RECV_KEY,     set_receive_short, NULL)
/* clang-format on */

#endif
