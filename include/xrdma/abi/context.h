/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The contract between the XDP programs and user space: what stands in the maps of a context, which
 * its process writes at any time: XDP reads each of their fields once and believes none. Host byte
 * order, but for addresses. A field that is there for later is named and must be zero.
 */
#ifndef XRDMA_ABI_CONTEXT_H
#define XRDMA_ABI_CONTEXT_H

#include <linux/types.h>

#include "../types.h"
#include "forged.h"
#include "notice.h"

#ifdef __cplusplus
extern "C" {
#define XRDMA_ABI_ASSERT(cond, text) static_assert(cond, text)
#define XRDMA_ALIGNED(n)	     alignas(n)
#else
#define XRDMA_ABI_ASSERT(cond, text) _Static_assert(cond, text)
#define XRDMA_ALIGNED(n)	     _Alignas(n)
#endif

enum {
	XRDMA_QPN_INDEX_BITS = 16, /* a QPN is 8 bits of context slot and 16 of row */
	XRDMA_QP_ROWS_MAX = 1 << XRDMA_QPN_INDEX_BITS,
	XRDMA_KEY_INDEX_SHIFT = 8,  /* a key is 24 bits of index and 8 of key (10.3.5) */
	XRDMA_HEAP_SHIFT = 21,	    /* the heap comes in elements of 2 MiB */
	XRDMA_HEAP_PART_SHIFT = 31, /* and these in parts of up to 2 GiB, a map each */
	XRDMA_HEAP_PARTS = 64,	    /* of a context */
	XRDMA_PAGE_SHIFT = 12,	    /* of a region that is scattered */
	XRDMA_PAGE = 1 << XRDMA_PAGE_SHIFT,
	XRDMA_PAGE_WORD_SHIFT = 3, /* a word that says where one is */
	XRDMA_LAYOUT_ROW = 4,	   /* entries in a row of layouts */
	XRDMA_NUMBERS_IN_ROW = 4,  /* numbers of receives in a row of segments */
	XRDMA_NEWS_WORDS = 8,
	XRDMA_NEWS_BITS = 64 * XRDMA_NEWS_WORDS,
};
#define XRDMA_UNBACKED (1U << 24)

XRDMA_ABI_ASSERT(1 << XRDMA_HEAP_SHIFT == XRDMA_HEAP_ELEMENT, "the shift is the element's");
XRDMA_ABI_ASSERT(XRDMA_QP_COUNT_MAX == XRDMA_QP_ROWS_MAX - 2, "QPNs 0 and 1 are no one's");

/*
 * An address of the heap that has this bit is one of memory whose pages are anywhere in the heap:
 * without it, divided by XRDMA_PAGE, it is the number of a word of the heap, which says where the
 * page begins that has the byte. Or the page is not there: then accesses are refused, or the
 * process is asked for it.
 */
#define XRDMA_PAGED	(1ULL << 63)
#define XRDMA_PAGE_NONE (~0ULL)
#define XRDMA_PAGE_ASK	(~1ULL)

/*
 * A key that a program requested for a region of the protection domain PD. In xrdma_requested it
 * leads to the key of a row. The entry of PD 0, which is no protection domain, counts how many of
 * them requested KEY.
 */
struct xrdma_requested_key {
	__u32 pd;
	__u32 key;
};

/* Rights that stand in rows beside those of types.h. */
enum {
	XRDMA_ACCESS_LOCAL_READ = 1 << 14, /* every key but that of a window has it */
	/* All that the process itself may do. */
	XRDMA_ACCESS_LOCAL = XRDMA_ACCESS_LOCAL_READ | XRDMA_ACCESS_LOCAL_WRITE |
			     XRDMA_ACCESS_READ | XRDMA_ACCESS_WRITE | XRDMA_ACCESS_RECV |
			     XRDMA_ACCESS_SEND,
};

#define XRDMA_MKEY_KINDS(X) X(MR) X(MW1) X(MW2A) X(MW2B) X(LIST) X(INTERLEAVED) X(RAW)
/* UNBACKED: registered, memory not there yet. */
#define XRDMA_MKEY_STATES(X) X(INVALID) X(FREE) X(VALID) X(UNBACKED)

#define X(symbol) XRDMA_MKEY_KIND_##symbol,
enum xrdma_mkey_kind { XRDMA_MKEY_KINDS(X) };
#undef X
#define X(symbol) XRDMA_MKEY_STATE_##symbol,
enum xrdma_mkey_state { XRDMA_MKEY_STATES(X) };
#undef X

/*
 * One row for every key, be it of a region, a window or an mkey. An mkey's address 0 is the first
 * byte of the first of its entries; it repeats them, as often as LEN has ROUND.
 */
struct xrdma_mkey_row {
	XRDMA_ALIGNED(64) __u32 key; /* all 32 bits are compared */
	__u8 kind;		     /* enum xrdma_mkey_kind */
	__u8 state;		     /* enum xrdma_mkey_state */
	__u16 rights;		     /* XRDMA_ACCESS_* */
	__u32 pd;		     /* 0: the row is nobody's */
	__u32 qpn;		     /* the one queue pair that may use it; 0: any of the PD */
	__u64 base;		     /* address of the first byte, as the peer names it */
	__u64 len;		     /* bytes */
	__u64 offset; /* of the first byte in the heap; may be XRDMA_PAGED; of an mkey: 0 */
	__u32 parent; /* key of the region under a window, or that the row is of; else 0 */
	__u32 generation;
	__u32 layout_first; /* of an mkey: row of layouts that its first entry is in */
	__u32 layout_count; /* and how many it has, up to XRDMA_LAYOUT_ENTRIES_MAX */
	__u64 round;	    /* bytes of all of them */
	__u32 transform; /* not 0: what goes through an mkey is to be changed; LEN: on the wire */
	__u32 cntr;	 /* what peers write is counted in row CNTR - 1 of cntrs; 0: it is not */
	/*
	 * Secret of a raw key, an authorization key, or both. BASE includes it, as do the addresses
	 * in peers' packets.
	 */
	__u64 secret;
	__u32 reserved32;
	__u32 requested; /* of a region, if IS_REQUESTED: key by which peers name it */
	__u8 is_requested;
	__u8 reserved8[3];
	__u32 reserved[9];
};
XRDMA_ABI_ASSERT(sizeof(struct xrdma_mkey_row) == 128, "xrdma_mkey_row is part of the contract");

/* A READ, whose responses are as long as the path MTU but for the last, or an atomic. */
struct xrdma_rd_atomic {
	__u32 psn;    /* of its first response */
	__u32 length; /* bytes */
	__u32 first;  /* row of segments: the memory for them */
	__u32 num_sge;
	__u8 response; /* enum xrdma_op */
	__u8 reserved8[3];
	__u32 reserved[3];
};
XRDMA_ABI_ASSERT(sizeof(struct xrdma_rd_atomic) == 32, "xrdma_rd_atomic is part of the contract");

/* A READ or an atomic of the peer's that was carried out, to tell its duplicates from others. */
struct xrdma_resource {
	__u64 original; /* what an atomic found */
	__u64 va;
	__u32 key;
	__u32 length; /* bytes */
	__u32 psn;
	__u32 op_msn; /* 8 bits of enum xrdma_op, 24 bits of the MSN that its response has */
};
XRDMA_ABI_ASSERT(sizeof(struct xrdma_resource) == 32, "xrdma_resource is part of the contract");

/*
 * The queue of pending responses: those of RESP.PENDING resources from FIRST on, in this order, and
 * an acknowledgement behind them.
 */
struct xrdma_respq {
	__u64 since;  /* ns, when the sender's last pass began; 0: there is no sender */
	__u64 va;     /* address of the first response, or of the part that is sent again */
	__u32 length; /* of the first response, in bytes */
	__u32 psn;    /* of its first packet */
	__u32 sent;   /* packets of it that were sent */
	__u32 ack;    /* 8 bits of syndrome, 24 bits of MSN; 0: none */
	__u32 ack_psn;
	__u8 first; /* index of RESOURCE */
	__u8 fresh; /* the last FRESH responses are not sent for a duplicate */
	__u16 reserved16;
	__u64 last; /* ns, when the handover to tc last began (bpf/responder/handover.bpf.h) */
	/*
	 * The name of the one frame that sends the responses: the time (ns) at which its request
	 * came. A frame with another name sends nothing. After a reset this is 0, which no frame
	 * has.
	 */
	__u64 sender;
	struct xrdma_strays strays; /* requests: the responder has no more room for them */
};
XRDMA_ABI_ASSERT(sizeof(struct xrdma_respq) == 64, "a cache line");

/* A queue pair's lock becomes TAKEN_LONG when a program run has waited for it in vain. */
enum xrdma_qp_lock { XRDMA_QP_LOCK_FREE, XRDMA_QP_LOCK_TAKEN, XRDMA_QP_LOCK_TAKEN_LONG };

/*
 * A queue pair: what it is (written by user space), where its responder and its requester stand
 * (written by XDP once the queue pair is in RTR). A cache line each, so that neither side slows the
 * other.
 */
struct xrdma_qp_row {
	XRDMA_ALIGNED(64) __u8 state; /* enum xrdma_qp_state */
	__u8 transport;		      /* XRDMA_TRANSPORT_* */
	__u16 access;		      /* XRDMA_ACCESS_REMOTE_* */
	__u16 mtu;		      /* path MTU in bytes */
	__u16 pkey;
	__u32 pd;
	__u32 peer_qpn;
	__be32 peer_addr[4];
	__be32 addr[4];
	__u32 sent_psn;	 /* PSN of the next request: every response is to one before it */
	__u16 udp_sport; /* of what we send */
	__u16 reserved16;
	__u32 reserved32[2];

	__u32 qpn;
	__u32 send_cq; /* rows of the context's queues */
	__u32 recv_cq;
	__u32 rq; /* its own or a shared one */
	__u8 rnr_timer;
	__u8 max_dest_rd_atomic;
	__u8 max_rd_atomic;
	__u8 tclass;
	/* ICRC of an acknowledgement whose PSN and AETH are 0: see xrdma_frame_ack_icrc(). */
	__u32 ack_icrc;
	__u32 rd_atomics; /* that were begun; written after what RD_ATOMIC says of the last */
	__u32 reserved[9];

	struct xrdma_responder {
		__u32 lock; /* enum xrdma_qp_lock */
		__u32 psn;  /* expected */
		__u32 msn;  /* messages completed */
		/* enum xrdma_op of the message in progress; XRDMA_OP_NONE between messages. */
		__u8 op;
		__u8 waiting; /* a NAK asked for the expected packet, which has not come since */
		__u16 error;  /* enum xrdma_verdict that stopped the queue pair; 0: none */
		__u32 key;    /* of the message in progress: of a WRITE */
		__u32 left;   /* bytes it still lacks: of a WRITE */
		__u64 va;     /* where they go: of a WRITE */
		__u32 done;   /* bytes it has */
		__u32 claim;  /* from a shared queue: number of a receive, plus one; 0: none */
		/* How many of RESOURCE are kept, and where the next goes. */
		__u32 resources;
		/*
		 * XRDMA_UNBACKED and the PSN of a request, or of a response to a READ, for whose
		 * memory XDP asked in vain.
		 */
		__u32 unbacked;
		__u32 pending;	   /* responses in RESPQ */
		__u32 handed_over; /* not 0: XDP defers requests for a while after RESPQ.LAST */
		__u32 peer_sport;  /* of requests: see XRDMA_SPORT_ANY */
		__u32 reserved;
	} resp;

	struct xrdma_requester {
		__u32 acked_psn; /* everything before is acknowledged */
		__u32 msn;	 /* of the last acknowledgement */
		struct xrdma_nak {
			__u32 last;  /* 8 bits of syndrome, 24 bits of the PSN that it names */
			__u32 count; /* so that each is noticed; written last */
		} nak, rnr_nak;
		__u32 rd_atomics_done; /* of those that were begun */
		__u8 waiting;	       /* a response was lost, which NAK says as well */
		__u8 reserved8;
		__u16 error; /* enum xrdma_verdict that stopped the requester; 0: none */
		struct xrdma_strays strays; /* responses */
		__u32 peer_sport;	    /* of responses: see XRDMA_SPORT_ANY */
		__u32 reserved[5];
	} req;

	/* Ours: number N, from 0, is in N % XRDMA_RD_ATOMIC_MAX until its response has come. */
	XRDMA_ALIGNED(64) struct xrdma_rd_atomic rd_atomic[XRDMA_RD_ATOMIC_MAX];
	/* The peer's: the last of them; the specification's responder resources. */
	XRDMA_ALIGNED(64) struct xrdma_resource resource[XRDMA_RD_ATOMIC_MAX];
	XRDMA_ALIGNED(64) struct xrdma_respq respq;
};
XRDMA_ABI_ASSERT(sizeof(struct xrdma_qp_row) == 1344, "xrdma_qp_row is part of the contract");

/*
 * In a row of the context's segments a struct xrdma_sge is a data segment of a receive or a READ.
 * Segments that are not used have a length of 0.
 */
XRDMA_ABI_ASSERT(sizeof(struct xrdma_sge) == 16, "xrdma_sge is part of the contract");

/* An entry of an mkey's layout: part of a region, by whose key it is looked up at each access. */
struct xrdma_layout_entry {
	XRDMA_ALIGNED(32) __u64 addr; /* of the first byte, as the key names it */
	__u64 at;		      /* bytes of a round before it */
	__u32 length;		      /* bytes */
	__u32 skip;		      /* bytes from its end to where it is in the next round */
	__u32 lkey;		      /* of a region */
	__u32 reserved;
};
XRDMA_ABI_ASSERT(sizeof(struct xrdma_layout_entry) == 32,
		 "xrdma_layout_entry is part of the contract");

/* Some at a time, since XDP takes long to look up a row. */
struct xrdma_layout_row {
	struct xrdma_layout_entry entries[XRDMA_LAYOUT_ROW];
};
XRDMA_ABI_ASSERT(sizeof(struct xrdma_layout_row) == 128,
		 "xrdma_layout_row is part of the contract");

#define XRDMA_QUEUE_KINDS(X) X(FREE) X(RQ) X(CQ)
#define X(symbol)	     XRDMA_QUEUE_##symbol,
enum xrdma_queue_kind { XRDMA_QUEUE_KINDS(X) };
#undef X

/*
 * A queue is a ring of entries, numbered from 0 modulo 2^32. A row that its table does not have is
 * as if it were not there.
 *
 * RQ: user space posts receives, and XDP takes them. A receive has a number from 0 to MASK and, by
 * this number, STRIDE rows of the context's segments. Entry N is receive N & MASK. If queue pairs
 * share the queue, place N & MASK of its RING has the number, XRDMA_NUMBERS_IN_ROW in a segment.
 * CQ: XDP gives out entries, user space takes them; each is a row of the context's cqes.
 */
struct xrdma_queue_row {
	XRDMA_ALIGNED(64) __u8 kind; /* enum xrdma_queue_kind */
	__u8 reserved8[3];
	__u32 first;	  /* row of entry 0 */
	__u32 mask;	  /* entries in the ring, a power of two, minus one */
	__u32 stride;	  /* rows of an entry; RQ: up to XRDMA_RECV_SGE_MAX */
	__u32 user_index; /* number of user space's next entry; written after what it stands for */
	__u32 ring;	  /* RQ: row of segments that its ring begins in, plus one; 0: none */
	__u32 reserved[10];

	__u32 xdp_index; /* number of XDP's next entry */
	__u32 reserved2[15];

	/*
	 * CQ: which queue pairs that complete into it XDP has moved on, or stopped: the bit of
	 * their QPN modulo XRDMA_NEWS_BITS. User space clears it, and then looks at their rows.
	 */
	__u64 news[XRDMA_NEWS_WORDS];
};
XRDMA_ABI_ASSERT(sizeof(struct xrdma_queue_row) == 192, "xrdma_queue_row is part of the contract");

/* How a receive ended. An entry is there when SEQUENCE is its number plus one. */
struct xrdma_cqe_row {
	XRDMA_ALIGNED(64) __u32 sequence; /* written last */
	__u32 qpn;
	__u32 rqe; /* number of the receive */
	__u32 byte_len;
	__be32 imm;
	__u32 invalidated_key;
	__u16 verdict; /* enum xrdma_verdict; but for OK the entry was given out in vain */
	__u16 headers; /* XRDMA_HDR_*: of these IMMDT and IETH matter */
	__u8 op;       /* enum xrdma_op */
	__u8 reserved8[3];
	__u32 reserved[8];
};
XRDMA_ABI_ASSERT(sizeof(struct xrdma_cqe_row) == 64, "xrdma_cqe_row is part of the contract");

/* A counter of what peers have done. */
struct xrdma_cntr_row {
	XRDMA_ALIGNED(64) __u64 value;
	__u64 reserved[7];
};
XRDMA_ABI_ASSERT(sizeof(struct xrdma_cntr_row) == 64, "xrdma_cntr_row is part of the contract");

/*
 * A raw key of a peer's, under the key of 64 bits that the process has for it. XDP does not look at
 * it.
 */
struct xrdma_raw_key_row {
	XRDMA_ALIGNED(32) __u64 key; /* 0: none; written last */
	__u64 secret;		     /* as in the peer's row */
	__u32 rkey;		     /* likewise */
	__u32 pd;
	__u32 generation;
	__u32 reserved;
};
XRDMA_ABI_ASSERT(sizeof(struct xrdma_raw_key_row) == 32,
		 "xrdma_raw_key_row is part of the contract");

struct xrdma_heap_element {
	__u8 bytes[XRDMA_HEAP_ELEMENT];
};

#ifdef __cplusplus
}
#endif
#endif
