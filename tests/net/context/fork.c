// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Children that are forked from a process that has a context; tests/net/context.sh runs it. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xrdma/cntr.h>
#include <xrdma/cq.h>
#include <xrdma/mkey.h>
#include <xrdma/mw.h>

#include "support/fork_quietly.h"
#include "support/side.h"
#include "support/slot_view.h"
#include "support/buffers.h"
#include "support/test.h"

/* Run RUN in a child. Returns its exit status, which is RUN's result. */
static int status_of(int (*run)(struct owner *owner), struct owner *owner)
{
	pid_t pid = fork_quietly();
	int status;

	if (!pid)
		_exit(run(owner));
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static int use_all(struct owner *owner)
{
	struct xrdma_pd *pd;
	struct xrdma_cq *cq;
	struct xrdma_mr *mr;
	void *memory;

	if (xrdma_pd_alloc(owner->context, &pd) != -EPERM ||
	    !strstr(xrdma_error(), "which opened it"))
		return 1;
	return xrdma_alloc(owner->context, 64, 64, &memory) != -EPERM ||
	       xrdma_free(owner->context, owner->memory) != -EPERM ||
	       xrdma_cq_create(owner->context, 1, &cq) != -EPERM ||
	       xrdma_mr_reg(owner->pd, owner->memory, 64, 0, &mr) != -EPERM ||
	       xrdma_pd_dealloc(owner->pd) != -EPERM;
}

static int write_memory(struct owner *owner)
{
	signal(SIGSEGV, SIG_DFL);
	owner->memory[0] = 'c';
	return 0;
}

static int close_context(struct owner *owner)
{
	return xrdma_context_close(owner->context);
}

/*
 * Close the context in a child that has mapped other memory at the addresses of the parent's heap
 * and tables. Its mappings remain.
 */
static int close_over_own(struct owner *owner)
{
	char *heap = owner->context->heap.bytes;
	char *qps = owner->context->tables.qps.rows;
	char *own[2];

	for (int i = 0; i < 2; i++) {
		own[i] = mmap(i ? qps : heap, 4096, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		if (own[i] == MAP_FAILED)
			return 1;
	}
	signal(SIGSEGV, SIG_DFL);
	if (xrdma_context_close(owner->context))
		return 1;
	return own[0][0] + own[1][0];
}

static int open_own(struct owner *owner)
{
	__u32 slot = owner->context->slot;

	return slot_open_and_close() == slot;
}

/* A process does not share its objects with children, like after ibv_fork_init(3). */
Test(fork, of_an_owner)
{
	struct xrdma_pd_attr on_demand = { .sz = sizeof(on_demand),
					   .mr_mode = XRDMA_MR_MODE_LOCAL };
	struct xrdma_pd *pd; /* makes the context start a thread and a ring */
	struct owner owner;

	owner_open(&owner, SLOT_DEVICE);
	expect_int(xrdma_pd_open(owner.context, &on_demand, &pd), ==, 0);
	owner.memory[0] = 'p';
	expect_int(status_of(use_all, &owner), ==, 0);
	expect_int(status_of(write_memory, &owner), ==, -SIGSEGV);
	expect_int(owner.memory[0], ==, 'p');
	expect_int(status_of(close_context, &owner), ==, 0);
	expect_int(status_of(close_over_own, &owner), ==, 0);
	expect_int(status_of(open_own, &owner), ==, 0);
	expect_int(slot_look(owner.context->slot).row.state, ==, XRDMA_CONTEXT_ALIVE);
	expect_int(xrdma_pd_dealloc(pd), ==, 0);
	owner_close(&owner);
}

static __u8 *map_page(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	expect(page != MAP_FAILED);
	return page;
}

/* Register own memory and fork, like a program that does not know of its parent's context. */
static int fork_with_own(struct owner *owner)
{
	struct owner own;
	struct xrdma_mr *mr;
	__u8 *memory = map_page();
	int status = 0;

	(void)owner;
	alarm(10);
	owner_open(&own, SLOT_DEVICE);
	expect_int(xrdma_mr_reg(own.pd, memory, 4096, 0, &mr), ==, 0);
	for (int i = 0; i < 3 && !status; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		waitpid(pid, &status, 0);
	}
	expect_int(xrdma_mr_close(mr), ==, 0);
	owner_close(&own);
	return status;
}

/*
 * A grandchild does not affect the first process. The parent's context stays alive, also when the
 * child forks and pauses its contexts for that. The contexts of a child are paused only for forks
 * of the child, even after the child has closed its copy of the parent's.
 */
Test(fork, of_a_child_with_its_own)
{
	__u8 *memory = map_page();
	struct slot_view view;
	struct xrdma_mr *mr;
	struct owner owner;

	owner_open(&owner, SLOT_DEVICE);
	expect_int(xrdma_mr_reg(owner.pd, memory, 4096, 0, &mr), ==, 0);
	expect_int(status_of(fork_with_own, &owner), ==, 0);
	view = slot_look(owner.context->slot);
	expect_int(view.row.state, ==, XRDMA_CONTEXT_ALIVE);
	expect_int(xrdma_mr_close(mr), ==, 0);
	owner_close(&owner);
	munmap(memory, 4096);
}

static struct side side;
static struct xrdma_mkey *mkey;
static struct xrdma_mw *window;

/* Configure MKEY by a chain of requests. Returns the result of the chain's end. */
static int configure(void)
{
	const struct xrdma_mkey_conf_attr attr = {
		.sz = sizeof(attr),
		.send_flags = XRDMA_SEND_INLINE,
	};

	xrdma_wr_start(side.qp);
	xrdma_wr_mkey_configure(side.qp, mkey, 0, &attr);
	return xrdma_wr_complete(side.qp);
}

static struct xrdma_mr *region;
static struct xrdma_cntr *cntr;
static __u64 mapped_key;

static int use_regions(struct owner *owner)
{
	const __u8 raw[4] = { 0 };
	struct xrdma_cntr *another;
	__u64 key;

	return xrdma_cntr_open(owner->pd, &another) != -EPERM || xrdma_cntr_close(cntr) != -EPERM ||
	       xrdma_mr_bind_cntr(region, cntr, XRDMA_REMOTE_WRITE) != -EPERM ||
	       xrdma_mr_bind_qp(region, side.qp, 0) != -EPERM ||
	       xrdma_mr_enable(region) != -EPERM || xrdma_mr_close(region) != -EPERM ||
	       xrdma_mr_map_raw(owner->pd, 0, raw, sizeof(raw), &key, 0) != -EPERM ||
	       xrdma_mr_unmap_key(owner->pd, mapped_key) != -EPERM;
}

static int use_keys(struct owner *owner)
{
	const struct xrdma_mkey_init_attr init = {
		.sz = sizeof(init),
		.create_flags = XRDMA_MKEY_INIT_INDIRECT,
		.max_entries = 1,
	};
	struct xrdma_mkey *another;
	struct xrdma_mw *more;

	xrdma_wr_start(side.qp);
	xrdma_wr_abort(side.qp);
	return configure() != -EPERM || xrdma_mkey_create(owner->pd, &init, &another) != -EPERM ||
	       xrdma_mkey_destroy(mkey) != -EPERM ||
	       xrdma_mw_alloc(owner->pd, XRDMA_MW_TYPE_1, &more) != -EPERM ||
	       xrdma_mw_dealloc(window) != -EPERM;
}

/* A child does not share queue pairs, mkeys, windows, counters and mapped keys. */
Test(fork, of_an_owner_with_keys)
{
	const __u8 raw[4] = { 0 };
	const struct xrdma_mkey_init_attr init = {
		.sz = sizeof(init),
		.create_flags = XRDMA_MKEY_INIT_INDIRECT,
		.max_entries = 1,
	};

	owner_open(&side.owner, SLOT_DEVICE);
	side_create(&side);
	side_bring_to(&side, XRDMA_QPS_RTS);
	expect_int(xrdma_mkey_create(side.owner.pd, &init, &mkey), ==, 0);
	expect_int(xrdma_mw_alloc(side.owner.pd, XRDMA_MW_TYPE_1, &window), ==, 0);
	expect_int(register_buffer(side.owner.pd, side.owner.memory, 64, 0, 0, XRDMA_RMA_EVENT,
				   &region),
		   ==, 0);
	expect_int(xrdma_cntr_open(side.owner.pd, &cntr), ==, 0);
	expect_int(xrdma_mr_map_raw(side.owner.pd, 0, raw, sizeof(raw), &mapped_key, 0), ==, 0);
	expect_int(status_of(use_keys, &side.owner), ==, 0);
	expect_int(status_of(use_regions, &side.owner), ==, 0);
	expect_int(xrdma_mr_unmap_key(side.owner.pd, mapped_key), ==, 0);
	expect_int(xrdma_cntr_close(cntr), ==, 0);
	expect_int(xrdma_mr_close(region), ==, 0);
	expect_msg(configure() == 0, "%s", xrdma_error());
	expect_int(xrdma_mw_dealloc(window), ==, 0);
	expect_int(xrdma_mkey_destroy(mkey), ==, 0);
	side_destroy(&side);
	owner_close(&side.owner);
}
