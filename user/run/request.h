/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The packets of a request, as they stand on the wire. */
#ifndef XRDMA_USER_RUN_REQUEST_H
#define XRDMA_USER_RUN_REQUEST_H

#include "wire/packet.h"
#include "obj/qp.h"

/*
 * Build packet NUMBER of WQE, from the Ethernet header to the ICRC, in FRAME; *LEN is its length.
 * XDP knows then where the response to a READ or an atomic goes. Returns XRDMA_V_OK, or what is
 * wrong with a local key. The queue pair's lock is held.
 */
enum xrdma_verdict xrdma_request_build(struct xrdma_qp *qp, const struct xrdma_wqe *wqe,
				       __u64 number, struct xrdma_frame *frame, size_t *len);

#endif
