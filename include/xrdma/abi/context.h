/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The contract between the XDP programs and user space, part 1: the maps of a context. Its process
 * may write them at any time, so XDP reads each field once and checks it. Host byte order, except
 * for addresses. Reserved fields are zero.
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
	XRDMA_QPN_INDEX_BITS = 16, /* a QPN is 8 bits of slot and 16 bits of row */
	XRDMA_QP_ROWS_MAX = 1 << XRDMA_QPN_INDEX_BITS,
	XRDMA_KEY_INDEX_SHIFT = 8,   /* a key is 24 bits of index and 8 bits of key (10.3.5) */
	XRDMA_HEAP_SHIFT = 21,	     /* an element of the heap has 2 MiB */
	XRDMA_HEAP_ARENA_SHIFT = 31, /* an arena has up to 2 GiB, and a map of its own */
	XRDMA_HEAP_ARENAS = 64,	     /* arenas of a context */
	XRDMA_PAGE_SHIFT = 12,	     /* pages of a scattered region */
	XRDMA_PAGE = 1 << XRDMA_PAGE_SHIFT,
	XRDMA_PAGE_WORD_SHIFT = 3, /* bytes of a word in a page table */
	XRDMA_LAYOUT_ROW = 4,	   /* entries in a row of layouts */
	XRDMA_NUMBERS_IN_ROW = 4,  /* numbers of receives in a row of segments */
	XRDMA_NOTIFY_WORDS = 8,
	XRDMA_NOTIFY_BITS = 64 * XRDMA_NOTIFY_WORDS,
};
#define XRDMA_UNBACKED (1U << 24)

XRDMA_ABI_ASSERT(1 << XRDMA_HEAP_SHIFT == XRDMA_HEAP_ELEMENT, "the shift is the element's");
XRDMA_ABI_ASSERT(XRDMA_QP_COUNT_MAX == XRDMA_QP_ROWS_MAX - 2, "QPNs 0 and 1 are no one's");

/*
 * Bit of a heap address in scattered memory, whose pages are anywhere in the heap. The address
 * without the bit, divided by XRDMA_PAGE, is the number of a word in the heap: the page table. The
 * word has the place of the page, or says that the page is missing. Then an access is refused, or
 * the process is asked for the page.
 */
#define XRDMA_PAGED	(1ULL << 63)
#define XRDMA_PAGE_NONE (~0ULL)
#define XRDMA_PAGE_ASK	(~1ULL)

/*
 * A user key of a region in the protection domain PD. The map xrdma_user_keys leads from it to the
 * key of a row. PD 0 is no protection domain: its entry counts the domains with this user key.
 */
struct xrdma_user_key {
	__u32 pd;
	__u32 key;
};

/* Rights in rows, in addition to those of types.h. */
enum {
	XRDMA_ACCESS_LOCAL_READ = 1 << 14, /* every key but that of a window has it */
	/* Rights of the process itself. */
	XRDMA_ACCESS_LOCAL = XRDMA_ACCESS_LOCAL_READ | XRDMA_ACCESS_LOCAL_WRITE |
			     XRDMA_ACCESS_READ | XRDMA_ACCESS_WRITE | XRDMA_ACCESS_RECV |
			     XRDMA_ACCESS_SEND,
};

#define XRDMA_MKEY_KINDS(X) X(MR) X(MW1) X(MW2A) X(MW2B) X(LIST) X(INTERLEAVED) X(RAW)
/* States of a key. UNBACKED: registered, but its memory is not in the heap. */
#define XRDMA_MKEY_STATES(X) X(INVALID) X(FREE) X(VALID) X(UNBACKED)

#define X(symbol) XRDMA_MKEY_KIND_##symbol,
enum xrdma_mkey_kind { XRDMA_MKEY_KINDS(X) };
#undef X
#define X(symbol) XRDMA_MKEY_STATE_##symbol,
enum xrdma_mkey_state { XRDMA_MKEY_STATES(X) };
#undef X

/*
 * Row of a key, for regions, windows and mkeys. An mkey's address 0 is the first byte of its first
 * entry. Its entries repeat until LEN bytes are reached; ROUND is the length of a round.
 */
