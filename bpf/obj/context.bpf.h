/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Owners of contexts. A program that runs in the claiming process (BPF_PROG_TEST_RUN) claims a
 * slot. So the kernel's own process id, in the first PID namespace, is recorded, and the process is
 * alive.
 */
#ifndef XRDMA_OBJ_CONTEXT_BPF_H
#define XRDMA_OBJ_CONTEXT_BPF_H

#include "lib/order.h"
#include "obj/maps.bpf.h"

/* Fields of the kernel's structs. Their offsets come from its BTF when the program is loaded. */
typedef struct {
	int counter;
} atomic_t;

struct signal_struct {
	atomic_t live; /* number of threads */
} __attribute__((preserve_access_index));

struct task_struct {
	int tgid;
	__u64 start_time;
	struct task_struct *group_leader;
	struct signal_struct *signal;
} __attribute__((preserve_access_index));

/* A process: its id and its start, because ids are used again. */
struct xrdma_owner {
	__u32 id;
	__u64 started; /* ns since boot */
};

/*
 * Return the owner that TASK is. Each field is read once, because reads of kernel fields take long
 * to verify.
 */
static __always_inline struct xrdma_owner xrdma_owner_of(const struct task_struct *task)
{
	return (struct xrdma_owner){
		.id = task->tgid,
		.started = task->group_leader->start_time,
	};
}

static __always_inline bool xrdma_context_is_of(const struct xrdma_context_row *row,
						const struct xrdma_owner *owner)
{
	return (row->state == XRDMA_CONTEXT_OPENING || row->state == XRDMA_CONTEXT_ALIVE ||
		row->state == XRDMA_CONTEXT_PAUSED) &&
	       row->owner == owner->id && row->owner_started == owner->started;
}

/*
 * Claim a slot in state args[0], FREE or DEAD, for the calling process. The search begins at a
 * random slot. The slot is OPENING then. Returns the slot or -1.
 */
SEC("raw_tp")
int xrdma_claim(const struct bpf_raw_tracepoint_args *ctx)
{
	struct xrdma_owner owner = xrdma_owner_of(bpf_get_current_task_btf());
	__u32 start = bpf_get_prandom_u32(), from = ctx->args[0];

	for (__u32 i = 0; i < XRDMA_CONTEXTS_MAX; i++) {
		__u32 slot = (start + i) % XRDMA_CONTEXTS_MAX;
		struct xrdma_context_row *row = bpf_map_lookup_elem(&xrdma_contexts, &slot);

		if (!row ||
		    __sync_val_compare_and_swap(&row->state, from, XRDMA_CONTEXT_OPENING) != from)
			continue;
		row->owner = owner.id;
		row->owner_started = owner.started;
		row->generation++;
		return slot;
	}
	return -1;
}

/*
 * Release slot args[0] if the calling process claimed it as generation args[1] and it is alive. The
 * slot is OPENING then. Returns 0 or -1: a forked child has its parent's handle, or the slot has
 * another owner by now.
 */
SEC("raw_tp")
int xrdma_release(const struct bpf_raw_tracepoint_args *ctx)
{
	struct xrdma_owner owner = xrdma_owner_of(bpf_get_current_task_btf());
	__u32 slot = ctx->args[0], generation = ctx->args[1];
	struct xrdma_context_row *row = bpf_map_lookup_elem(&xrdma_contexts, &slot);

	if (!row || !xrdma_context_is_of(row, &owner) || row->generation != generation)
		return -1;
	return __sync_val_compare_and_swap(&row->state, XRDMA_CONTEXT_ALIVE,
					   XRDMA_CONTEXT_OPENING) == XRDMA_CONTEXT_ALIVE
		       ? 0
		       : -1;
}

/*
 * Mark all slots of OWNER as dead: XDP handles no more packets for them, and the next process that
 * claims a slot frees them. The owner is cleared first, because the process may continue as another
 * program.
 */
static __always_inline void xrdma_reap(const struct xrdma_owner *owner)
{
	for (__u32 slot = 0; slot < XRDMA_CONTEXTS_MAX; slot++) {
		__u32 key = slot;
		struct xrdma_context_row *row = bpf_map_lookup_elem(&xrdma_contexts, &key);

		if (!row || !xrdma_context_is_of(row, owner))
			continue;
		row->owner = 0;
		__sync_lock_test_and_set(&row->state, XRDMA_CONTEXT_DEAD); /* a full barrier */
	}
}

/* Reap the contexts of a process when its last thread exits. */
SEC("tp_btf/sched_process_exit")
int xrdma_exit(__u64 *args)
{
	const struct task_struct *task = (void *)args[0];
	struct xrdma_owner owner = xrdma_owner_of(task);

	if (!task->signal->live.counter)
		xrdma_reap(&owner);
	return 0;
}

/* Reap the contexts of a process that executes another program: it has lost the mappings. */
SEC("tp_btf/sched_process_exec")
int xrdma_exec(__u64 *args)
{
	struct xrdma_owner owner = xrdma_owner_of((void *)args[0]);

	xrdma_reap(&owner);
	return 0;
}

#endif
