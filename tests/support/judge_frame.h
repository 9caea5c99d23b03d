/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Check of a case's frame: whether it was passed on, dropped or answered, and with which reply. */
#ifndef XRDMA_TESTS_JUDGE_FRAME_H
#define XRDMA_TESTS_JUDGE_FRAME_H

#include "case.h"

/* Check RESULT, whose verdict has ACTION. BEFORE is the responder before the packet. */
void judge_frame(const struct run *run, const struct target_result *result,
		 enum xrdma_action action, const struct xrdma_responder *before);

#endif
