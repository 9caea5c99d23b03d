// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Counters in rows of keys, which may be wrong. case.c checks in each case what else is counted. */
#include "support/case.h"

#define CASE_STAGE prog_cntr
TestSuite(prog_cntr, .once = target_load, .in_one_process = true);

CASE(cntr_first, OK)
{
	run->mkey->cntr = 1;
}

CASE(cntr_none, OK)
{
	run->mkey->cntr = 0;
}

static void set_beyond(struct run *run)
{
	run->mkey->cntr = TARGET_CNTRS + 1;
}

CASE(cntr_beyond, OK)
{
	set_beyond(run);
}

static void set_huge(struct run *run)
{
	run->mkey->cntr = 0xffffffff;
}

CASE(cntr_huge, OK)
{
	set_huge(run);
}

CASE(cntr_huge_atomic, OK)
{
	case_set_fetch_add(run);
	set_huge(run);
}

/* The context uses no counters, so XDP does not look for one. */
CASE(cntr_unused, OK)
{
	run->target.slots.rows[run->target.slot].uses = 0;
}

CASE(cntr_no_table, OK)
{
	set_beyond(run);
	target_drop(&run->target, "xrdma_cntrs");
}
