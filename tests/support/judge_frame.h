/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What must have become of a case's frame: passed on, dropped, or answered, and with what. */
#ifndef XRDMA_TESTS_JUDGE_FRAME_H
#define XRDMA_TESTS_JUDGE_FRAME_H

#include "case.h"

/* RESULT is that of a verdict that leads to ACTION; BEFORE, the responder as it was before. */
void judge_frame(const struct run *run, const struct target_result *result,
		 enum xrdma_action action, const struct xrdma_responder *before);

#endif
