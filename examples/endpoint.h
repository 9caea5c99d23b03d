/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Common part of all examples: a device, registered memory, completion queues and a queue pair. */
#ifndef XRDMA_EXAMPLES_ENDPOINT_H
#define XRDMA_EXAMPLES_ENDPOINT_H

#include <xrdma/conn.h>
#include <xrdma/mr.h>

#define PORT "7471"

enum { ENDPOINT_WRS = 16 }; /* requests in each queue of a queue pair, with up to one segment */

struct endpoint {
	struct xrdma_context *context;
	struct xrdma_pd *pd;
	struct xrdma_mr *mr; /* NULL: none */
	/*
	 * Completion queues for requests of all queue pairs, and for receives. With one queue for
	 * both, a reply could complete before its request, and flushed receives could complete
	 * before the request that failed.
	 */
	struct xrdma_cq *cq, *recv_cq;
	struct xrdma_comp_channel *channel; /* of RECV_CQ; NULL: none */
	struct xrdma_qp *qp; /* can configure mkeys, like all queue pairs that are added */
	char *memory;	     /* of MR; zeroed */
};

/* Private data that the target sends to its clients when they connect. */
struct offer {
	__be64 addr;
	__be32 rkey;
	__be32 len;
};

/* If ERR is an error, print the library's message and end the program. */
void must(int err);

/*
 * Open an endpoint with LEN bytes of memory, for accesses of ACCESS (XRDMA_ACCESS_*), and a queue
 * pair in RESET.
 */
void endpoint_open(struct endpoint *endpoint, const char *device, size_t len, unsigned int access);

/*
 * Open an endpoint without memory in a domain with ATTR. If ATTR is NULL, the domain is like that
 * of ibv_alloc_pd(3).
 */
void endpoint_open_domain(struct endpoint *endpoint, const char *device,
			  struct xrdma_pd_attr *attr);
void endpoint_close(struct endpoint *endpoint);

/* Create another queue pair. */
struct xrdma_qp *endpoint_add_qp(const struct endpoint *endpoint);

/* Move QP to INIT, where receives can be posted. */
void endpoint_init(struct xrdma_qp *qp);

/* Returns a segment of LEN bytes at OFFSET of the memory. */
struct xrdma_sge endpoint_sge(const struct endpoint *endpoint, size_t offset, __u32 len);

/* Post a receive into SGE. */
void endpoint_receive(struct xrdma_qp *qp, __u64 wr_id, const struct xrdma_sge *sge);

/* Post WR. */
void endpoint_send(struct xrdma_qp *qp, const struct xrdma_send_wr *wr);

/* Poll until a request has completed, or a receive. */
struct xrdma_wc endpoint_wait(const struct endpoint *endpoint);
struct xrdma_wc endpoint_wait_received(const struct endpoint *endpoint);

/*
 * Wait for the completion of a request. If it failed, the program ends with a message that begins
 * with WHAT.
 */
void endpoint_done(const struct endpoint *endpoint, const char *what);

/*
 * Send a number to the peer, as a message of no bytes, or wait for the number in the peer's next
 * message. Before, call endpoint_receive_numbers() in INIT, and wait until all other requests are
 * complete. The functions do not wait for the completion of a message that the peer answers: the
 * answer shows that the message has arrived. If the acknowledgement was lost, the peer may have
 * ended before the message is sent again. endpoint_send_last_number() waits for the completion,
 * because requests end with their program.
 */
void endpoint_receive_numbers(const struct endpoint *endpoint);
void endpoint_send_number(const struct endpoint *endpoint, __u32 number);
void endpoint_send_last_number(const struct endpoint *endpoint, __u32 number);
__u32 endpoint_wait_number(const struct endpoint *endpoint);

/* Returns an offer of the memory, or the offer that PEER sent. */
struct offer endpoint_offer(const struct endpoint *endpoint, __u32 len);
struct offer endpoint_take_offer(const struct xrdma_conn_peer *peer);

#endif
