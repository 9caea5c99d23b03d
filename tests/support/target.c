// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "target.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "load.h"

/* A map of the context, mapped here and put into OUTER. */
static void *add_map(struct target *t, struct bpf_map *outer, __u32 value_size, __u32 rows, int *fd)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE | BPF_F_INNER_MAP);
	void *mem;
	int err;

	*fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "test", sizeof(__u32), value_size, rows, &opts);
	cr_assert(*fd >= 0, "cannot create a map of %u rows: %s", rows, strerror(-*fd));
	mem = mmap(NULL, (size_t)value_size * rows, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	cr_assert(mem != MAP_FAILED, "cannot map it");
	err = bpf_map__update_elem(outer, &t->slot, sizeof(t->slot), fd, sizeof(*fd), BPF_ANY);
	cr_assert(!err, "cannot give it to the device: %s", strerror(-err));
	return mem;
}

void target_set_device(struct target *t, const struct xrdma_device *device)
{
	__u32 zero = 0;

	cr_assert(!bpf_map__update_elem(t->bpf->maps.xrdma_device, &zero, sizeof(zero), device,
					sizeof(*device), BPF_ANY));
}

void target_set_context(struct target *t, __u32 slot, const struct xrdma_context *context)
{
	cr_assert(!bpf_map__update_elem(t->bpf->maps.xrdma_contexts, &slot, sizeof(slot), context,
					sizeof(*context), BPF_ANY));
}

void target_open(struct target *t, __u32 slot)
{
	struct xrdma_device device = { .magic = XRDMA_ABI_MAGIC,
				       .abi_version = XRDMA_ABI_VERSION,
				       .addr_count = 2 };
	struct xrdma_context context = { .state = XRDMA_CONTEXT_ALIVE,
					 .mkey_mask = TARGET_ROWS - 1 };
	int err;

	*t = (struct target){ .slot = slot };
	err = xrdma_load(&t->bpf);
	cr_assert(!err, "cannot load the program: %s", strerror(-err));
	t->qps = add_map(t, t->bpf->maps.xrdma_qps, sizeof(*t->qps), TARGET_ROWS, &t->qps_fd);
	t->mkeys =
		add_map(t, t->bpf->maps.xrdma_mkeys, sizeof(*t->mkeys), TARGET_ROWS, &t->mkeys_fd);
	t->heap = add_map(t, t->bpf->maps.xrdma_heaps, XRDMA_HEAP_ELEMENT, TARGET_ELEMENTS,
			  &t->heap_fd);
	inet_pton(AF_INET6, "::ffff:10.66.0.2", device.addrs[0]);
	inet_pton(AF_INET6, "fd66::2", device.addrs[1]);
	target_set_device(t, &device);
	target_set_context(t, slot, &context);
}

void target_close(struct target *t)
{
	munmap(t->qps, sizeof(*t->qps) * TARGET_ROWS);
	munmap(t->mkeys, sizeof(*t->mkeys) * TARGET_ROWS);
	munmap(t->heap, TARGET_HEAP);
	close(t->qps_fd);
	close(t->mkeys_fd);
	close(t->heap_fd);
	xrdma_bpf__destroy(t->bpf);
}

void target_counters(const struct target *t, struct xrdma_counters *sum)
{
	enum { COUNT = sizeof(*sum) / sizeof(__u64) };
	int cpus = libbpf_num_possible_cpus();
	__u64 each[cpus][COUNT];
	__u32 zero = 0;

	cr_assert(!bpf_map__lookup_elem(t->bpf->maps.xrdma_counters, &zero, sizeof(zero), each,
					sizeof(each), 0));
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
	cr_assert(total == 1, "%d verdicts for one packet", total);
	return verdict;
}

void target_run(struct target *t, const void *frame, size_t len, struct target_result *result)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = len,
		    .data_out = result->frame, .data_size_out = sizeof(result->frame), .repeat = 1);
	struct xrdma_counters before, after;
	int err;

	target_counters(t, &before);
	err = bpf_prog_test_run_opts(bpf_program__fd(t->bpf->progs.xrdma), &opts);
	cr_assert(!err, "test_run of %zu bytes: %s", len, strerror(-err));
	target_counters(t, &after);
	result->action = opts.retval;
	result->len = opts.data_size_out;
	result->ns = opts.duration;
	result->verdict = one_verdict(&before, &after);
}
