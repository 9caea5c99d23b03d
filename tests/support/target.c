// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "target.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <err.h>
#include <string.h>

/* A map of the context, put into OUTER. */
static void add_table(struct target *t, struct xrdma_table *table, struct bpf_map *outer,
		      __u32 row_size, __u32 rows)
{
	int err = xrdma_table_create(table, "test", row_size, rows);

	if (err)
		errx(1, "cannot create a map of %u rows: %s", rows, strerror(-err));
	err = bpf_map__update_elem(outer, &t->slot, sizeof(t->slot), &table->fd, sizeof(table->fd),
				   BPF_ANY);
	if (err)
		errx(1, "cannot give it to the device: %s", strerror(-err));
}

void target_set_device(struct target *t, const struct xrdma_device_row *device)
{
	__u32 zero = 0;

	if (bpf_map__update_elem(t->bpf->maps.xrdma_device, &zero, sizeof(zero), device,
				 sizeof(*device), BPF_ANY))
		err(1, "cannot write the device's row");
}

void target_set_context(struct target *t, __u32 slot, const struct xrdma_context_row *context)
{
	if (bpf_map__update_elem(t->bpf->maps.xrdma_contexts, &slot, sizeof(slot), context,
				 sizeof(*context), BPF_ANY))
		err(1, "cannot write the row of context %u", slot);
}

void target_open(struct target *t, __u32 slot)
{
	const struct {
		__u32 qps, mkeys, heap, rqs, sges, fetches, results, cqs, cqes;
	} rows = {
		.qps = TARGET_ROWS,
		.mkeys = TARGET_ROWS,
		.heap = TARGET_ELEMENTS,
		.rqs = TARGET_ROWS,
		.sges = TARGET_RECEIVE_ROWS,
		.fetches = TARGET_ROWS * XRDMA_RD_ATOMIC_MAX,
		.results = TARGET_ROWS * XRDMA_RD_ATOMIC_MAX,
		.cqs = TARGET_ROWS,
		.cqes = TARGET_RECEIVE_ROWS,
	};
	struct xrdma_device_row device = { .magic = XRDMA_ABI_MAGIC,
					   .abi_version = XRDMA_ABI_VERSION,
					   .addr_count = 2 };
	struct xrdma_context_row context = { .state = XRDMA_CONTEXT_ALIVE,
					     .mkey_mask = TARGET_ROWS - 1 };
	int err;

	*t = (struct target){ .slot = slot };
	err = xrdma_load(&t->bpf);
	if (err)
		errx(1, "cannot load the program: %s", strerror(-err));
#define X(table, map, row) \
	add_table(t, &t->tables.table, t->bpf->maps.map, sizeof(struct row), rows.table);
	XRDMA_CONTEXT_TABLES(X)
#undef X
	t->qps = t->tables.qps.rows;
	t->mkeys = t->tables.mkeys.rows;
	t->heap = t->tables.heap.rows;
	t->rqs = t->tables.rqs.rows;
	t->sges = t->tables.sges.rows;
	t->fetches = t->tables.fetches.rows;
	t->results = t->tables.results.rows;
	t->cqs = t->tables.cqs.rows;
	t->cqes = t->tables.cqes.rows;
	inet_pton(AF_INET6, "::ffff:10.66.0.2", device.addrs[0]);
	inet_pton(AF_INET6, "fd66::2", device.addrs[1]);
	target_set_device(t, &device);
	target_set_context(t, slot, &context);
}

void target_close(struct target *t)
{
#define X(table, map, row) xrdma_table_close(&t->tables.table);
	XRDMA_CONTEXT_TABLES(X)
#undef X
	xrdma_bpf__destroy(t->bpf);
}

void target_drop(struct target *t, const struct bpf_map *outer)
{
	if (bpf_map__delete_elem(outer, &t->slot, sizeof(t->slot), 0))
		err(1, "cannot take away a map of context %u", t->slot);
}

void target_counters(const struct target *t, struct xrdma_counters *sum)
{
	enum { COUNT = sizeof(*sum) / sizeof(__u64) };
	int cpus = libbpf_num_possible_cpus();
	__u64 each[cpus][COUNT];
	__u32 zero = 0;

	if (bpf_map__lookup_elem(t->bpf->maps.xrdma_counters, &zero, sizeof(zero), each,
				 sizeof(each), 0))
		err(1, "cannot read the counters");
	memset(sum, 0, sizeof(*sum));
	for (int cpu = 0; cpu < cpus; cpu++)
		for (int i = 0; i < COUNT; i++)
			((__u64 *)sum)[i] += each[cpu][i];
}

static enum xrdma_verdict one_verdict(const struct xrdma_counters *before,
				      const struct xrdma_counters *after)
{
	const __u64 *was = (const __u64 *)&before->verdicts;
	const __u64 *is = (const __u64 *)&after->verdicts;
	int total = 0, verdict = 0;

	for (int v = 0; v < XRDMA_VERDICT_COUNT; v++) {
		total += is[v] - was[v];
		if (is[v] != was[v])
			verdict = v;
	}
	if (total != 1)
		errx(1, "%d verdicts for one packet", total);
	return verdict;
}

bool target_can_split(const struct target *t)
{
	__u8 frame[64] = { 0 };
	struct xdp_md context = { .data_end = sizeof(frame) / 2 };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = sizeof(frame),
		    .ctx_in = &context, .ctx_size_in = sizeof(context), .repeat = 1);

	return !bpf_prog_test_run_opts(bpf_program__fd(t->bpf->progs.xrdma), &opts);
}

void target_run(struct target *t, const void *frame, size_t len, struct target_result *result)
{
	static __u8 in[256 + PACKET_MAX], out[sizeof(in)];
	struct xdp_md context = { .data = t->metadata, .data_end = t->metadata + t->first_buffer };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = in, .data_size_in = t->metadata + len,
		    .data_out = out, .data_size_out = sizeof(out), .repeat = 1);
	struct xrdma_counters before, after;
	int err;

	if (t->first_buffer) {
		opts.ctx_in = &context;
		opts.ctx_size_in = sizeof(context);
	}
	memcpy(in + t->metadata, frame, len);
	target_counters(t, &before);
	err = bpf_prog_test_run_opts(bpf_program__fd(t->bpf->progs.xrdma), &opts);
	if (err)
		errx(1, "test_run of %zu bytes: %s", len, strerror(-err));
	target_counters(t, &after);
	result->action = opts.retval;
	result->len = opts.data_size_out - t->metadata;
	memcpy(result->frame, out + t->metadata, result->len);
	result->ns = opts.duration;
	result->verdict = one_verdict(&before, &after);
}
