// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Contexts on the loaded device xa; tests/net/context.sh runs it. */
#include <bpf/bpf.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pin.h"
#include "support/owner.h"

#define DEVICE "xa"

/* What the device's maps say of a slot. */
struct slot_view {
	struct xrdma_context_row row;
	bool has_maps;
};

static struct slot_view look(__u32 slot)
{
	static const char *const outer[] = { "xrdma_qps", "xrdma_mkeys", "xrdma_heaps" };
	struct slot_view view = { 0 };
	int fd = xrdma_pin_get(DEVICE, "xrdma_contexts"), maps = 0;
	__u32 id;

	cr_assert_eq(bpf_map_lookup_elem(fd, &slot, &view.row), 0);
	close(fd);
	for (int i = 0; i < 3; i++) {
		fd = xrdma_pin_get(DEVICE, outer[i]);
		maps += !bpf_map_lookup_elem(fd, &slot, &id);
		close(fd);
	}
	cr_assert(maps == 0 || maps == 3);
	view.has_maps = maps;
	return view;
}

Test(context, is_alive_until_it_is_closed)
{
	struct xrdma_context *context = open_small(DEVICE);
	__u32 slot = context->slot;
	struct slot_view view = look(slot);

	cr_expect_eq(view.row.state, XRDMA_CONTEXT_ALIVE);
	cr_expect_eq(view.row.mkey_mask, 15);
	cr_expect_gt(view.row.owner_started, 0);
	cr_expect(view.has_maps);
	cr_expect_eq(context->tables.heap.size, XRDMA_HEAP_ELEMENT + XRDMA_TRANSMIT_SIZE);
	cr_expect_eq(xrdma_context_close(context), 0);
	view = look(slot);
	cr_expect_eq(view.row.state, XRDMA_CONTEXT_FREE);
	cr_expect_eq(view.row.owner, 0);
	cr_expect_not(view.has_maps);
}

Test(context, sizes)
{
	struct xrdma_context_attr attr = { .sz = sizeof(attr) };
	struct xrdma_context *context;

	cr_assert_eq(xrdma_context_open(DEVICE, NULL, &context), 0);
	cr_expect_eq(context->tables.heap.size, (32 << 20) + XRDMA_TRANSMIT_SIZE);
	cr_expect_eq(context->mkey_mask, 4095);
	cr_expect_eq(context->tables.qps.size, 258 * sizeof(struct xrdma_qp_row));
	cr_expect_eq(xrdma_context_close(context), 0);
	attr.mkeys = 17;
	cr_assert_eq(xrdma_context_open(DEVICE, &attr, &context), 0);
	cr_expect_eq(context->mkey_mask, 31);
	cr_expect_eq(xrdma_context_close(context), 0);
	attr.mkeys = XRDMA_MKEYS_MAX + 1;
	expect_error(xrdma_context_open(DEVICE, &attr, &context), EINVAL, "at most 16777216");
	attr = (struct xrdma_context_attr){ .sz = sizeof(attr), .qps = XRDMA_QPS_MAX - 1 };
	expect_error(xrdma_context_open(DEVICE, &attr, &context), EINVAL, "at most 65534");
	attr = (struct xrdma_context_attr){ .sz = sizeof(attr), .heap_size = (size_t)-1 };
	expect_error(xrdma_context_open(DEVICE, &attr, &context), EINVAL, "at most");
	attr.sz = offsetof(struct xrdma_context_attr, heap_size); /* an older, shorter struct */
	cr_assert_eq(xrdma_context_open(DEVICE, &attr, &context), 0);
	cr_expect_eq(context->tables.heap.size, (32 << 20) + XRDMA_TRANSMIT_SIZE);
	cr_expect_eq(xrdma_context_close(context), 0);
}

Test(context, of_a_device_that_is_not_there)
{
	struct xrdma_context *context;

	expect_error(xrdma_context_open("lo", NULL, &context), ENOENT, "xrdma load lo");
	expect_error(xrdma_context_open("../x", NULL, &context), EINVAL, "not the name");
}

