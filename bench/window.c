// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * A memory window of type 2 on a region of 1 MiB, bound and invalidated by two requests, from their
 * posting to their completions, on xa of host a (run.sh). Baseline: to register the same memory in
 * the kernel and to end that again, by a system call each, which is what regions of RDMA devices
 * take: io_uring's fixed buffers, whose pages are pinned the same way.
 */
#include <err.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <xrdma/device.h>
#include <xrdma/mw.h>

#include "../examples/endpoint.h"
#include "bench.h"
#include "lonely.h"
#include "support/netns.h"

enum { BYTES = 1 << 20, SAMPLES = 20000, REPEAT = 16, REGISTRATIONS = 500 };

static __u32 ns_since(const struct timespec *start)
{
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	return (end.tv_sec - start->tv_sec) * 1000000000 + end.tv_nsec - start->tv_nsec;
}

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

	for (int i = 0; i < SAMPLES; i++) {
		clock_gettime(CLOCK_MONOTONIC, &start);
		for (int k = 0; k < REPEAT; k++) {
			bind.rkey = end.invalidate_key = xrdma_inc_rkey(bind.rkey);
			endpoint_send(qp, &bind);
			wait_for(cq);
		}
		ns[i] = ns_since(&start);
	}
	return (double)bench_median(ns, SAMPLES) / REPEAT;
}

static int ring_call(int ring, unsigned int what, const void *arg, unsigned int count)
{
	return syscall(SYS_io_uring_register, ring, what, arg, count);
}

/* 0: this kernel has no io_uring. */
static double register_and_end(void)
{
	static __u32 ns[REGISTRATIONS];
	struct io_uring_params params = { 0 };
	struct iovec memory = { .iov_len = BYTES };
	int ring = syscall(SYS_io_uring_setup, 1, &params);
	struct timespec start;

	if (ring < 0)
		return 0;
	memory.iov_base = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (memory.iov_base == MAP_FAILED)
		err(1, "no memory");
	for (int i = 0; i < REGISTRATIONS; i++) {
		clock_gettime(CLOCK_MONOTONIC, &start);
		if (ring_call(ring, IORING_REGISTER_BUFFERS, &memory, 1) ||
		    ring_call(ring, IORING_UNREGISTER_BUFFERS, NULL, 0))
			err(1, "io_uring");
		ns[i] = ns_since(&start);
	}
	munmap(memory.iov_base, BYTES);
	close(ring);
	return bench_median(ns, REGISTRATIONS);
}

void bench_window(void)
{
	const struct xrdma_load_attr load = { .sz = sizeof(load), .mode = XRDMA_MODE_GENERIC };
	struct xrdma_mw_bind_info info = { .access = XRDMA_ACCESS_REMOTE_WRITE };
	struct endpoint e;
	struct xrdma_mw *mw;
	struct xrdma_qp *qp;

	bench_pin(0);
	if (!netns_enter("a"))
		err(1, "cannot enter the network namespace a: bench/run.sh makes it");
	must(xrdma_device_load("xa", &load));
	endpoint_open(&e, "xa", BYTES, XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_MW_BIND);
	qp = lonely_qp(e.pd, e.cq, 2);
	must(xrdma_mw_alloc(e.pd, XRDMA_MW_TYPE_2B, &mw));
	info.mr = e.mr;
	info.addr = (uintptr_t)e.memory;
	info.length = BYTES;
	bench_report("mw_bind_invalidate", "ns", bind_and_invalidate(qp, e.cq, mw, &info),
		     register_and_end());
	must(xrdma_mw_dealloc(mw));
	must(xrdma_qp_destroy(qp));
	endpoint_close(&e);
	must(xrdma_device_unload("xa", false));
}
