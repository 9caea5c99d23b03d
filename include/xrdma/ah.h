/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Address handles: destinations of datagrams (IBA 11.2.2; ibv_create_ah(3)). All calls are thread
 * safe.
 */
#ifndef XRDMA_AH_H
#define XRDMA_AH_H

#include "pd.h"
#include "wr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Path to a peer; compare struct ibv_ah_attr. */
struct xrdma_ah_attr {
	__be32 dest[4];	  /* IPv4 as ::ffff:a.b.c.d */
	__be32 source[4]; /* an address of the device; all 0: chosen by the route to DEST */
	/*
	 * Source port of sent packets; 0: unchanged, or at first derived from both QPNs. An address
	 * handle has 0: its datagrams have the port of their queue pair.
	 */
	__u16 udp_sport;
	__u8 tclass;	/* traffic class or TOS */
	__u8 hop_limit; /* or TTL; 0: 64 */
	/*
	 * Only for connections. Source port of the peer's packets; others are dropped. 0: the port
	 * of the first executed request, and of the first response. The peer's kernel gives a port
	 * to one socket only, so other users of its host cannot send into the connection.
	 */
	__u16 peer_sport;
	__u8 any_peer_sport; /* 1: the peer may change its port, and PEER_SPORT is ignored */
	__u8 reserved;
};

struct xrdma_ah;

/*
 * Create a handle for datagrams along ATTR, from queue pairs of PD. The route to ATTR->dest is
 * looked up in the network namespace of the caller, which must be the device's. Destroy *AH with
 * xrdma_ah_destroy().
 *
 * Returns 0 or -EINVAL (ATTR has a port), -ENETUNREACH (no route to ATTR->dest on this device),
 * -EADDRNOTAVAIL (ATTR->source is not an address of the device), -EACCES (an IPsec policy covers
 * the path, see xrdma_qp_modify()), -ENOMEM, or another error of the kernel.
 */
XRDMA_API int xrdma_ah_create(struct xrdma_pd *pd, const struct xrdma_ah_attr *attr,
			      struct xrdma_ah **ah);

/*
 * Create a handle for the sender of a datagram, as ibv_create_ah_from_wc(3). WC is the completion
 * of its receive. GRH names the first 40 bytes of the receive. Reply to WC->src_qpn.
 *
 * Returns 0 or -EINVAL (WC has no XRDMA_WC_GRH, or there is no IP header at GRH), or an error of
 * xrdma_ah_create().
 */
XRDMA_API int xrdma_ah_create_from_wc(struct xrdma_pd *pd, const struct xrdma_wc *wc,
				      const void *grh, struct xrdma_ah **ah);

/*
 * Destroy AH. Requests that were posted with it are sent nevertheless. Returns 0.
 */
XRDMA_API int xrdma_ah_destroy(struct xrdma_ah *ah);

#ifdef __cplusplus
}
#endif
#endif
