// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Contexts on the loaded device xa. tests/net/context.sh runs it. */
#include <errno.h>
#include <stdlib.h>
#include <poll.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xrdma/qp.h>

#include "support/owner.h"
#include "support/slot_view.h"
#include "support/test.h"

Test(context, is_alive_until_it_is_closed)
{
	struct xrdma_context *context = open_small(SLOT_DEVICE);
	__u32 slot = context->slot;
	struct slot_view view = slot_look(slot);

	expect_int(view.row.state, ==, XRDMA_CONTEXT_ALIVE);
	expect_int(view.row.mkey_mask, ==, 15);
	expect_int(view.row.owner_started, >, 0);
	expect(view.has_maps);
	expect_int(context->heap.size, ==, XRDMA_HEAP_ELEMENT + XRDMA_TRANSMIT_SIZE);
	expect_int(xrdma_context_close(context), ==, 0);
	view = slot_look(slot);
	expect_int(view.row.state, ==, XRDMA_CONTEXT_FREE);
	expect_int(view.row.owner, ==, 0);
	expect(!view.has_maps);
}

/* The dispatcher does not keep other files open: a pipe ends when the process closes it. */
Test(context, keeps_no_other_file_open)
{
	struct xrdma_context *context;
	struct pollfd end;
	int pipe_fds[2];

	expect_int(pipe(pipe_fds), ==, 0);
	expect_int(xrdma_context_open(SLOT_DEVICE, NULL, &context), ==, 0);
	close(pipe_fds[1]);
	end = (struct pollfd){ .fd = pipe_fds[0], .events = POLLIN };
	expect_int(poll(&end, 1, 5000), ==, 1);
	expect(end.revents & POLLHUP);
	close(pipe_fds[0]);
	expect_int(xrdma_context_close(context), ==, 0);
}

Test(context, sizes)
{
	struct xrdma_context_attr attr = { .sz = sizeof(attr) };
	struct xrdma_context *context;

	expect_int(xrdma_context_open(SLOT_DEVICE, NULL, &context), ==, 0);
	expect_int(context->heap.size, ==, XRDMA_HEAP_ELEMENT + XRDMA_TRANSMIT_SIZE);
	expect_int(context->keys->mask, ==, 4095);
	expect_int(context->tables.qps.size, ==, 258 * sizeof(struct xrdma_qp_row));
	expect_int(xrdma_context_close(context), ==, 0);
	attr.mkeys = 17;
	expect_int(xrdma_context_open(SLOT_DEVICE, &attr, &context), ==, 0);
	expect_int(context->keys->mask, ==, 31);
	expect_int(xrdma_context_close(context), ==, 0);
	attr.mkeys = XRDMA_MKEYS_MAX + 1;
	expect_error(xrdma_context_open(SLOT_DEVICE, &attr, &context), EINVAL, "at most 16777216");
	attr = (struct xrdma_context_attr){ .sz = sizeof(attr), .qps = XRDMA_QP_ROWS_MAX - 1 };
	expect_error(xrdma_context_open(SLOT_DEVICE, &attr, &context), EINVAL, "at most 65534");
	attr = (struct xrdma_context_attr){ .sz = sizeof(attr), .cqs = XRDMA_CQS_MAX + 1 };
	expect_error(xrdma_context_open(SLOT_DEVICE, &attr, &context), EINVAL, "at most 65536");
	attr = (struct xrdma_context_attr){ .sz = sizeof(attr),
					    .raw_keys = XRDMA_RAW_KEYS_MAX + 1 };
	expect_error(xrdma_context_open(SLOT_DEVICE, &attr, &context), EINVAL, "at most 16777216");
	attr = (struct xrdma_context_attr){ .sz = sizeof(attr), .cqes = XRDMA_CQ_ENTRIES_MAX + 1 };
	expect_error(xrdma_context_open(SLOT_DEVICE, &attr, &context), EINVAL, "at most 1048576");
	attr = (struct xrdma_context_attr){ .sz = sizeof(attr),
					    .segments = XRDMA_SEGMENTS_MAX + 1 };
	expect_error(xrdma_context_open(SLOT_DEVICE, &attr, &context), EINVAL, "at most 16777216");
	attr = (struct xrdma_context_attr){ .sz = sizeof(attr), .heap_max = (size_t)-1 };
	expect_error(xrdma_context_open(SLOT_DEVICE, &attr, &context), EINVAL,
		     "at most 137438953472");
	attr.heap_max = 1;
	attr.heap_size = XRDMA_HEAP_ELEMENT + 1;
	expect_error(xrdma_context_open(SLOT_DEVICE, &attr, &context), EINVAL, "at most 2097152");
	attr = (struct xrdma_context_attr){ .sz = sizeof(attr), .tx = XRDMA_TX_XDP + 1 };
	expect_error(xrdma_context_open(SLOT_DEVICE, &attr, &context), EINVAL, "tx is 3");
	attr.sz = offsetof(struct xrdma_context_attr, heap_size); /* an older, shorter struct */
	expect_int(xrdma_context_open(SLOT_DEVICE, &attr, &context), ==, 0);
	expect_int(context->heap.size, ==, XRDMA_HEAP_ELEMENT + XRDMA_TRANSMIT_SIZE);
	expect_int(xrdma_context_close(context), ==, 0);
	attr.sz = 0;
	expect_error(xrdma_context_open(SLOT_DEVICE, &attr, &context), EINVAL,
		     "sizeof(struct xrdma_context_attr)");
}

