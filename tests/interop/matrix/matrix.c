// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * matrix NETNS DEVICE NETNS-BETWEEN DEVICE-BETWEEN [WORD...]: exchange requests of each kind
 * between a queue pair of ours (10.66.0.1, fd66::1) and one of the machine that runs peer.c
 * (10.66.0.2, fd66::2). WORDs select trials whose names contain all of them. A number selects
 * trials of at most so many bytes (default: 1 MiB). Prints the trials that fail, and a table. The
 * exit status is 1 if one has failed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xrdma/wr.h>

#include "link.h"
#include "loss.h"
#include "ours.h"
#include "support/netns.h"

enum { LOST_PER_MILLE = 10, NAME = 96, ASKERS = 2, LOSSES = 2 };

static const struct {
	const char *name;
	__u32 opcode;
} kinds[] = {
	{ "SEND", XRDMA_WR_SEND },
	{ "SEND with immediate", XRDMA_WR_SEND_WITH_IMM },
	{ "SEND with invalidate", XRDMA_WR_SEND_WITH_INV },
	{ "WRITE", XRDMA_WR_RDMA_WRITE },
	{ "WRITE with immediate", XRDMA_WR_RDMA_WRITE_WITH_IMM },
	{ "READ", XRDMA_WR_RDMA_READ },
	{ "CMP_SWAP", XRDMA_WR_ATOMIC_CMP_AND_SWP },
	{ "FETCH_ADD", XRDMA_WR_ATOMIC_FETCH_AND_ADD },
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static struct count {
	int succeeded, all;
} counts[KINDS][ASKERS][LOSSES];

static int link_to_peer;
static __u32 len_max = TRIAL_LEN_MAX;
static char **words; /* ended by NULL */

static struct trial_outcome theirs_execute(const struct trial_order *order)
{
	struct trial_outcome outcome;

	if (link_send(link_to_peer, order, sizeof(*order)) &&
	    link_receive(link_to_peer, &outcome, sizeof(outcome)))
		return outcome;
	puts("the peer is gone");
	exit(1);
}

/*
 * Execute one step at our end, or at theirs. END is the description of the other end, and OWN
 * becomes that of this end. Returns whether the step succeeded.
 */
static bool execute(const struct trial *trial, enum trial_step step, bool theirs,
		    const struct trial_end *other, struct trial_end *own, char *error)
{
	const struct trial_order order = { .step = step, .trial = *trial, .other = *other };
	struct trial_outcome outcome = theirs ? theirs_execute(&order) : ours_execute(&order);

	*own = outcome.own;
	if (*outcome.error)
		snprintf(error, NAME * 3, "%s: %s", theirs ? "theirs" : "ours", outcome.error);
	return !*outcome.error;
}

static bool execute_both(const struct trial *trial, enum trial_step step, struct trial_end ends[2],
			 char *error)
{
	return execute(trial, step, false, &ends[1], &ends[0], error) &&
	       execute(trial, step, true, &ends[0], &ends[1], error);
}

/*
 * Run a trial with the given loss in the middle steps. No packets are dropped in the other steps.
 */
static bool try(const struct trial *trial, __u32 lost_per_mille, char *error)
{
	struct trial_end ends[2] = { 0 }; /* ours, theirs */
	const bool asker = trial->they_ask;
	bool done;

	if (!execute_both(trial, TRIAL_CREATE, ends, error) ||
	    !execute_both(trial, TRIAL_CONNECT, ends, error) ||
	    !execute_both(trial, TRIAL_PREPARE, ends, error))
		return false;
	loss_set(lost_per_mille);
	done = execute(trial, TRIAL_ASK, asker, &ends[!asker], &ends[asker], error);
	loss_set(0);
	return done && execute_both(trial, TRIAL_FINISH, ends, error);
}

static bool is_wanted(const struct trial *trial, const char *name)
{
	char **word = words;

	while (*word && strstr(name, *word))
		word++;
	return !*word && trial->len <= len_max;
}

static void run(int kind, const struct trial *trial, bool lossy)
{
	struct count *count = &counts[kind][trial->they_ask][lossy];
	char name[2 * NAME], error[3 * NAME];

	snprintf(name, sizeof(name), "%s of %u bytes, %u at a time, %s ask, MTU %u, IPv%u, %s",
		 kinds[kind].name, trial->len, trial->count, trial->they_ask ? "they" : "we",
		 trial->mtu, trial->ip_version, lossy ? "1 % lost" : "no loss");
	if (!is_wanted(trial, name))
		return;
	count->all++;
	if (try(trial, lossy ? LOST_PER_MILLE : 0, error))
		count->succeeded++;
	else
		printf("%s: %s\n", name, error);
	fflush(stdout);
}

static void run_sizes(int kind, struct trial *trial, bool lossy)
{
	const __u32 mtu = trial->mtu;
	const __u32 lengths[] = { 0, 1, 100, mtu - 1, mtu, mtu + 1, 5 * mtu + 3, 65536, 1 << 20 };
	const __u32 atomic[] = { sizeof(__u64) };
	const bool is_atomic = trial_is_atomic(trial);
	const size_t sizes = is_atomic ? 1 : sizeof(lengths) / sizeof(lengths[0]);

	for (size_t i = 0; i < sizes; i++)
		for (trial->count = 1; trial->count <= TRIAL_REQUESTS_MAX;
		     trial->count += TRIAL_REQUESTS_MAX - 1) {
			trial->len = is_atomic ? atomic[0] : lengths[i];
			trial->seed = (__u64)arc4random() << 32 | arc4random();
			run(kind, trial, lossy);
		}
}

static void run_all(void)
{
	static const __u32 mtus[] = { 256, 1024, 4096 };
	struct trial trial = { 0 };

	for (int kind = 0; kind < KINDS; kind++)
		for (int i = 0; i < 3 * 2 * ASKERS * LOSSES; i++) {
			trial.opcode = kinds[kind].opcode;
			trial.mtu = mtus[i % 3];
			trial.ip_version = i / 3 % 2 ? 6 : 4;
			trial.they_ask = i / 6 % 2;
			run_sizes(kind, &trial, i / 12);
		}
}

/* Print the table. Returns whether all trials have succeeded. */
static bool print_table(void)
{
	bool all = true;

	puts("| operation | they ask | they ask, 1 % lost | we ask | we ask, 1 % lost |");
	puts("|---|---|---|---|---|");
	for (int kind = 0; kind < KINDS; kind++) {
		printf("| %s |", kinds[kind].name);
		for (int i = 0; i < ASKERS * LOSSES; i++) {
			const struct count *count = &counts[kind][i < 2][i % 2];

			printf(" %d of %d |", count->succeeded, count->all);
			all &= count->succeeded == count->all;
		}
		puts("");
	}
	printf("%llu of %llu packets were lost on purpose.\n", (unsigned long long)loss_lost(),
	       (unsigned long long)loss_seen());
	return all;
}

int main(int argc, char **argv)
{
	bool all;

	if (argc < 5) {
		fprintf(stderr,
			"usage: matrix NETNS DEVICE NETNS-BETWEEN DEVICE-BETWEEN [WORD...]\n");
		return 2;
	}
	words = argv + 5;
	if (getenv("LEN_MAX"))
		len_max = strtoul(getenv("LEN_MAX"), NULL, 0);
	if (!netns_enter(argv[3]) || !loss_open(argv[4]) || !netns_enter(argv[1]) ||
	    !ours_open(argv[2]))
		return 1;
	link_to_peer = link_connect("10.66.0.2");
	if (link_to_peer < 0) {
		puts("there is no peer at 10.66.0.2");
		return 1;
	}
	run_all();
	all = print_table();
	ours_close();
	close(link_to_peer);
	if (netns_enter(argv[3]))
		loss_close();
	return !all;
}
