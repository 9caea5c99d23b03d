/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What a packet that nothing refuses will do. Written by the check stage; constant after it.
 * Numbers are in the scratch memory, where the verifier forgets them; pointers, which no map holds,
 * are on the stack.
 */
#ifndef XRDMA_OBJ_PLAN_BPF_H
#define XRDMA_OBJ_PLAN_BPF_H

#include "obj/space.h"

/* The bytes that the packet carries, and the memory for them. */
struct xrdma_transfer {
	__u32 at; /* in the frame */
	__u32 len;
	__u32 rights; /* what is done to the memory */
	__u32 skip;   /* bytes of SGES that the message has behind it */
	struct xrdma_sges sges;
	bool is_entered; /* the walk stands where its one segment was checked */
};

struct xrdma_plan {
	/*
	 * The message from this packet on: what its RETH or AtomicETH says, as far as it is not
	 * done.
	 */
	__u64 va;
	__u32 key;
	__u32 left;	/* bytes */
	__u32 done;	/* bytes of it before this packet */
	__u32 rqe;	/* number of its receive */
	__u32 sequence; /* number of its completion */
	__u32 cntr;	/* that counts it, as a key's row says; 0: none */
	__u32 psns;	/* that it takes: those of its response */
	__u32 kept;	/* index of what a duplicate is of */
	bool again;	/* a duplicate of a READ or an atomic, which gets its response once more */
	bool pending;	/* the response is not this frame, but joins the pending ones */
	__u64 came;	/* ns: the time at which the frame came, if PENDING */
	bool fills;	/* what was ahead of it has been refused: it is acknowledged */
	__u32 acked;	/* of a response: our requests before this PSN are acknowledged */
	struct xrdma_transfer transfer;
};

/* The commit stage writes here the fields of a reply that tell how the responder stands. */
struct xrdma_reply_head {
	__u32 psn;
	__u32 msn;
	__u8 syndrome;
};

/*
 * The execute stage and the commit stage write here how a packet ended. The struct is in the
 * scratch memory, where the verifier forgets values. Otherwise the verifier would follow each
 * refusal to the end of the program.
 */
struct xrdma_result {
	__u64 original; /* what an atomic found */
	__u32 verdict;
	struct xrdma_reply_head head;
};

struct xrdma_plan_rows {
	struct xrdma_queue_row *rq; /* the queue pair's own, if the message needs a receive */
	struct xrdma_cqe_row *cqe;  /* reserved for the completion, or NULL */
	struct xrdma_mkey_row *invalidated; /* whose key the message ends, or NULL */
	const struct xrdma_resource *again; /* that a duplicate is of, or NULL */
	struct xrdma_chunk chunk;	    /* where the first bytes of the transfer are */
};

#endif
