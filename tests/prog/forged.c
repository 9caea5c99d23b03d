// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Packets with the peer's address that may be of another user of its host: those from another
 * source port, and those that come after many at wrong PSNs.
 */
#include "cases.h"
#include "lib/clock.h"

enum { OTHER_PORT = PACKET_SPORT + 1 };

static void set_other_port(struct run *r)
{
	r->qp->resp.peer_sport = OTHER_PORT;
	r->qp->req.peer_sport = PACKET_SPORT;
}

static void set_known_port(struct run *r)
{
	r->qp->resp.peer_sport = PACKET_SPORT;
	r->qp->req.peer_sport = OTHER_PORT;
}

static void set_any_port(struct run *r)
{
	r->qp->resp.peer_sport = XRDMA_SPORT_ANY;
	r->qp->req.peer_sport = OTHER_PORT;
}

static void set_ack(struct run *r)
{
	case_set_ack(r, 0, CASE_ACKED_PSN);
}

static void set_response_of_known_port(struct run *r)
{
	set_other_port(r);
	set_ack(r);
}

static void set_response_of_other_port(struct run *r)
{
	set_known_port(r);
	set_ack(r);
}

static void set_response_of_any_port(struct run *r)
{
	set_other_port(r);
	r->qp->req.peer_sport = XRDMA_SPORT_ANY;
	set_ack(r);
}

/* COUNT strays have come, the last AGO milliseconds (2^20 ns) ago. */
static void let_stray(struct xrdma_strays *strays, __u32 count, __u32 ago)
{
	strays->count = count;
	strays->last = (xrdma_now() >> XRDMA_STRAYS_TIME_SHIFT) - ago;
}

/* A test that is interrupted for long would find the storm over. */
static void let_storm(struct xrdma_strays *strays)
{
	let_stray(strays, XRDMA_STRAYS_MAX, 0);
	strays->last += 1000000;
}

static void set_storm(struct run *r)
{
	let_storm(&r->qp->respq.strays);
}

static void set_few(struct run *r)
{
	let_storm(&r->qp->respq.strays);
	let_storm(&r->qp->req.strays);
	r->qp->respq.strays.count--;
}

static void set_storm_before(struct run *r)
{
	let_stray(&r->qp->respq.strays, XRDMA_STRAYS_MAX, XRDMA_STRAYS_QUIET);
}

static void set_ahead_in_storm(struct run *r)
{
	let_storm(&r->qp->respq.strays);
	r->packet.psn++;
}

static void set_response_in_storm(struct run *r)
{
	let_storm(&r->qp->req.strays);
	set_ack(r);
}

static void set_response_behind_few(struct run *r)
{
	let_storm(&r->qp->respq.strays);
	let_storm(&r->qp->req.strays);
	r->qp->req.strays.count--;
	set_ack(r);
}

static void set_response_after_storm(struct run *r)
{
	let_stray(&r->qp->req.strays, XRDMA_STRAYS_MAX, XRDMA_STRAYS_QUIET);
	set_ack(r);
}

#define CASE_STAGE prog_forged
TestSuite(prog_forged, .once = target_load, .in_one_process = true);
FORGED_CASES(CASE_TEST)
