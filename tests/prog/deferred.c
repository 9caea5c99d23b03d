// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Requests that XDP defers to the program at tc: those that it cannot answer, and those after them.
 */
#include <string.h>
#include <time.h>

#include "support/case.h"

#define CASE_STAGE prog_deferred
TestSuite(prog_deferred, .once = target_load, .in_one_process = true);

/* Make the packet a duplicate of a READ with a response of PACKETS packets. */
static void set_again(struct run *run, __u32 packets)
{
	case_set_made(run, 1);
	run->packet.psn = case_resource(run, 0)->psn = CASE_PSN - packets;
}

static void set_read_over_mtu(struct run *run)
{
	case_set_read(run);
	run->packet.length = 1025;
	run->has_one_frame = true;
}

CASE(read_over_mtu, DEFERRED)
{
	set_read_over_mtu(run);
}

CASE(read_again_over_mtu, DEFERRED)
{
	set_read_over_mtu(run);
	set_again(run, 2);
}

/* Record that a READ was deferred to the program at tc AGO ns ago. */
static void let_be_at_tc(struct run *run, __u64 ago)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	run->qp->respq.last = now.tv_sec * 1000000000ULL + now.tv_nsec - ago;
	run->qp->resp.handed_over = 1;
	run->has_one_frame = true;
}

CASE(read_behind_one_left, DEFERRED)
{
	case_set_read(run);
	let_be_at_tc(run, 0);
}

CASE(read_again_behind_left, DEFERRED)
{
	set_again(run, 2);
	let_be_at_tc(run, 0);
}

CASE(read_long_after_left, OK)
{
	case_set_read(run);
	let_be_at_tc(run, 100000000);
}

CASE(read_after_pending, DEFERRED)
{
	case_set_read(run);
	run->qp->resp.pending = 1;
	run->has_one_frame = true;
}

CASE(write_behind_left, DEFERRED)
{
	let_be_at_tc(run, 0);
}

/* The deferred request has not arrived at tc yet. */
CASE(write_ahead_of_left, DEFERRED)
{
	let_be_at_tc(run, 0);
	run->packet.psn++;
}

/*
 * Make the packet a READ with a response longer than a page. The kernel gives a frame of test_run
 * one page.
 */
static void set_read_no_room(struct run *run)
{
	case_set_read(run);
	run->qp->mtu = 4096;
	run->packet.length = 4096;
	run->target.in_a_page = true;
}

CASE(read_without_room, DEFERRED)
{
	set_read_no_room(run);
}

/* Make the response 62 bytes longer than the frame. The page has 20 bytes after the frame. */
static void set_read_by_headroom(struct run *run)
{
	set_read_no_room(run);
	run->packet.length = 3500;
}

static void edit_to_page(struct run *run)
{
	memset(run->frame + run->len, 0xee, 3500 - run->len);
	run->len = 3500;
}

CASE(read_by_headroom, OK)
{
	set_read_by_headroom(run);
	run->edit_frame = edit_to_page;
}

/* Another program has used all but 4 bytes of the headroom. */
CASE(read_without_headroom, DEFERRED)
{
	set_read_by_headroom(run);
	run->target.metadata = 212;
	run->edit_frame = edit_to_page;
}

CASE(read_again_no_room, DEFERRED)
{
	set_read_no_room(run);
	set_again(run, 1);
}
