// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Counters that rows of keys name, truthfully or not. What else counts is judged of each case. */
#include "cases.h"

static void set_first(struct run *r)
{
	r->mkey->cntr = 1;
}

static void set_none(struct run *r)
{
	r->mkey->cntr = 0;
}

static void set_beyond(struct run *r)
{
	r->mkey->cntr = TARGET_CNTRS + 1;
}

static void set_huge(struct run *r)
{
	r->mkey->cntr = 0xffffffff;
}

static void set_huge_atomic(struct run *r)
{
	case_set_fetch_add(r);
	set_huge(r);
}

/* The context says that it has no counters, so nobody looks. */
static void set_unused(struct run *r)
{
	r->target.slots.rows[r->target.slot].uses = 0;
}

static void set_no_table(struct run *r)
{
	set_beyond(r);
	target_drop(&r->target, "xrdma_cntrs");
}

#define CASE_STAGE prog_cntr
TestSuite(prog_cntr, .once = target_load, .in_one_process = true);
CNTR_CASES(CASE_TEST)
