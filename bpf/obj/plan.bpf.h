/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The plan for a packet that was not refused. The check stage writes it, and no later stage changes
 * it. Numbers are in the scratch memory, where the verifier forgets them. Pointers are on the
 * stack, because maps cannot hold them.
 */
#ifndef XRDMA_OBJ_PLAN_BPF_H
#define XRDMA_OBJ_PLAN_BPF_H

#include "obj/space.h"

/* Bytes of the packet, and the memory for them. */
struct xrdma_transfer {
	__u32 at; /* offset in the frame */
	__u32 len;
	__u32 rights; /* rights that the access needs */
	__u32 skip;   /* bytes of SGES that the message has filled */
	struct xrdma_sges sges;
	bool is_entered; /* the walk has entered its only segment */
};

struct xrdma_plan {
	/* The rest of the message from this packet on, from its RETH or AtomicETH. */
	__u64 va;
	__u32 key;
	__u32 left;	/* bytes */
	__u32 done;	/* bytes of the message before this packet */
	__u32 rqe;	/* number of its receive */
	__u32 sequence; /* sequence number of its completion */
	__u32 cntr;	/* counter of its key; 0: none */
	__u32 psns;	/* PSNs that the request takes, including its responses */
	__u32 kept;	/* index of the resource that a duplicate repeats */
	bool again;	/* duplicate of a READ or an atomic, which gets its response again */
	bool pending;	/* the response is queued, and does not use this frame */
	__u64 came;	/* ns: arrival of the frame, if PENDING */
	bool fills;	/* it fills a gap, so it is acknowledged */
	__u32 acked;	/* of a response: our requests before this PSN are acknowledged */
	struct xrdma_transfer transfer;
};

/* Fields of a reply about the state of the responder. The commit stage writes them. */
struct xrdma_reply_head {
	__u32 psn;
	__u32 msn;
	__u8 syndrome;
};

/*
 * Result of a packet, written by the execute stage and the commit stage. It is in the scratch
 * memory, where the verifier forgets values; otherwise the verifier would follow each refusal to
 * the end of the program.
 */
struct xrdma_result {
	__u64 original; /* former value of the word of an atomic */
	__u32 verdict;
	struct xrdma_reply_head head;
};

struct xrdma_plan_rows {
	struct xrdma_queue_row *rq;	    /* of the queue pair, if the message needs a receive */
	struct xrdma_cqe_row *cqe;	    /* reserved for the completion, or NULL */
	struct xrdma_mkey_row *invalidated; /* key that the message invalidates, or NULL */
	const struct xrdma_resource *again; /* resource that a duplicate repeats, or NULL */
	struct xrdma_chunk chunk;	    /* first range of the transfer */
};

#endif
