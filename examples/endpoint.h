/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What all examples need: a device, registered memory, completion queues and a queue pair. */
#ifndef XRDMA_EXAMPLES_ENDPOINT_H
#define XRDMA_EXAMPLES_ENDPOINT_H

#include <xrdma/conn.h>
#include <xrdma/mr.h>

#define PORT "7471"

enum { ENDPOINT_WRS = 16 }; /* requests in each queue of a queue pair, of up to one segment */

struct endpoint {
	struct xrdma_context *context;
	struct xrdma_pd *pd;
	struct xrdma_mr *mr; /* or NULL */
	/*
	 * Completion queues for requests of all queue pairs, and for receives. With one queue for
	 * both, a reply could complete before its request, and receives could be flushed before the
	 * request that failed.
	 */
	struct xrdma_cq *cq, *recv_cq;
	struct xrdma_qp *qp; /* which can configure mkeys, as those that are added */
	char *memory;	     /* of mr, zeroed */
};

/* Private data of the connection, from the target to those who connect. */
struct offer {
	__be64 addr;
	__be32 rkey;
	__be32 len;
};

/* Ends the program with the library's message when ERR is one. */
void must(int err);

/* With LEN bytes of memory, for what ACCESS (XRDMA_ACCESS_*) allows, and a queue pair in RESET. */
void endpoint_open(struct endpoint *endpoint, const char *device, size_t len, unsigned int access);

/* Without memory, in a domain of its own, or as ibv_alloc_pd(3) gives them, if ATTR is NULL. */
void endpoint_open_domain(struct endpoint *endpoint, const char *device,
			  struct xrdma_pd_attr *attr);
void endpoint_close(struct endpoint *endpoint);

/* One more queue pair. */
struct xrdma_qp *endpoint_add_qp(const struct endpoint *endpoint);

/* To INIT, where receives may be posted. */
void endpoint_init(struct xrdma_qp *qp);

/* LEN bytes at OFFSET of the memory, for a request. */
struct xrdma_sge endpoint_sge(const struct endpoint *endpoint, size_t offset, __u32 len);

/* Post a receive of it. */
void endpoint_receive(struct xrdma_qp *qp, __u64 wr_id, const struct xrdma_sge *sge);

/* Post WR. */
void endpoint_send(struct xrdma_qp *qp, const struct xrdma_send_wr *wr);

/* Poll until a request is complete, or a receive. */
struct xrdma_wc endpoint_wait(const struct endpoint *endpoint);
struct xrdma_wc endpoint_wait_received(const struct endpoint *endpoint);

/*
 * Wait for the completion of a request. The program ends with a message, which begins with WHAT, if
 * it is no success.
 */
void endpoint_done(const struct endpoint *endpoint, const char *what);

/*
 * A number to the peer, as a message of no bytes, and the number in its next message, which needs
 * endpoint_listen() in INIT, and that other requests are complete. A message that the peer answers
 * has arrived: its completion is not waited for, because if the acknowledgement was lost, the peer
 * may have ended before the message is sent again. The last one is, as requests end with their
 * program.
 */
void endpoint_listen(const struct endpoint *endpoint);
void endpoint_tell(const struct endpoint *endpoint, __u32 number);
void endpoint_tell_last(const struct endpoint *endpoint, __u32 number);
__u32 endpoint_hear(const struct endpoint *endpoint);

/* The offer of the memory, and the one that PEER made. */
struct offer endpoint_offer(const struct endpoint *endpoint, __u32 len);
struct offer endpoint_take_offer(const struct xrdma_conn_peer *peer);

#endif
