// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Replay captured connections of Soft-RoCE. A queue pair of ours takes the place of one end, and
 * the peer sends the recorded packets of the other end. From the transport header on, our packets
 * must equal those of the capture. Memory and completions are compared, too. docs/interop.md lists
 * the differences. tests/net/peer.sh runs these tests.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "support/wait.h"
#include "support/play.h"
#include "support/test.h"
#include "wire/psn.h"

enum { QUEUED = 64, PATIENCE = 10 /* s */ };

/*
 * The captures, except two kinds. A requester may choose when and how much it sends again after a
 * loss. Windows of the targets are replayed in tests/prog/replay.c.
 */
static const struct play_script scripts[] = {
	{ .name = "send" },
	{ .name = "k61-send" },
	{ .name = "k73-send" },
	{ .name = "mtu4096-send" },
	{ .name = "send_imm" },
	{ .name = "write" },
	{ .name = "mtu256-write" },
	{ .name = "mtu4096-write" },
	{ .name = "write_imm" },
	{ .name = "read" },
	{ .name = "mtu4096-read" },
	{ .name = "atomic" },
	{ .name = "k61-atomic" },
	{ .name = "bad_rkey", .wrong_key = true },
	{ .name = "k61-bad_rkey", .wrong_key = true },
	{ .name = "rnr" },
	{ .name = "k61-rnr" },
	{ .name = "loss-req-stream", .roles = SERVER_ONLY, .more = 3 },
	{ .name = "loss-req-stream_read", .roles = SERVER_ONLY },
	{ .name = "loss-resp-stream", .roles = SERVER_ONLY, .more = 1 },
	{ .name = "dup-stream", .roles = SERVER_ONLY },
	{ .name = "deaf", .roles = CLIENT_ONLY },
	{ .name = "send_too_long",
	  .receive_len = 16,
	  .theirs = XRDMA_AETH_NAK_REMOTE_OPERATION,
	  .ours = XRDMA_AETH_NAK_INVALID_REQUEST },
	{ .name = "mw1", .roles = CLIENT_ONLY },
	{ .name = "k73-mw1", .roles = CLIENT_ONLY },
	{ .name = "mw2_inv", .roles = CLIENT_ONLY },
	{ .name = "k61-mw2_inv", .roles = CLIENT_ONLY },
	{ .name = "tool-rc_pingpong" },
	{ .name = "tool-rc_pingpong-events" },
	{ .name = "tool-read_bw" },
	{ .name = "tool-write_bw" },
	{ .name = "tool-write_lat" },
	{ .name = "tool-atomic_lat-cas" },
	{ .name = "cm-rping" },
	{ .name = "cm-rping-local-prot-err" },
	{ .name = "cm-rdma_client" },
};

/* A packet that we sent. */
struct seen {
	struct xrdma_frame frame;
	struct xrdma_pkt pkt;
};

static struct seen waiting[RECORDED_MAX]; /* packets that arrived before they were expected */
static int waiting_count;
static int more;
static struct xrdma_wc completed[QUEUED];
static int completions;

/*
 * Returns whether OURS equals REAL from the transport header on. Differences in the peer's number,
 * in the request for an acknowledgement, and in the migration request bit do not count: Soft-RoCE
 * never sets that bit.
 */
static bool is_alike(const struct recorded *real, const struct seen *ours)
{
	const size_t len = real->pkt.icrc_at - real->pkt.bth_at,
		     syndrome_at = sizeof(struct xrdma_bth);
	__u8 a[PACKET_MAX], b[PACKET_MAX];

	if (ours->pkt.icrc_at - ours->pkt.bth_at != (int)len)
		return false;
	memcpy(a, real->frame.bytes + real->pkt.bth_at, len);
	memcpy(b, ours->frame.bytes + ours->pkt.bth_at, len);
	a[1] &= ~XRDMA_BTH_MIGREQ;
	b[1] &= ~XRDMA_BTH_MIGREQ;
	memset(a + 5, 0, 4); /* QPN, and the request for an acknowledgement */
	memset(b + 5, 0, 4);
	if (play.script->theirs && a[syndrome_at] == play.script->theirs)
		a[syndrome_at] = play.script->ours;
	return !memcmp(a, b, len);
}

static void poll(void)
{
	completions += xrdma_cq_poll(peer.b.cq, QUEUED - completions, completed + completions);
}

/* Returns the next packet that we send and that is a request, or that is none. */
static struct seen next_seen(bool request)
{
	const time_t end = time(NULL) + PATIENCE;
	struct seen *seen = waiting, found;

	while (seen < waiting + waiting_count && recorded_responds(&seen->pkt) == request)
		seen++;
	if (seen < waiting + waiting_count) {
		found = *seen;
		memmove(seen, seen + 1, (char *)(waiting + waiting_count) - (char *)(seen + 1));
		waiting_count--;
		return found;
	}
	for (;;) {
		while (!peer_receive(&found.frame, &found.pkt, MSG_DONTWAIT)) {
			poll();
			wait_unless(false);
			expect_msg(time(NULL) < end, "nothing comes");
		}
		if (recorded_responds(&found.pkt) != request)
			return found;
		expect_int(waiting_count, <, RECORDED_MAX);
		waiting[waiting_count++] = found;
	}
}

