// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Check that every verdict has a case. The program that contains all stages counts them. */
#include <linux/types.h>
#include <stdbool.h>

#include "support/test.h"
#include "xrdma/verdict.h"

/* Ends of the section in which CASE records its verdict. The linker defines these names. */
extern const __u8 __start_xrdma_cases[], __stop_xrdma_cases[];

Test(prog_coverage, every_verdict_has_a_case)
{
	bool found[XRDMA_VERDICT_COUNT] = { false };

	for (const __u8 *verdict = __start_xrdma_cases; verdict < __stop_xrdma_cases; verdict++)
		found[*verdict] = true;
	for (int verdict = 0; verdict < XRDMA_VERDICT_COUNT; verdict++)
		expect_msg(found[verdict], "no CASE has verdict %d of verdict.h", verdict);
}