struct xrdma_mkey_row {
	XRDMA_ALIGNED(64) __u32 key; /* all 32 bits are compared */
	__u8 kind;		     /* enum xrdma_mkey_kind */
	__u8 state;		     /* enum xrdma_mkey_state */
	__u16 rights;		     /* XRDMA_ACCESS_* */
	__u32 pd;		     /* 0: the row is not used */
	__u32 qpn;		     /* the only queue pair with access; 0: any of the PD */
	__u64 base;		     /* address of the first byte for the peer */
	__u64 len;		     /* bytes */
	__u64 offset; /* place of the first byte in the heap; may be XRDMA_PAGED; of an mkey: 0 */
	__u32 parent; /* key of the region of a window, or of a buffer; else 0 */
	__u32 generation;
	__u32 layout_first; /* of an mkey: row of layouts with its first entry */
	__u32 layout_count; /* number of its entries, up to XRDMA_LAYOUT_ENTRIES_MAX */
	__u64 round;	    /* bytes of all entries */
	__u32 transform;    /* not 0: the mkey transforms data, and LEN counts bytes of the wire */
	__u32 cntr;	    /* counter of peers' writes is row CNTR - 1 of cntrs; 0: none */
	/*
	 * Secret of a raw key, an authorization key, or both. BASE includes it, as do the addresses
	 * in peers' packets.
	 */
	__u64 secret;
	__u32 reserved32;
	__u32 user_key; /* of a region, if HAS_USER_KEY: its key for peers */
	__u8 has_user_key;
	__u8 reserved8[3];
	__u32 reserved[9];
};
XRDMA_ABI_ASSERT(sizeof(struct xrdma_mkey_row) == 128, "xrdma_mkey_row is part of the contract");

/* A READ or an atomic of ours. All responses to a READ but the last are as long as the path MTU. */
struct xrdma_rd_atomic {
	__u32 psn;    /* of its first response */
	__u32 length; /* bytes */
	__u32 first;  /* row of segments: its memory */
	__u32 num_sge;
	__u8 response; /* enum xrdma_op */
	__u8 reserved8[3];
	__u32 reserved[3];
};
XRDMA_ABI_ASSERT(sizeof(struct xrdma_rd_atomic) == 32, "xrdma_rd_atomic is part of the contract");

/* A READ or an atomic of the peer that was executed. Its duplicates are recognized by it. */
struct xrdma_resource {
	__u64 original; /* former value of the word of an atomic */
	__u64 va;
	__u32 key;
	__u32 length; /* bytes */
	__u32 psn;
	__u32 op_msn; /* 8 bits of enum xrdma_op, 24 bits of MSN for its response */
};
XRDMA_ABI_ASSERT(sizeof(struct xrdma_resource) == 32, "xrdma_resource is part of the contract");

/*
 * The queue of pending responses: those of RESP.PENDING resources from FIRST on, in this order, and
 * an acknowledgement behind them.
 */
struct xrdma_respq {
	__u64 since;  /* ns: start of the sender's last pass; 0: there is no sender */
	__u64 va;     /* address of the first response, or of its repeated part */
	__u32 length; /* bytes of the first response */
	__u32 psn;    /* PSN of its first packet */
	__u32 sent;   /* packets of it that were sent */
	__u32 ack;    /* 8 bits of syndrome, 24 bits of MSN; 0: none */
	__u32 ack_psn;
	__u8 first; /* index of RESOURCE */
	__u8 fresh; /* the last FRESH responses are not repeated ones */
	__u16 reserved16;
	__u64 last; /* ns: start of the handover to tc (bpf/responder/handover.bpf.h) */
	/*
	 * Name of the only frame that sends the responses: the arrival time (ns) of its request.
	 * Other frames send nothing. After a reset it is 0, which no frame has.
	 */
	__u64 sender;
	struct xrdma_strays strays; /* requests: unexpected PSNs */
};
XRDMA_ABI_ASSERT(sizeof(struct xrdma_respq) == 64, "a cache line");

/* States of a queue pair's lock. TAKEN_LONG: a program run has waited for it in vain. */
enum xrdma_qp_lock { XRDMA_QP_LOCK_FREE, XRDMA_QP_LOCK_TAKEN, XRDMA_QP_LOCK_TAKEN_LONG };

