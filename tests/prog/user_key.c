// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* User keys, by which peers name a row that has another key. */
#include <bpf/bpf.h>
#include <errno.h>
#include <unistd.h>

#include "support/case.h"

#define CASE_STAGE prog_user_key
TestSuite(prog_user_key, .once = target_load, .in_one_process = true);

enum { REQUESTED = 0x17 };

/* Make REQUESTED_KEY of the protection domain PD lead to KEY in the context's map. */
static void request_in(struct run *run, __u32 pd, __u32 requested_key, __u32 key)
{
	const struct xrdma_user_key asked = { pd, requested_key };
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	int map = bpf_map_create(BPF_MAP_TYPE_HASH, "requested", sizeof(asked), sizeof(key),
				 TARGET_ROWS, &opts);

	expect(map >= 0);
	expect_int(bpf_map_update_elem(map, &asked, &key, BPF_NOEXIST), ==, 0);
	expect_int(xrdma_slot_add_user_keys(&run->target.slots, run->target.slot, map), ==, 0);
	close(map);
}

static void request(struct run *run, __u32 requested_key, __u32 key)
{
	request_in(run, run->qp->pd, requested_key, key);
}

static void set_requested(struct run *run)
{
	request(run, REQUESTED, CASE_KEY);
	run->packet.key = REQUESTED;
}

CASE(requested, OK)
{
	set_requested(run);
}

/* User key 0 does not lead to unused rows, whose keys are 0. */
CASE(requested_zero, OK)
{
	request(run, 0, CASE_KEY);
	run->packet.key = 0;
}

CASE(requested_ones, OK)
{
	request(run, 0xffffffff, CASE_KEY);
	run->packet.key = 0xffffffff;
}

static void set_requested_read(struct run *run)
{
	case_set_read(run);
	set_requested(run);
}

CASE(requested_read, OK)
{
	set_requested_read(run);
}

/* A duplicate uses the same user key. */
CASE(requested_read_again, DUPLICATE)
{
	set_requested_read(run);
	run->packet.psn--;
	case_set_made(run, 1);
}

CASE(requested_atomic, OK)
{
	case_set_fetch_add(run);
	set_requested(run);
}

/* A row that has the key is found before a user key. */
CASE(row_before_requested, OK)
{
	request(run, CASE_KEY, CASE_KEY ^ 1);
}

CASE(requested_other, KEY)
{
	set_requested(run);
	run->packet.key++;
}

CASE(requested_of_other_domain, KEY)
{
	request_in(run, run->qp->pd + 1, REQUESTED, CASE_KEY);
	run->packet.key = REQUESTED;
}

CASE(requested_of_nobody, KEY)
{
	request(run, REQUESTED, CASE_KEY ^ 1);
	run->packet.key = REQUESTED;
}

CASE(requested_invalid, KEY_STATE)
{
	set_requested(run);
	run->mkey->state = XRDMA_MKEY_STATE_INVALID;
}

/* A user key leads to a row, and not to another user key. */
CASE(requested_to_itself, KEY)
{
	request(run, REQUESTED, REQUESTED);
	run->packet.key = REQUESTED;
}

CASE(requested_not_looked_up, KEY)
{
	set_requested(run);
	run->target.slots.rows[run->target.slot].uses = 0;
}

CASE(requested_no_map, KEY)
{
	set_requested(run);
	target_drop(&run->target, "xrdma_user_keys");
}

/* A user key works only for peers, and not as a local key. */
CASE(requested_is_no_lkey, RECV_KEY)
{
	case_set_send(run);
	request(run, REQUESTED, CASE_KEY);
	run->sges[0].lkey = REQUESTED;
}
