// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Measure binding and invalidating a memory window of type 2 on a region of 1 MiB, and configuring
 * an mkey of 16 parts of that region. The time is from posting to completion, on xa of host a
 * (run.sh). The baseline is registering the same memory in the kernel, as one buffer or as 16, and
 * ending that again, with one system call each. RDMA devices work like this for regions. The
 * kernel's example are the fixed buffers of io_uring, whose pages are pinned in the same way.
 */
#include <err.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <xrdma/mkey.h>
#include <xrdma/mw.h>

#include "../examples/endpoint.h"
#include "bench.h"
#include "lonely.h"
#include <xrdma/abi/context.h>

enum { BYTES = 1 << 20, PARTS = 16, SAMPLES = 20000, REPEAT = 16, REGISTRATIONS = 500 };

static void wait_for(struct xrdma_cq *cq)
{
	struct xrdma_wc wc;

	while (!xrdma_cq_poll(cq, 1, &wc))
		;
	if (wc.status != XRDMA_WC_SUCCESS)
		errx(1, "%s", xrdma_wc_status_str(wc.status));
}

static double bind_and_invalidate(struct xrdma_qp *qp, struct xrdma_cq *cq, struct xrdma_mw *mw,
				  const struct xrdma_mw_bind_info *info)
{
	const int samples = bench_rounds(SAMPLES);
	static __u32 ns[SAMPLES];
	struct xrdma_send_wr end = {
		.opcode = XRDMA_WR_LOCAL_INV,
		.flags = XRDMA_SEND_SIGNALED,
	};
	struct xrdma_send_wr bind = {
		.next = &end,
		.opcode = XRDMA_WR_BIND_MW,
		.rkey = xrdma_mw_key(mw),
		.mw = mw,
		.bind_info = *info,
	};
	struct timespec start;

	for (int i = 0; i < samples; i++) {
		clock_gettime(CLOCK_MONOTONIC, &start);
		for (int k = 0; k < REPEAT; k++) {
			bind.rkey = end.invalidate_key = xrdma_inc_rkey(bind.rkey);
			endpoint_send(qp, &bind);
			wait_for(cq);
		}
		ns[i] = bench_ns_since(&start);
	}
	return (double)bench_median(ns, samples) / REPEAT;
}

static void configure(struct xrdma_qp *qp, struct xrdma_mkey *mkey, const struct xrdma_sge *parts)
{
	const struct xrdma_mkey_conf_attr attr = {
		.sz = sizeof(attr),
		.send_flags = XRDMA_SEND_SIGNALED | XRDMA_SEND_INLINE,
	};

	xrdma_wr_start(qp);
	xrdma_wr_mkey_configure(qp, mkey, 2, &attr);
	xrdma_wr_set_mkey_access_flags(qp, XRDMA_ACCESS_REMOTE_WRITE);
	xrdma_wr_set_mkey_layout_list(qp, PARTS, parts);
	must(xrdma_wr_complete(qp));
}

static double configure_parts(struct xrdma_qp *qp, struct xrdma_cq *cq, struct xrdma_mkey *mkey,
			      const struct endpoint *e)
{
	const int samples = bench_rounds(SAMPLES);
	static __u32 ns[SAMPLES];
	struct xrdma_sge parts[PARTS];
	struct timespec start;

	for (int i = 0; i < PARTS; i++)
		parts[i] = endpoint_sge(e, (PARTS - 1 - i) * BYTES / PARTS, BYTES / PARTS);
	for (int i = 0; i < samples; i++) {
		clock_gettime(CLOCK_MONOTONIC, &start);
		for (int k = 0; k < REPEAT; k++) {
			configure(qp, mkey, parts);
			wait_for(cq);
		}
		ns[i] = bench_ns_since(&start);
	}
	return (double)bench_median(ns, samples) / REPEAT;
}

static int ring_call(int ring, unsigned int what, const void *arg, unsigned int count)
{
	return syscall(SYS_io_uring_register, ring, what, arg, count);
}

/*
 * Returns the time for registering COUNT buffers in one call, and for ending that. Returns 0 if
 * this kernel has no io_uring.
 */
static double register_and_end(int count)
{
	const int samples = bench_rounds(REGISTRATIONS);
	static __u32 ns[REGISTRATIONS];
	struct io_uring_params params = { 0 };
	struct iovec buffers[PARTS];
	int ring = syscall(SYS_io_uring_setup, 1, &params);
	struct timespec start;
	char *memory;

	if (ring < 0)
		return 0;
	memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (memory == MAP_FAILED)
		err(1, "no memory");
	for (int i = 0; i < count; i++)
		buffers[i] = (struct iovec){ memory + i * BYTES / count, BYTES / count };
	for (int i = 0; i < samples; i++) {
		clock_gettime(CLOCK_MONOTONIC, &start);
		if (ring_call(ring, IORING_REGISTER_BUFFERS, buffers, count) ||
		    ring_call(ring, IORING_UNREGISTER_BUFFERS, NULL, 0))
			err(1, "io_uring");
		ns[i] = bench_ns_since(&start);
	}
	munmap(memory, BYTES);
	close(ring);
	return bench_median(ns, samples);
}

void bench_window(void)
{
	const struct xrdma_mkey_init_attr parts = {
		.sz = sizeof(parts),
		.create_flags = XRDMA_MKEY_INIT_INDIRECT,
		.max_entries = PARTS,
	};
	struct xrdma_mw_bind_info info = { .access = XRDMA_ACCESS_REMOTE_WRITE };
	struct endpoint e;
	struct xrdma_mkey *mkey;
	struct xrdma_mw *mw;
	struct xrdma_qp *qp;

	bench_pin(0);
	endpoint_open(&e, "xa", BYTES, XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_MW_BIND);
	qp = lonely_qp(e.pd, e.cq, 2, PARTS);
	must(xrdma_mw_alloc(e.pd, XRDMA_MW_TYPE_2B, &mw));
	must(xrdma_mkey_create(e.pd, &parts, &mkey));
	info.mr = e.mr;
	info.addr = (uintptr_t)e.memory;
	info.length = BYTES;
	bench_report("mw_bind_invalidate", "ns", bind_and_invalidate(qp, e.cq, mw, &info),
		     register_and_end(1));
	bench_report("mkey_configure_16", "ns", configure_parts(qp, e.cq, mkey, &e),
		     register_and_end(PARTS));
	must(xrdma_mkey_destroy(mkey));
	must(xrdma_mw_dealloc(mw));
	must(xrdma_qp_destroy(qp));
	endpoint_close(&e);
}
