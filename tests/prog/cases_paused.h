/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The cases of packets to a process that is being forked, of all that cases.h has. */
#ifndef XRDMA_TESTS_CASES_PAUSED_H
#define XRDMA_TESTS_CASES_PAUSED_H

/* clang-format off */
#define PAUSED_CASES(X)                                               \
	X(paused,                 PAUSED,       set_paused, NULL)     \
	X(paused_with_bad_key,    PAUSED,       set_paused_bad_key, NULL) \
	X(paused_send,            PAUSED,       set_paused_send, NULL) \
	X(paused_read,            PAUSED,       set_paused_read, NULL) \
	X(paused_atomic,          PAUSED,       set_paused_atomic, NULL) \
	X(paused_ahead,           PSN_AHEAD,    set_paused_ahead, NULL) \
	X(paused_from_another,    SOURCE,       set_paused_source, NULL) \
	X(paused_write_again,     DUPLICATE,    set_paused_write_again, NULL) \
	X(paused_read_again,      GONE,         set_paused_read_again, NULL) \
	X(paused_ack,             ACKED,        set_paused_ack, NULL) \
	X(paused_response,        PAUSED_LOST,  set_paused_response, NULL) \
	X(paused_for_long,        PAUSED_LOST,  set_paused_for_long, NULL)
/* clang-format on */

#endif