/* Start a process that opens a context, says its slot, and goes on as THEN. */
static pid_t start_owner(void (*then)(void), __u32 *slot)
{
	int say[2];
	pid_t pid;

	cr_assert_eq(pipe(say), 0);
	pid = fork();
	if (!pid) {
		*slot = open_small(DEVICE)->slot;
		if (write(say[1], slot, sizeof(*slot)) == sizeof(*slot))
			then();
		_exit(1);
	}
	cr_assert_eq(read(say[0], slot, sizeof(*slot)), sizeof(*slot));
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

/* The slot of an owner that is gone serves nobody, and the next context of the device finds it freed. */
static void expect_reclaimed(__u32 slot)
{
	struct slot_view view = look(slot);

	cr_expect_eq(view.row.state, XRDMA_CONTEXT_DEAD);
	cr_expect(view.has_maps);
	cr_expect_eq(xrdma_context_close(open_small(DEVICE)), 0);
	view = look(slot);
	cr_expect_eq(view.row.state, XRDMA_CONTEXT_FREE);
	cr_expect_not(view.has_maps);
}

Test(context, killed_owner)
{
	__u32 slot;
	pid_t pid = start_owner(wait_for_ever, &slot);

	cr_expect_eq(look(slot).row.state, XRDMA_CONTEXT_ALIVE);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	expect_reclaimed(slot);
}

Test(context, owner_that_becomes_another_program)
{
	__u32 slot;
	pid_t pid = start_owner(run_cat, &slot);

	waitpid(pid, NULL, 0);
	expect_reclaimed(slot);
}

/* Threads come and go; the process is gone with the last. */
Test(context, owner_with_threads)
{
	char path[64], state = 0;
	__u32 slot;
	pid_t pid = start_owner(leave_a_thread, &slot);

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	while (state != 'Z') { /* the first thread has ended */
		FILE *stat = fopen(path, "r");

		cr_assert(stat && fscanf(stat, "%*d %*s %c", &state) == 1);
		fclose(stat);
	}
	cr_expect_eq(look(slot).row.state, XRDMA_CONTEXT_ALIVE);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	expect_reclaimed(slot);
}

/* A row of each slot that is free, as if another process had it; then all are free again. */
static void set_others(__u32 from, __u32 to)
{
	int fd = xrdma_pin_get(DEVICE, "xrdma_contexts");
	struct xrdma_context_row row;

	for (__u32 slot = 0; slot < XRDMA_CONTEXTS_MAX; slot++) {
		cr_assert_eq(bpf_map_lookup_elem(fd, &slot, &row), 0);
		if (row.state != from)
			continue;
		row.state = to;
		cr_assert_eq(bpf_map_update_elem(fd, &slot, &row, BPF_ANY), 0);
	}
	close(fd);
}

Test(context, no_slot_left)
{
	struct xrdma_context *context;

	set_others(XRDMA_CONTEXT_FREE, XRDMA_CONTEXT_ALIVE);
	expect_error(xrdma_context_open(DEVICE, NULL, &context), ENOSPC, "all 256 contexts");
	set_others(XRDMA_CONTEXT_ALIVE, XRDMA_CONTEXT_DEAD);
	context = open_small(DEVICE);
	cr_expect_eq(xrdma_context_close(context), 0);
}

/* Processes that open and close at once do not take each other's slots. */
Test(context, many_processes)
{
	enum { PROCESSES = 6, ROUNDS = 5 };
	pid_t pids[PROCESSES];
	int status;

	for (int i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		for (int round = 0; !pids[i] && round < ROUNDS; round++) {
			struct xrdma_context *context = open_small(DEVICE);
			struct xrdma_qp_row *rows = context->tables.qps.rows;

			cr_assert_eq(rows[1].pd, 0);
			rows[1].pd = i;
			cr_assert_eq(xrdma_context_close(context), 0);
		}
		if (!pids[i])
			_exit(0);
	}
	for (int i = 0; i < PROCESSES; i++) {
		waitpid(pids[i], &status, 0);
		cr_expect_eq(status, 0);
	}
}