/* Each limit is the largest number that is accepted. */
Test(context, limits)
{
	struct xrdma_context_attr attr = { .sz = sizeof(attr), .qps = 2, .cqs = 1, .cqes = 8 };
	struct xrdma_device_attr limits = { .sz = sizeof(limits) };
	struct xrdma_qp_init_attr init = { .sz = sizeof(init) };
	struct xrdma_context *context;
	struct xrdma_qp *qp[2], *more;
	struct xrdma_cq *cq, *none;
	struct xrdma_pd *pd;

	expect_int(xrdma_context_open(SLOT_DEVICE, &attr, &context), ==, 0);
	expect_int(xrdma_context_query(context, &limits), ==, 0);
	expect_int(limits.max_mr_size, ==, XRDMA_HEAP_MAX);
	expect_int(limits.max_mr, ==, 4096);
	expect_int(limits.max_qp, ==, 2);
	expect_int(limits.max_qp_rd_atomic, ==, XRDMA_RD_ATOMIC_MAX);
	expect_int(limits.max_qp_init_rd_atomic, ==, XRDMA_RD_ATOMIC_MAX);
	expect_int(limits.max_msg_size, ==, 1U << 31);
	expect_int(xrdma_pd_alloc(context, &pd), ==, 0);
	expect_int(limits.max_cq, ==, 1);
	expect_int(xrdma_cq_create(context, limits.max_cqe, &cq), ==, 0);
	expect_error(xrdma_cq_create(context, 1, &none), ENOMEM, "completion queues");
	init.send_cq = init.recv_cq = cq;
	init.max_send_wr = limits.max_send_wr;
	init.max_recv_wr = 1;
	init.max_send_sge = limits.max_send_sge;
	init.max_recv_sge = limits.max_recv_sge;
	init.max_inline = limits.max_inline;
	expect_int(xrdma_qp_create(pd, &init, &qp[0]), ==, 0);
	init.max_recv_wr = limits.max_recv_wr;
	init.max_recv_sge = 1;
	expect_int(xrdma_qp_create(pd, &init, &qp[1]), ==, 0);
	expect_error(xrdma_qp_create(pd, &init, &more), ENOMEM, "all 2 queue pairs");
	for (int i = 0; i < 2; i++)
		expect_int(xrdma_qp_destroy(qp[i]), ==, 0);
	expect_int(xrdma_cq_destroy(cq), ==, 0);
	expect_int(xrdma_pd_dealloc(pd), ==, 0);
	limits.sz = 0;
	expect_error(xrdma_context_query(context, &limits), EINVAL,
		     "sizeof(struct xrdma_device_attr)");
	expect_int(xrdma_context_close(context), ==, 0);
}

Test(context, of_a_device_that_is_not_there)
{
	struct xrdma_context *context;

	expect_error(xrdma_context_open("lo", NULL, &context), ENOENT, "xrdma load lo");
	expect_error(xrdma_context_open("../x", NULL, &context), EINVAL, "not the name");
}

/* A program with the static library calls the C library's own functions. */
Test(context, no_hooks)
{
	struct xrdma_context *context;

	setenv("FI_MR_CACHE_MONITOR", "memhooks", 1);
	expect_error(xrdma_context_open("xa", NULL, &context), EOPNOTSUPP,
		     "FI_MR_CACHE_MONITOR=memhooks: the program uses other functions than those of "
		     "libxrdma.so: link it with that");
	unsetenv("FI_MR_CACHE_MONITOR");
	expect_int(xrdma_context_close(open_small("xa")), ==, 0);
}

Test(context, no_slot_left)
{
	struct xrdma_context *context;

	slot_set_others(XRDMA_CONTEXT_FREE, XRDMA_CONTEXT_ALIVE);
	expect_error(xrdma_context_open(SLOT_DEVICE, NULL, &context), ENOSPC, "all 256 contexts");
	slot_set_others(XRDMA_CONTEXT_ALIVE, XRDMA_CONTEXT_DEAD);
	context = open_small(SLOT_DEVICE);
	expect_int(xrdma_context_close(context), ==, 0);
}

/* The search for a slot begins anywhere, and finds the only free one. */
Test(context, one_slot_left)
{
	const struct xrdma_context_row free_row = { .state = XRDMA_CONTEXT_FREE };
	struct xrdma_context *context;

	slot_set_others(XRDMA_CONTEXT_FREE, XRDMA_CONTEXT_ALIVE);
	slot_set_row(7, &free_row);
	context = open_small(SLOT_DEVICE);
	expect_int(context->slot, ==, 7);
	expect_int(xrdma_context_close(context), ==, 0);
	slot_set_others(XRDMA_CONTEXT_ALIVE, XRDMA_CONTEXT_DEAD);
	slot_open_and_close();
}

/*
 * Slots are taken at random, so that an old QPN seldom names a new queue pair. The same slot five
 * times in a row happens once in 2^32 runs.
 */
Test(context, slots_at_random)
{
	__u32 first = slot_open_and_close(), others = 0;

	for (int i = 0; i < 4; i++)
		others += slot_open_and_close() != first;
	expect_int(others, >, 0);
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
			struct xrdma_context *context = open_small(SLOT_DEVICE);
			struct xrdma_qp_row *rows = context->tables.qps.rows;

			expect_int(rows[1].pd, ==, 0);
			rows[1].pd = i;
			expect_int(xrdma_context_close(context), ==, 0);
		}
		if (!pids[i])
			_exit(0);
	}
	for (int i = 0; i < PROCESSES; i++) {
		waitpid(pids[i], &status, 0);
		expect_int(status, ==, 0);
	}
}
