/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The cases of READs of ours that several packets respond to, of all that cases.h has. */
#ifndef XRDMA_TESTS_CASES_PARTS_H
#define XRDMA_TESTS_CASES_PARTS_H

/* clang-format off */
#define PART_CASES(X)                                                 \
	X(part_first,             PLACED,       set_first, NULL)      \
	X(part_middle,            PLACED,       set_middle, NULL)     \
	X(part_last,              PLACED,       set_last, NULL)       \
	X(part_first_again,       PLACED,       set_first_again, NULL) \
	X(part_only_again,        PLACED,       set_only_again, NULL) \
	X(part_into_ranges,       PLACED,       set_ranges, NULL)     \
	X(part_after_a_loss,      PLACED,       set_after_loss, NULL) \
	X(part_behind_the_wrap,   PLACED,       set_wrap, NULL)       \
	X(part_comes_again,       ACK_OLD,      set_again, NULL)      \
	X(part_ahead,             RESPONSE_AHEAD, set_ahead, NULL)    \
	X(part_ahead_of_first,    RESPONSE_AHEAD, set_ahead_of_first, NULL) \
	X(part_acknowledged,      RESPONSE_AHEAD, set_acked, NULL)    \
	X(part_refused,           NAKED,        set_refused, NULL)    \
	X(part_not_ready,         NAKED,        set_not_ready, NULL)  \
	X(part_refused_ahead,     RESPONSE_AHEAD, set_refused_ahead, NULL) \
	X(part_middle_is_first,   RESPONSE_BAD, set_middle_first, NULL) \
	X(part_only_is_first,     RESPONSE_BAD, set_only_first, NULL) \
	X(part_last_too_early,    RESPONSE_BAD, set_last_early, NULL) \
	X(part_middle_too_late,   RESPONSE_BAD, set_middle_late, NULL) \
	X(part_middle_too_short,  RESPONSE_LENGTH, set_middle_short, NULL) \
	X(part_last_too_short,    RESPONSE_BAD, set_last_short, NULL) \
	X(part_last_too_long,     RESPONSE_BAD, set_last_long, NULL)  \
	X(part_behind_the_last,   RESPONSE_BAD, set_behind_last, NULL) \
	X(part_with_nak,          RESPONSE_BAD, set_with_nak, NULL)   \
	X(part_of_an_atomic,      RESPONSE_BAD, set_of_atomic, NULL)  \
	X(part_key_gone,          RESPONSE_KEY, set_key_gone, NULL)   \
	X(part_over_memory,       RESPONSE_KEY, set_little_memory, NULL) \
	X(part_of_nonsense,       RESPONSE_KEY, set_nonsense, NULL)
/* clang-format on */

#endif