static void expect_ours(int i)
{
	const struct recorded *real = &recording.all[i];
	struct seen ours;

	if (real->request && xrdma_psn_cmp(real->pkt.psn, play.posted) >= 0)
		play_post(i);
	ours = next_seen(real->request);
	while (!is_alike(real, &ours) && more) {
		more--;
		ours = next_seen(real->request);
	}
	expect_msg(is_alike(real, &ours),
		   "packet %d is opcode %02x PSN %06x syndrome %02x, ours %02x %06x %02x", i,
		   real->pkt.opcode, real->pkt.psn, real->pkt.syndrome, ours.pkt.opcode,
		   ours.pkt.psn, ours.pkt.syndrome);
}

/* Expect that we have sent no packet that the capture does not have. */
static void expect_no_more(void)
{
	struct seen left;

	while (more-- > 0)
		next_seen(false);
	expect_int(waiting_count, ==, 0);
	expect_msg(!peer_receive(&left.frame, &left.pkt, MSG_DONTWAIT),
		   "opcode %02x PSN %06x is not in the capture", left.pkt.opcode, left.pkt.psn);
}

/*
 * Returns the index of our next completion, from FROM on, that is of a receive, or that is of none.
 */
static int next_completion(int from, bool receive)
{
	while (from < completions && !!(completed[from].opcode & XRDMA_WC_RECV) != receive)
		from++;
	expect_msg(from < completions, "%d completions", completions);
	return from;
}

/*
 * Expect the next completion to be that of the captured program. It bound a window, too, which we
 * do not.
 */
static void expect_completion(struct json_object *theirs, int next[2])
{
	const __u64 opcode = log_number(theirs, "opcode"), status = log_number(theirs, "status");
	const bool receive = opcode & XRDMA_WC_RECV;
	const struct xrdma_wc *ours;

	if (opcode == XRDMA_WC_BIND_MW)
		return;
	next[receive] = next_completion(next[receive], receive);
	ours = &completed[next[receive]++];
	expect_msg(ours->status == status, "'%s'", xrdma_wc_status_str(ours->status));
	if (status)
		return;
	expect_int(ours->opcode, ==, opcode);
	expect_int(ours->byte_len, ==, log_number(theirs, "len"));
}

/*
 * Expect our completions to be those in the log of the captured program. If it has logged none, all
 * of ours must succeed.
 */
static void expect_logged(void)
{
	struct json_object *object, *all;
	FILE *log = log_of(play.script->name, play.role);
	int next[2] = { 0, 0 };
	char line[512];

	while (log && fgets(line, sizeof(line), log)) {
		object = json_tokener_parse(line);
		if (json_object_object_get_ex(object, "wc", &all))
			expect_completion(json_object_array_get_idx(all, 0), next);
		json_object_put(object);
	}
	if (log)
		fclose(log);
	for (int i = 0; i < completions && !next[0] && !next[1]; i++)
		expect_msg(!completed[i].status, "%s", xrdma_wc_status_str(completed[i].status));
}

static void expect_completions(void)
{
	const time_t end = time(NULL) + PATIENCE;
	const int due = play.requests + play.receives;

	while (completions < due && time(NULL) < end)
		poll();
	expect_int(completions, ==, due);
	if (!play.script->theirs ||
	    play.role ==
		    CLIENT) /* in the other case, the statuses differ, because the syndromes do */
		expect_logged();
}

/* Skip all tests if there are no captures. */
static void open_peer(void)
{
	if (access(CAPTURES, R_OK)) {
		puts("no captures in " CAPTURES);
		exit(77);
	}
	peer_open();
}

static void begin(const struct play_script *script, enum role role)
{
	play_begin(script, role);
	more = script->more;
	waiting_count = completions = 0;
	while (peer_receive(&waiting->frame, &waiting->pkt, MSG_DONTWAIT))
		; /* packets of the test before */
}

TestSuite(captured, .once = open_peer, .init = peer_start, .fini = peer_stop, .end = peer_close);

Tests(captured, connection, ROLES * sizeof(scripts) / sizeof(scripts[0]))
{
	const struct play_script *script = &scripts[i / ROLES];
	const enum role role = i % ROLES;

	if (script->roles == (role == SERVER ? CLIENT_ONLY : SERVER_ONLY))
		return;
	begin(script, role);
	for (int packet = 0; packet < recording.count; packet++) {
		if (recording.all[packet].ours)
			expect_ours(packet);
		else
			play_theirs(packet);
	}
	expect_completions();
	expect_no_more();
	expect(!memcmp(peer.b.owner.memory, play.memory, OWNER_BYTES));
}

/* An opcode that is not supported is an invalid request (9.7.4.1.5). Soft-RoCE supports these. */
static const struct play_script unserved[] = {
	{ .name = "flush_atomic_write", .skipped = 2, .refused = true },
	{ .name = "flush_atomic_write", .skipped = 4, .refused = true },
	{ .name = "k73-flush_atomic_write", .skipped = 2, .refused = true },
	{ .name = "k73-flush_atomic_write", .skipped = 4, .refused = true },
};

Tests(captured, opcodes_that_are_not_served, sizeof(unserved) / sizeof(unserved[0]))
{
	const struct xrdma_pkt *request = &recording.all[0].pkt;
	struct seen answer;

	begin(&unserved[i], SERVER);
	expect_int(request->opcode, ==, i % 2 ? XRDMA_RC_ATOMIC_WRITE : XRDMA_RC_FLUSH);
	play_theirs(0);
	answer = next_seen(false);
	expect_int(answer.pkt.opcode, ==, XRDMA_RC_ACK);
	expect_int(answer.pkt.syndrome, ==, XRDMA_AETH_NAK_INVALID_REQUEST);
	expect_int(answer.pkt.psn, ==, request->psn);
	expect_no_more();
	expect(!memcmp(peer.b.owner.memory, play.memory, OWNER_BYTES));
}
