/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Whose a context is. Only the kernel knows for certain: the claim runs in the claiming process, by
 * BPF_PROG_TEST_RUN, so that its process id is that of the first PID namespace, and it lives while
 * it claims.
 */
#ifndef XRDMA_OBJ_CONTEXT_BPF_H
#define XRDMA_OBJ_CONTEXT_BPF_H

#include "lib/order.h"
#include "obj/maps.bpf.h"

/* The few fields that are read of the kernel's structs; where they are, its BTF says at load. */
typedef struct {
	int counter;
} atomic_t;

struct signal_struct {
	atomic_t live; /* threads */
} __attribute__((preserve_access_index));

struct task_struct {
	int tgid;
	__u64 start_time;
	struct task_struct *group_leader;
	struct signal_struct *signal;
} __attribute__((preserve_access_index));

/* A process: its id may be another's later, but not with the same start. */
struct xrdma_owner {
	__u32 id;
	__u64 started; /* ns since boot */
};

/* Read once: each look at a field of the kernel's takes the verifier long. */
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
 * Returns a slot that was in the state args[0], FREE or DEAD, and is now OPENING and the caller's,
 * or -1. The first one after a random place.
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
 * Returns 0 when slot args[0], which is alive, is the caller's, and was claimed as generation
 * args[1]: it is OPENING then. Else -1: a child that was forked has its parent's handle, and the
 * slot may be somebody else's by now.
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
 * XDP no longer handles packets for what the process had. Its slots are freed by the next process
 * that claims one. The owner goes first: the process may go on as another program, and would take
 * for its own what is somebody's by then.
 */
static __always_inline void xrdma_bury(const struct xrdma_owner *owner)
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

/* Each thread comes by here; with the last one goes the process. */
SEC("tp_btf/sched_process_exit")
int xrdma_exit(__u64 *args)
{
	const struct task_struct *task = (void *)args[0];
	struct xrdma_owner owner = xrdma_owner_of(task);

	if (!task->signal->live.counter)
		xrdma_bury(&owner);
	return 0;
}

/* A process that becomes another program has lost the mappings of its contexts. */
SEC("tp_btf/sched_process_exec")
int xrdma_exec(__u64 *args)
{
	struct xrdma_owner owner = xrdma_owner_of((void *)args[0]);

	xrdma_bury(&owner);
	return 0;
}

#endif
