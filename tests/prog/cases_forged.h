/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The cases of packets that others than the peer may have sent, of all that cases.h has. */
#ifndef XRDMA_TESTS_CASES_FORGED_H
#define XRDMA_TESTS_CASES_FORGED_H

/* clang-format off */
#define FORGED_CASES(X)                                               \
	X(request_of_other_port,  SOURCE,       set_other_port, NULL) \
	X(request_of_the_port,    OK,           set_known_port, NULL) \
	X(request_of_any_port,    OK,           set_any_port, NULL)   \
	X(response_of_other_port, SOURCE,       set_response_of_other_port, NULL) \
	X(response_of_the_port,   ACKED,        set_response_of_known_port, NULL) \
	X(response_of_any_port,   ACKED,        set_response_of_any_port, NULL) \
	X(request_in_a_storm,     STORM,        set_storm, NULL)      \
	X(request_behind_few,     OK,           set_few, NULL)        \
	X(request_after_a_storm,  OK,           set_storm_before, NULL) \
	X(request_among_many,     PSN_AHEAD,    set_ahead_in_storm, NULL) \
	X(response_in_a_storm,    STORM,        set_response_in_storm, NULL) \
	X(response_behind_few,    ACKED,        set_response_behind_few, NULL) \
	X(response_after_a_storm, ACKED,        set_response_after_storm, NULL)
/* clang-format on */

#endif
