// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Processes with contexts on the loaded device xa: how they end, and what they share.
 * tests/net/context.sh runs it.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dev/pin.h"
#include "support/side.h"
#include "support/slot_view.h"
#include "support/test.h"

static __u32 open_slot(void)
{
	return open_small(SLOT_DEVICE)->slot;
}

/* Claim a slot, like the first half of opening a context. */
static __u32 claim_slot(void)
{
	struct xrdma_slots slots;
	__u32 slot;

	expect_int(xrdma_slots_open(&slots, SLOT_DEVICE), ==, 0);
	expect_int(xrdma_slot_claim(&slots, &slot), ==, 0);
	return slot;
}

/* Start a process that takes a slot by FIRST, reports it in *SLOT, and then calls THEN. */
static pid_t start_owner(__u32 (*first)(void), void (*then)(void), __u32 *slot)
{
	int say[2];
	pid_t pid;

	expect_int(pipe(say), ==, 0);
	pid = fork();
	if (!pid) {
		*slot = first();
		if (write(say[1], slot, sizeof(*slot)) == sizeof(*slot))
			then();
		_exit(1);
	}
	expect_int(read(say[0], slot, sizeof(*slot)), ==, sizeof(*slot));
	close(say[0]);
	close(say[1]);
	return pid;
}

static void wait_for_ever(void)
{
	pause();
}

static void run_cat(void)
{
	execl("/bin/cat", "cat", "/proc/self/mem", NULL);
}

static void end_first_thread(void)
{
	pthread_exit(NULL);
}

static void *pause_thread(void *unused)
{
	pause();
	return unused;
}

static void leave_a_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, pause_thread, NULL);
	end_first_thread();
}

/*
 * Expect that the slot of a process that has exited gets no packets, and that the next context
 * frees it.
 */
static void expect_reclaimed(__u32 slot)
{
	struct slot_view view = slot_look(slot);

	expect_int(view.row.state, ==, XRDMA_CONTEXT_DEAD);
	slot_open_and_close();
	view = slot_look(slot);
	expect_int(view.row.state, ==, XRDMA_CONTEXT_FREE);
	expect(!view.has_maps);
}

Test(process, killed_owner)
{
	__u32 slot;
	pid_t pid = start_owner(open_slot, wait_for_ever, &slot);

	expect_int(slot_look(slot).row.state, ==, XRDMA_CONTEXT_ALIVE);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	expect_int(slot_look(slot).row.owner, ==, 0); /* another process may have got the id */
	expect_reclaimed(slot);
}

/* Claim a slot of a process that has exited, as if to free it. */
static __u32 claim_dead(void)
{
	__u64 args[] = { XRDMA_CONTEXT_DEAD };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args));

	expect_int(bpf_prog_test_run_opts(xrdma_pin_get(SLOT_DEVICE, "xrdma_claim"), &opts), ==, 0);
	return opts.retval;
}

/* A process that is freeing the slot of a dead process may be killed, too. */
Test(process, owner_killed_while_it_frees)
{
	__u32 slot, same;
	pid_t pid = start_owner(open_slot, wait_for_ever, &slot);

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	pid = start_owner(claim_dead, wait_for_ever, &same);
	expect_int(same, ==, slot);
	expect_int(slot_look(slot).row.state, ==, XRDMA_CONTEXT_OPENING);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	expect_reclaimed(slot);
}

/* Open a context whose heap has grown. */
static __u32 open_grown(void)
{
	struct xrdma_context *context;
	void *memory;

	expect_int(xrdma_context_open(SLOT_DEVICE, NULL, &context), ==, 0);
	expect_int(xrdma_alloc(context, 2 * XRDMA_HEAP_ELEMENT, 1, &memory), ==, 0);
	expect_int(slot_look(context->slot).heap_parts, ==, 2);
	return context->slot;
}

Test(process, killed_owner_of_more_heap)
{
	__u32 slot;
	pid_t pid = start_owner(open_grown, wait_for_ever, &slot);

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	expect_reclaimed(slot);
}

static __u32 open_ten(void)
{
	for (int i = 0; i < 9; i++)
		open_small(SLOT_DEVICE);
	return open_slot();
}

/* The next context frees the slots of all processes that have exited. */
Test(process, killed_owner_of_many)
{
	__u32 slot, slots[XRDMA_CONTEXTS_MAX];
	pid_t pid = start_owner(open_ten, wait_for_ever, &slot);

	expect_int(slot_list(XRDMA_CONTEXT_ALIVE, slots), ==, 10);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	expect_reclaimed(slot);
	for (int i = 0; i < 10; i++) {
		struct slot_view view = slot_look(slots[i]);

		expect_int(view.row.state, ==, XRDMA_CONTEXT_FREE);
		expect(!view.has_maps);
	}
}

Test(process, owner_killed_while_it_opens)
{
	__u32 slot;
	pid_t pid = start_owner(claim_slot, wait_for_ever, &slot);

	expect_int(slot_look(slot).row.state, ==, XRDMA_CONTEXT_OPENING);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	expect_reclaimed(slot);
}

Test(process, owner_that_becomes_another_program)
{
	__u32 slot;
	pid_t pid = start_owner(open_slot, run_cat, &slot);

	waitpid(pid, NULL, 0);
	expect_reclaimed(slot);
}

/* A stale handle changes nothing, not even if the same process has claimed the slot again. */
Test(process, stale_handle)
{
	struct xrdma_context *context = open_small(SLOT_DEVICE);
	__u32 slot = context->slot;

	expect_int(slot_look(slot).row.generation, ==, context->generation);
	xrdma_slot_free(&context->slots, slot, context->generation - 1);
	expect_int(slot_look(slot).row.state, ==, XRDMA_CONTEXT_ALIVE);
	xrdma_slot_free(&context->slots, XRDMA_CONTEXTS_MAX, context->generation);
	expect_int(xrdma_context_close(context), ==, 0);
	expect_int(slot_look(slot).row.state, ==, XRDMA_CONTEXT_FREE);
}

/*
 * A process is identified by its id and its start time. The context of a process that has only one
 * of them is not reclaimed.
 */
static void expect_of_another(__u32 other_id, __u64 other_start)
{
	__u32 slot;
	pid_t pid = start_owner(open_slot, wait_for_ever, &slot);
	struct xrdma_context_row row = slot_look(slot).row;

	row.owner += other_id;
	row.owner_started += other_start;
	slot_set_row(slot, &row);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	expect_int(slot_look(slot).row.state, ==, XRDMA_CONTEXT_ALIVE);
	row.state = XRDMA_CONTEXT_DEAD;
	slot_set_row(slot, &row);
	expect_reclaimed(slot);
}

Test(process, owner_with_the_id_of_another)
{
	expect_of_another(0, 1);
}

Test(process, owner_started_with_another)
{
	expect_of_another(1, 0);
}

/* Threads may start and end. A process ends with its last thread. */
Test(process, owner_with_threads)
{
	char path[64], state = 0;
	__u32 slot;
	pid_t pid = start_owner(open_slot, leave_a_thread, &slot);

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	while (state != 'Z') { /* the first thread has ended */
		FILE *stat = fopen(path, "r");

		expect(stat && fscanf(stat, "%*d %*s %c", &state) == 1);
		fclose(stat);
	}
	expect_int(slot_look(slot).row.state, ==, XRDMA_CONTEXT_ALIVE);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	expect_reclaimed(slot);
}