/*
 * Row of a queue pair: its attributes, written by user space; the states of its responder and its
 * requester, written by XDP from RTR on. Each has cache lines of its own, so that neither side
 * slows the other.
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
	__u32 sent_psn;	 /* PSN of the next request; responses are to earlier ones */
	__u16 udp_sport; /* of packets that we send */
	__u16 reserved16;
	__u32 qkey; /* UD: packets with another one are dropped */
	__u32 reserved32;

	__u32 qpn;
	__u32 send_cq; /* rows of the context's queues */
	__u32 recv_cq;
	__u32 rq; /* of its own, or shared */
	__u8 rnr_timer;
	__u8 max_dest_rd_atomic;
	__u8 max_rd_atomic;
	__u8 tclass;
	/* ICRC of an acknowledgement with PSN and AETH 0 (xrdma_frame_ack_icrc()). */
	__u32 ack_icrc;
	__u32 rd_atomics;  /* number of own ones begun; written after RD_ATOMIC */
	__u32 recv_events; /* not 0: the completion queue of receives has a channel */
	__u32 reserved[8];

	struct xrdma_responder {
		__u32 lock; /* enum xrdma_qp_lock */
		__u32 psn;  /* expected PSN */
		__u32 msn;  /* messages completed */
		/* enum xrdma_op of the message in progress; XRDMA_OP_NONE between messages. */
		__u8 op;
		__u8 waiting; /* a NAK has asked for the expected packet, which has not come yet */
		__u16 error;  /* enum xrdma_verdict that stopped the queue pair; 0: none */
		__u32 key;    /* key of the WRITE in progress */
		__u32 left;   /* missing bytes of the WRITE in progress */
		__u64 va;     /* address of the rest of the WRITE in progress */
		__u32 done;   /* bytes of the message that have arrived */
		__u32 claim;  /* shared queue: number of the claimed receive plus one; 0: none */
		/* Number of requests kept in RESOURCE; the next one goes to its remainder. */
		__u32 resources;
		/*
		 * XRDMA_UNBACKED and the PSN of a request, or of a response to a READ, for whose
		 * memory XDP asked in vain.
		 */
		__u32 unbacked;
		__u32 pending;	   /* responses in RESPQ */
		__u32 handed_over; /* not 0: XDP defers requests for some time after RESPQ.LAST */
		__u32 peer_sport;  /* of requests; see XRDMA_SPORT_ANY */
		__u32 established; /* not 0: a request was executed in RTR */
	} resp;

	struct xrdma_requester {
		__u32 acked_psn; /* all requests before it are acknowledged */
		__u32 msn;	 /* MSN of the last acknowledgement */
		struct xrdma_nak {
			__u32 last;  /* 8 bits of syndrome, 24 bits of PSN */
			__u32 count; /* number of NAKs; written last */
		} nak, rnr_nak;
		__u32 rd_atomics_done; /* number of own ones completed */
		__u8 waiting;	       /* a response was lost, and NAK asks for it */
		__u8 reserved8;
		__u16 error; /* enum xrdma_verdict that stopped the requester; 0: none */
		struct xrdma_strays strays; /* responses: unexpected PSNs */
		__u32 peer_sport;	    /* of responses; see XRDMA_SPORT_ANY */
		__u32 reserved[5];
	} req;

	/*
	 * Own ones: number N, from 0, is in N % XRDMA_RD_ATOMIC_MAX until its response has arrived.
	 */
	XRDMA_ALIGNED(64) struct xrdma_rd_atomic rd_atomic[XRDMA_RD_ATOMIC_MAX];
	/* Responder resources: the last ones of the peer. */
	XRDMA_ALIGNED(64) struct xrdma_resource resource[XRDMA_RD_ATOMIC_MAX];
	XRDMA_ALIGNED(64) struct xrdma_respq respq;
};
XRDMA_ABI_ASSERT(sizeof(struct xrdma_qp_row) == 1344, "xrdma_qp_row is part of the contract");

/*
 * A struct xrdma_sge in a row of the context's segments is a data segment of a receive or a READ.
 * Unused segments have a length of 0.
 */
XRDMA_ABI_ASSERT(sizeof(struct xrdma_sge) == 16, "xrdma_sge is part of the contract");

/* An entry of an mkey's layout: a part of a region. Its key is looked up at each access. */
struct xrdma_layout_entry {
	XRDMA_ALIGNED(32) __u64 addr; /* address of the first byte under LKEY */
	__u64 at;		      /* bytes of a round before it */
	__u32 length;		      /* bytes */
	__u32 skip;		      /* bytes between its end and its start in the next round */
	__u32 lkey;		      /* key of a region */
	__u32 reserved;
};
XRDMA_ABI_ASSERT(sizeof(struct xrdma_layout_entry) == 32,
		 "xrdma_layout_entry is part of the contract");

