// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Contexts, domains and regions on the loaded device xa; tests/net/context.sh runs it. */
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

#include "context.h"
#include "pin.h"

#define DEVICE "xa"

static const struct xrdma_context_attr small = {
	.sz = sizeof(small), .heap_size = 1, .mkeys = 16, .qps = 2
};

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

static struct xrdma_context *open_small(void)
{
	struct xrdma_context *context;
	int err = xrdma_context_open(DEVICE, &small, &context);

	cr_assert(!err, "%s", xrdma_error());
	return context;
}

static void expect_error(int err, int expected, const char *text)
{
	cr_expect(err == -expected, "error %d instead of %d", err, -expected);
	cr_expect(strstr(xrdma_error(), text), "'%s' does not say '%s'", xrdma_error(), text);
}

Test(context, is_alive_until_it_is_closed)
{
	struct xrdma_context *context = open_small();
	__u32 slot = context->slot;
	struct slot_view view = look(slot);

	cr_expect_eq(view.row.state, XRDMA_CONTEXT_ALIVE);
	cr_expect_eq(view.row.mkey_mask, 15);
	cr_expect_gt(view.row.owner_started, 0);
	cr_expect(view.has_maps);
	cr_expect_eq(context->tables.heap.size, XRDMA_HEAP_ELEMENT);
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
	cr_expect_eq(context->tables.heap.size, 32 << 20);
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
	cr_expect_eq(context->tables.heap.size, 32 << 20);
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
		*slot = open_small()->slot;
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
	cr_expect_eq(xrdma_context_close(open_small()), 0);
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
	expect_error(xrdma_context_open(DEVICE, &small, &context), ENOSPC, "all 256 contexts");
	set_others(XRDMA_CONTEXT_ALIVE, XRDMA_CONTEXT_DEAD);
	context = open_small();
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
			struct xrdma_context *context = open_small();
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

Test(heap, memory_of_the_context)
{
	struct xrdma_context *context = open_small();
	void *a, *b;

	cr_assert_eq(xrdma_alloc(context, 100, 4096, &a), 0);
	cr_assert_eq(xrdma_alloc(context, 100, 4096, &b), 0);
	cr_expect_eq((uintptr_t)a % 4096, 0);
	cr_expect(a != b);
	memset(a, 1, 100);
	cr_expect_eq(xrdma_free(context, a), 0);
	cr_expect_eq(xrdma_free(context, NULL), 0);
	expect_error(xrdma_free(context, a), EINVAL, "not from xrdma_alloc");
	expect_error(xrdma_free(context, &a), EINVAL, "not from xrdma_alloc");
	expect_error(xrdma_alloc(context, 0, 1, &a), EINVAL, "at least one byte");
	expect_error(xrdma_alloc(context, 1, 24, &a), EINVAL, "power of two");
	expect_error(xrdma_alloc(context, 1, 0, &a), EINVAL, "power of two");
	expect_error(xrdma_alloc(context, 3 << 20, 1, &a), ENOMEM, "larger heap_size");
	cr_expect_eq(xrdma_context_close(context), 0);
}

Test(pd, is_in_use)
{
	struct xrdma_context *context = open_small();
	struct xrdma_pd *pd;
	struct xrdma_mr *mr;
	void *memory;

	cr_assert_eq(xrdma_pd_alloc(context, &pd), 0);
	expect_error(xrdma_context_close(context), EBUSY, "1 protection domains");
	cr_assert_eq(xrdma_alloc(context, 64, 1, &memory), 0);
	cr_assert_eq(xrdma_mr_reg(pd, memory, 64, 0, &mr), 0);
	expect_error(xrdma_pd_dealloc(pd), EBUSY, "1 regions");
	cr_expect_eq(xrdma_mr_dereg(mr), 0);
	cr_expect_eq(xrdma_pd_dealloc(pd), 0);
	cr_expect_eq(xrdma_context_close(context), 0);
}

/* A context with a domain and 4096 bytes. */
struct owner {
	struct xrdma_context *context;
	struct xrdma_pd *pd;
	char *memory;
};

static struct owner open_owner(void)
{
	struct owner owner = { .context = open_small() };
	void *memory;

	cr_assert_eq(xrdma_pd_alloc(owner.context, &owner.pd), 0);
	cr_assert_eq(xrdma_alloc(owner.context, 4096, 64, &memory), 0);
	owner.memory = memory;
	return owner;
}

static void close_owner(struct owner *owner)
{
	cr_expect_eq(xrdma_pd_dealloc(owner->pd), 0);
	cr_expect_eq(xrdma_context_close(owner->context), 0);
}

/* The row that XDP finds under a key. */
static struct xrdma_mkey_row row_of(const struct owner *owner, __u32 key)
{
	const struct xrdma_mkey_row *rows = owner->context->tables.mkeys.rows;

	return rows[key >> XRDMA_KEY_INDEX_SHIFT & owner->context->mkey_mask];
}

Test(mr, row)
{
	struct owner owner = open_owner();
	const unsigned int access = XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE;
	struct xrdma_mkey_row row;
	struct xrdma_mr *mr;
	__u32 key;

	cr_assert_eq(xrdma_mr_reg(owner.pd, owner.memory + 5, 1000, access, &mr), 0);
	key = xrdma_mr_key(mr);
	row = row_of(&owner, key);
	cr_expect_eq(row.key, key);
	cr_expect_eq(row.state, XRDMA_MKEY_VALID);
	cr_expect_eq(row.kind, XRDMA_MKEY_MR);
	cr_expect_eq(row.rights, access);
	cr_expect_eq(row.pd, owner.pd->number);
	cr_expect_eq(row.base, (uintptr_t)owner.memory + 5);
	cr_expect_eq(row.len, 1000);
	cr_expect_eq((char *)owner.context->tables.heap.rows + row.offset, owner.memory + 5);
	cr_expect_eq(xrdma_mr_dereg(mr), 0);
	cr_expect_eq(row_of(&owner, key).state, XRDMA_MKEY_INVALID);
	cr_assert_eq(xrdma_mr_reg(owner.pd, owner.memory, 1, XRDMA_ACCESS_ZERO_BASED, &mr), 0);
	cr_expect_eq(row_of(&owner, xrdma_mr_key(mr)).base, 0);
	cr_expect_eq(xrdma_mr_dereg(mr), 0);
	close_owner(&owner);
}

Test(mr, refusals)
{
	struct owner owner = open_owner();
	struct xrdma_mr *mr;
	char stack[64];
	void *next;

	cr_assert_eq(xrdma_alloc(owner.context, 4096, 64, &next), 0);
	cr_assert_eq((char *)next, owner.memory + 4096);
	expect_error(xrdma_mr_reg(owner.pd, owner.memory, 0, 0, &mr), EINVAL, "0 bytes");
	expect_error(xrdma_mr_reg(owner.pd, stack, 64, 0, &mr), EINVAL, "xrdma_alloc");
	expect_error(xrdma_mr_reg(owner.pd, owner.memory, 4097, 0, &mr), EINVAL, "one piece");
	expect_error(xrdma_mr_reg(owner.pd, owner.memory, (size_t)-1, 0, &mr), EINVAL, "one piece");
	expect_error(xrdma_mr_reg(owner.pd, owner.memory, 1, 1 << 20, &mr), EINVAL, "unknown");
	expect_error(xrdma_mr_reg(owner.pd, owner.memory, 1, XRDMA_ACCESS_REMOTE_WRITE, &mr),
		     EINVAL, "local write");
	expect_error(xrdma_mr_reg(owner.pd, owner.memory, 1, XRDMA_ACCESS_REMOTE_ATOMIC, &mr),
		     EINVAL, "local write");
	close_owner(&owner);
}

/* Keys differ, their low index bits are the row's, and the rest is not the same for two of a row in turn. */
Test(mr, keys)
{
	enum { ROWS = 16, ROUNDS = 200 };
	struct owner owner = open_owner();
	struct xrdma_mr *mrs[ROWS], *extra;
	__u32 seen = 0, all = 0, none = ~0, last[ROWS] = { 0 };

	for (int i = 0; i < ROWS; i++) {
		cr_assert_eq(xrdma_mr_reg(owner.pd, owner.memory, 64, 0, &mrs[i]), 0);
		seen |= 1 << (xrdma_mr_key(mrs[i]) >> XRDMA_KEY_INDEX_SHIFT & (ROWS - 1));
	}
	cr_expect_eq(seen, (1 << ROWS) - 1);
	expect_error(xrdma_mr_reg(owner.pd, owner.memory, 64, 0, &extra), ENOMEM, "more mkeys");
	for (int round = 0; round < ROUNDS; round++) {
		__u32 key = xrdma_mr_key(mrs[round % ROWS]);

		cr_assert_eq(xrdma_mr_dereg(mrs[round % ROWS]), 0);
		cr_assert_eq(xrdma_mr_reg(owner.pd, owner.memory, 64, 0, &mrs[round % ROWS]), 0);
		last[round % ROWS] = xrdma_mr_key(mrs[round % ROWS]);
		cr_assert_neq(last[round % ROWS], key);
		all |= last[round % ROWS];
		none &= last[round % ROWS];
	}
	cr_expect_eq(all, 0xffffffff); /* each bit was 1 once, and 0 once */
	cr_expect_eq(none, 0);
	for (int i = 0; i < ROWS; i++)
		cr_expect_eq(xrdma_mr_dereg(mrs[i]), 0);
	close_owner(&owner);
}
