/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The cases of requests that XDP leaves to the program at tc, of all that cases.h has. */
#ifndef XRDMA_TESTS_CASES_LEFT_H
#define XRDMA_TESTS_CASES_LEFT_H

/* clang-format off */
#define LEFT_CASES(X)                                                 \
	X(read_again_no_room,     DEFERRED,     set_read_again_no_room, NULL) \
	X(read_again_over_mtu,    DEFERRED,     set_read_again_over_mtu, NULL) \
	X(read_behind_one_left,   DEFERRED,     set_read_behind_left, NULL) \
	X(read_again_behind_left, DEFERRED,     set_read_again_behind_left, NULL) \
	X(read_long_after_left,   OK,           set_read_long_after_left, NULL) \
	X(read_behind_owed,       DEFERRED,     set_read_behind_owed, NULL) \
	X(write_behind_left,      DEFERRED,     set_behind_left, NULL) \
	X(write_ahead_of_left,    DEFERRED,     set_ahead_of_left, NULL) \
	X(read_over_mtu,          DEFERRED,     set_read_over_mtu, NULL) \
	X(read_without_room,      DEFERRED,     set_read_no_room, NULL) \
	X(read_by_headroom,       OK,           set_read_by_headroom, bend_to_page) \
	X(read_without_headroom,  DEFERRED,     set_read_no_headroom, bend_to_page)
/* clang-format on */

#endif