/* A row with several entries, because XDP takes long to look up a row. */
struct xrdma_layout_row {
	struct xrdma_layout_entry entries[XRDMA_LAYOUT_ROW];
};
XRDMA_ABI_ASSERT(sizeof(struct xrdma_layout_row) == 128,
		 "xrdma_layout_row is part of the contract");

/* The completion that a program waits for, which makes an event of its channel. */
enum xrdma_wake {
	XRDMA_WAKE_NONE,
	XRDMA_WAKE_ANY,	      /* the next one */
	XRDMA_WAKE_SOLICITED, /* the next one that the peer solicits, or that has an error */
};

#define XRDMA_QUEUE_KINDS(X) X(FREE) X(RQ) X(CQ)
#define X(symbol)	     XRDMA_QUEUE_##symbol,
enum xrdma_queue_kind { XRDMA_QUEUE_KINDS(X) };
#undef X

/*
 * A queue is a ring of entries, numbered from 0 modulo 2^32. If its table does not have a row, the
 * row does not exist for XDP.
 *
 * RQ: user space posts receives, and XDP takes them. A receive has a number from 0 to MASK and, at
 * this number, STRIDE rows of the context's segments. Entry N is receive N & MASK. If queue pairs
 * share the queue, place N & MASK of its RING has the number; a segment has XRDMA_NUMBERS_IN_ROW of
 * them.
 *
 * CQ: XDP fills entries, and user space takes them. Each is a row of the context's cqes.
 */
struct xrdma_queue_row {
	XRDMA_ALIGNED(64) __u8 kind; /* enum xrdma_queue_kind */
	__u8 reserved8[3];
	__u32 first;	  /* row of entry 0 */
	__u32 mask;	  /* entries in the ring, a power of two, minus one */
	__u32 stride;	  /* rows of an entry; RQ: up to XRDMA_RECV_SGE_MAX */
	__u32 user_index; /* number of user space's next entry; written after the entry */
	__u32 ring;	  /* RQ: first row of its ring in segments, plus one; 0: none */
	/*
	 * Shared RQ: XDP sends a notice when fewer receives are left, and sets this to 0. 0: no
	 * limit.
	 */
	__u32 limit;
	__u32 reserved[9];

	__u32 xdp_index;  /* number of XDP's next entry */
	__u32 wake;	  /* CQ: enum xrdma_wake; XDP sets it to 0 with the notice */
	__u32 lost;	  /* CQ: not 0: there was no room for that notice */
	__u32 unattended; /* CQ: not 0: nobody polls, so notify bits come with a notice */
	__u32 reserved2[12];

	/*
	 * CQ: notify bits, QPN modulo XRDMA_NOTIFY_BITS. XDP sets the bit of a queue pair that has
	 * moved on or stopped. User space clears it, and then reads the rows of its queue pairs.
	 */
	__u64 notify[XRDMA_NOTIFY_WORDS];
};
XRDMA_ABI_ASSERT(sizeof(struct xrdma_queue_row) == 192, "xrdma_queue_row is part of the contract");

/* Completion of a receive. The entry is valid when SEQUENCE is its number plus one. */
struct xrdma_cqe_row {
	XRDMA_ALIGNED(64) __u32 sequence; /* written last */
	__u32 qpn;
	__u32 rqe; /* number of the receive */
	__u32 byte_len;
	__be32 imm;
	__u32 invalidated_key;
	__u16 verdict; /* enum xrdma_verdict; if it is not OK, the entry is void */
	__u16 headers; /* XRDMA_HDR_*; IMMDT, IETH and DETH matter */
	__u8 op;       /* enum xrdma_op */
	__u8 reserved8[3];
	__u32 src_qpn; /* UD: the sender's */
	__u32 reserved[7];
};
XRDMA_ABI_ASSERT(sizeof(struct xrdma_cqe_row) == 64, "xrdma_cqe_row is part of the contract");

/* A counter of peers' writes. */
struct xrdma_cntr_row {
	XRDMA_ALIGNED(64) __u64 value;
	__u64 reserved[7];
};
XRDMA_ABI_ASSERT(sizeof(struct xrdma_cntr_row) == 64, "xrdma_cntr_row is part of the contract");

/* A raw key of a peer, and the process's key of 64 bits for it. XDP does not read this. */
struct xrdma_raw_key_row {
	XRDMA_ALIGNED(32) __u64 key; /* 0: none; written last */
	__u64 secret;		     /* secret in the peer's row */
	__u32 rkey;		     /* key of the peer's row */
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
