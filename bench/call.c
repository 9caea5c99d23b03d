// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Single calls of a program, and the target of these calls. */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <err.h>

#include "bench.h"
#include "call.h"
#include "lib/frame.h"

void bench_target_open(struct target *t)
{
	target_open(t, 0);
	t->qps[BENCH_ROW] = (struct xrdma_qp_row){
		.state = XRDMA_QPS_RTS,
		.transport = XRDMA_TRANSPORT_RC,
		.access = XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ |
			  XRDMA_ACCESS_REMOTE_ATOMIC,
		.max_dest_rd_atomic = 1,
		.mtu = 4096,
		.pkey = 0xffff,
		.peer_qpn = 0x222222,
		.udp_sport = 0xd001,
		.rq = BENCH_RQ,
		.recv_cq = BENCH_CQ,
	};
	t->queues[BENCH_RQ] = (struct xrdma_queue_row){ .kind = XRDMA_QUEUE_RQ, .stride = 1 };
	t->queues[BENCH_CQ] = (struct xrdma_queue_row){ .kind = XRDMA_QUEUE_CQ, .stride = 1 };
	t->sges[0] = (struct xrdma_sge){ .addr = BENCH_BASE, .length = 4096, .lkey = BENCH_KEY };
	inet_pton(AF_INET6, "::ffff:10.66.0.3", t->qps[BENCH_ROW].peer_addr);
	inet_pton(AF_INET6, "::ffff:10.66.0.2", t->qps[BENCH_ROW].addr);
	t->qps[BENCH_ROW].ack_icrc = xrdma_frame_ack_icrc(&t->qps[BENCH_ROW]);
	t->mkeys[BENCH_KEY >> XRDMA_KEY_INDEX_SHIFT] = (struct xrdma_mkey_row){
		.key = BENCH_KEY,
		.kind = XRDMA_MKEY_KIND_MR,
		.state = XRDMA_MKEY_STATE_VALID,
		.rights = XRDMA_ACCESS_LOCAL | XRDMA_ACCESS_REMOTE_WRITE |
			  XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_ATOMIC,
		.base = BENCH_BASE,
		.len = BENCH_REGION,
	};
}

__u32 bench_call(int program, const __u8 *frame, size_t len)
{
	static __u8 reply[PACKET_MAX];
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = len,
		    .data_out = reply, .data_size_out = sizeof(reply), .repeat = 1);

	if (bpf_prog_test_run_opts(program, &opts))
		err(1, "test_run");
	return opts.duration;
}
