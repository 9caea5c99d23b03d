/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* An owner with a queue pair, and the attributes for the queue pair. An error fails the test. */
#ifndef XRDMA_TESTS_SIDE_H
#define XRDMA_TESTS_SIDE_H

#include "owner.h"
#include "queue/qp.h"

/* Attributes that each transition requires, of RC, and of UD where they differ. */
enum {
	TO_INIT = XRDMA_QP_STATE | XRDMA_QP_PKEY_INDEX | XRDMA_QP_PORT | XRDMA_QP_ACCESS_FLAGS,
	TO_RTR = XRDMA_QP_STATE | XRDMA_QP_AV | XRDMA_QP_PATH_MTU | XRDMA_QP_DEST_QPN |
		 XRDMA_QP_RQ_PSN | XRDMA_QP_MAX_DEST_RD_ATOMIC | XRDMA_QP_MIN_RNR_TIMER,
	TO_RTS = XRDMA_QP_STATE | XRDMA_QP_SQ_PSN | XRDMA_QP_TIMEOUT | XRDMA_QP_RETRY_CNT |
		 XRDMA_QP_RNR_RETRY | XRDMA_QP_MAX_QP_RD_ATOMIC,
	UD_TO_INIT = XRDMA_QP_STATE | XRDMA_QP_PKEY_INDEX | XRDMA_QP_PORT | XRDMA_QP_QKEY,
	UD_TO_RTR = XRDMA_QP_STATE,
	UD_TO_RTS = XRDMA_QP_STATE | XRDMA_QP_SQ_PSN,
	/* Attributes that only a service with acknowledgements has. */
	OF_RELIABLE = XRDMA_QP_MAX_DEST_RD_ATOMIC | XRDMA_QP_MIN_RNR_TIMER | XRDMA_QP_TIMEOUT |
		      XRDMA_QP_RETRY_CNT | XRDMA_QP_RNR_RETRY | XRDMA_QP_MAX_QP_RD_ATOMIC,
};

enum { SIDE_QKEY = 0x11223344 };

struct side {
	struct owner owner;
	bool has_channel; /* its completion queue has a channel; unless set, it has none */
	struct xrdma_comp_channel *channel;
	struct xrdma_cq *cq;
	enum xrdma_transport transport; /* of its queue pair; RC unless set */
	struct xrdma_qp_init_attr init;
	const char *auth_key; /* authorization key for creating its queue pair, or NULL */
	struct xrdma_qp *qp;
	struct xrdma_qp_attr attr; /* valid for every transition; connects to 10.66.0.2 */
};

/* Create or destroy the queues of SIDE, whose owner is open. */
void side_create(struct side *side);
void side_destroy(struct side *side);

int side_modify(struct side *side, enum xrdma_qp_state to, unsigned int mask);
enum xrdma_qp_state side_state(const struct side *side);

/* Move the queue pair to STATE, through RESET if it is in another state. */
void side_bring_to(struct side *side, enum xrdma_qp_state state);

/*
 * Lose the packets that arrive for SIDE's queue pair: all of them, or only the responses. XDP drops
 * them, because the state in the queue pair's row says that it does not receive them.
 */
void link_cut(struct side *side);
void link_cut_responses(struct side *side);

/* Let SIDE's queue pair receive every packet again. */
void link_restore(struct side *side);

/* A side of device xa without a peer, with fixtures of a suite and of a test. */
extern struct side lone;

void lone_open(void);
void lone_close(void);
void lone_create(void);
void lone_destroy(void);

/* Returns a signalled request with one segment. KEY and ADDR name the peer's memory. */
struct xrdma_send_wr side_request(enum xrdma_wr_opcode opcode, struct xrdma_sge *segment,
				  const void *addr, __u64 key);

void set_address(__be32 into[4], const char *text);

/* Returns the row that has KEY. */
struct xrdma_mkey_row *side_key(const struct side *side, __u32 key);

#endif
