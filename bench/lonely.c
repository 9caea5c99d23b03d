// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "lonely.h"

#include <arpa/inet.h>

#include "../examples/endpoint.h"

enum { TIMEOUT = 22 };

struct xrdma_qp *lonely_qp(struct xrdma_pd *pd, struct xrdma_cq *cq, __u32 max_send_wr,
			   __u32 layout_entries)
{
	const struct xrdma_qp_init_attr init = {
		.sz = sizeof(init),
		.transport = XRDMA_TRANSPORT_RC,
		.max_send_wr = max_send_wr,
		.send_cq = cq,
		.recv_cq = cq,
		.max_inline = layout_entries * sizeof(struct xrdma_sge),
		.send_ops = layout_entries ? XRDMA_QP_WITH_MKEY_CONFIGURE : 0,
	};
	struct xrdma_qp_attr attr = {
		.sz = sizeof(attr),
		.state = XRDMA_QPS_INIT,
		.port = 1,
		.access = XRDMA_ACCESS_REMOTE_WRITE,
		.path_mtu = 1024,
		.dest_qpn = 0x100,
		.timeout = TIMEOUT,
	};
	struct xrdma_qp *qp;

	must(xrdma_qp_create(pd, &init, &qp));
	inet_pton(AF_INET6, "::ffff:10.66.0.2", attr.ah_attr.dest);
	must(xrdma_qp_modify(qp, &attr,
			     XRDMA_QP_STATE | XRDMA_QP_PKEY_INDEX | XRDMA_QP_PORT |
				     XRDMA_QP_ACCESS_FLAGS));
	attr.state = XRDMA_QPS_RTR;
	must(xrdma_qp_modify(qp, &attr,
			     XRDMA_QP_STATE | XRDMA_QP_AV | XRDMA_QP_PATH_MTU | XRDMA_QP_DEST_QPN |
				     XRDMA_QP_RQ_PSN | XRDMA_QP_MAX_DEST_RD_ATOMIC |
				     XRDMA_QP_MIN_RNR_TIMER));
	attr.state = XRDMA_QPS_RTS;
	must(xrdma_qp_modify(qp, &attr,
			     XRDMA_QP_STATE | XRDMA_QP_SQ_PSN | XRDMA_QP_TIMEOUT |
				     XRDMA_QP_RETRY_CNT | XRDMA_QP_RNR_RETRY |
				     XRDMA_QP_MAX_QP_RD_ATOMIC));
	return qp;
}
