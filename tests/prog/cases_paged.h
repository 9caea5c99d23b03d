/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The cases of accesses to memory in pages, of all that cases.h has. */
#ifndef XRDMA_TESTS_CASES_PAGED_H
#define XRDMA_TESTS_CASES_PAGED_H

/* clang-format off */
#define PAGED_CASES(X)                                                \
	X(paged_first_missing,    HEAP,         set_paged_first_missing, NULL) \
	X(paged_second_missing,   HEAP,         set_paged_second_missing, NULL) \
	X(paged_beyond,           HEAP,         set_paged_beyond, NULL) \
	X(paged_twice,            HEAP,         set_paged_twice, NULL) \
	X(paged_no_table,         HEAP,         set_paged_no_table, NULL) \
	X(paged_far,              HEAP,         set_paged_far, NULL)  \
	X(wraps_below,            KEY_RANGE,    set_wraps_below, NULL) \
	X(leads_into_pages,       KEY_RANGE,    set_leads_into_pages, NULL) \
	X(paged_no_heap,          HEAP,         set_paged_no_heap, NULL) \
	X(paged_first_asked,      FAULT,        set_paged_first_asked, NULL) \
	X(paged_second_asked,     FAULT,        set_paged_second_asked, NULL) \
	X(paged_unbacked,         HEAP,         set_paged_unbacked, NULL) \
	X(paged_another_unbacked, FAULT,        set_paged_another_unbacked, NULL) \
	X(paged,                  OK,           set_paged, NULL)      \
	X(paged_in_one,           OK,           set_paged_in_one, NULL) \
	X(paged_low_bits,         OK,           set_paged_low_bits, NULL)
/* clang-format on */

#endif
