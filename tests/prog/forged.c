// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Packets with the peer's address that another user of its host may have sent: those from another
 * source port, and those that arrive after many with wrong PSNs.
 */
#include "support/case.h"
#include "lib/clock.h"

#define CASE_STAGE prog_forged
TestSuite(prog_forged, .once = target_load, .in_one_process = true);

enum { OTHER_PORT = PACKET_SPORT + 1 };

static void set_other_port(struct run *run)
{
	run->qp->resp.peer_sport = OTHER_PORT;
	run->qp->req.peer_sport = PACKET_SPORT;
}

CASE(request_of_other_port, SOURCE)
{
	set_other_port(run);
}

static void set_known_port(struct run *run)
{
	run->qp->resp.peer_sport = PACKET_SPORT;
	run->qp->req.peer_sport = OTHER_PORT;
}

CASE(request_of_the_port, OK)
{
	set_known_port(run);
}

CASE(request_of_any_port, OK)
{
	run->qp->resp.peer_sport = XRDMA_SPORT_ANY;
	run->qp->req.peer_sport = OTHER_PORT;
}

static void set_ack(struct run *run)
{
	case_set_ack(run, 0, CASE_ACKED_PSN);
}

CASE(response_of_the_port, ACKED)
{
	set_other_port(run);
	set_ack(run);
}

CASE(response_of_other_port, SOURCE)
{
	set_known_port(run);
	set_ack(run);
}

CASE(response_of_any_port, ACKED)
{
	set_other_port(run);
	run->qp->req.peer_sport = XRDMA_SPORT_ANY;
	set_ack(run);
}

/*
 * Record that COUNT packets with wrong PSNs have arrived, the last one AGO milliseconds (2^20 ns)
 * ago.
 */
static void let_stray(struct xrdma_strays *strays, __u32 count, __u32 ago)
{
	strays->count = count;
	strays->last = (xrdma_now() >> XRDMA_STRAYS_TIME_SHIFT) - ago;
}

/*
 * Record many packets with wrong PSNs, which have arrived just now. If the test is interrupted for
 * long, the verdict would be another one.
 */
static void let_storm(struct xrdma_strays *strays)
{
	let_stray(strays, XRDMA_STRAYS_MAX, 0);
	strays->last += 1000000;
}

CASE(request_in_a_storm, STORM)
{
	let_storm(&run->qp->respq.strays);
}

CASE(request_behind_few, OK)
{
	let_storm(&run->qp->respq.strays);
	let_storm(&run->qp->req.strays);
	run->qp->respq.strays.count--;
}

CASE(request_after_a_storm, OK)
{
	let_stray(&run->qp->respq.strays, XRDMA_STRAYS_MAX, XRDMA_STRAYS_QUIET);
}

CASE(request_among_many, PSN_AHEAD)
{
	let_storm(&run->qp->respq.strays);
	run->packet.psn++;
}

CASE(response_in_a_storm, STORM)
{
	let_storm(&run->qp->req.strays);
	set_ack(run);
}

CASE(response_behind_few, ACKED)
{
	let_storm(&run->qp->respq.strays);
	let_storm(&run->qp->req.strays);
	run->qp->req.strays.count--;
	set_ack(run);
}

CASE(response_after_a_storm, ACKED)
{
	let_stray(&run->qp->req.strays, XRDMA_STRAYS_MAX, XRDMA_STRAYS_QUIET);
	set_ack(run);
}
