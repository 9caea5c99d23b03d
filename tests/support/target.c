// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "target.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <err.h>
#include <linux/if_ether.h>
#include <linux/pkt_cls.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xrdma/error.h>

#include "dev/load.h"
#include "abi_version.h"
#include "xrdma.skel.h"
#include "xrdma_tc.skel.h"

__attribute__((weak)) bool target_is_at_tc = false;

static struct target loaded;

/*
 * Options for AddressSanitizer, which calls this. Looking for leaks after each test takes as long
 * as the test. The tests in tests/net do it.
 */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

static void create_maps(struct target *t)
{
	const struct xrdma_row_counts rows = {
		.qps = TARGET_ROWS,
		.mkeys = TARGET_ROWS,
		.queues = TARGET_ROWS,
		.segments = TARGET_RECEIVE_ROWS,
		.layouts = TARGET_LAYOUT_ROWS,
		.cqes = TARGET_RECEIVE_ROWS,
		.cntrs = TARGET_CNTRS,
		.raw_keys = 1,
	};

	if (xrdma_tables_create(&t->tables, &rows))
		errx(1, "%s", xrdma_error());
	if (xrdma_table_create(&t->heap_part, "heap", XRDMA_HEAP_ELEMENT, TARGET_ELEMENTS, NULL))
		err(1, "cannot create a heap");
	t->notices = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "notices", 0, 0, 4096, NULL);
	if (t->notices < 0)
		err(1, "cannot create a ring");
}

/* Find the maps like xrdma_slots_open() finds pinned ones. */
static void find_slots(struct xrdma_slots *slots, const struct xrdma_bpf *bpf)
{
	slots->claim = bpf_program__fd(bpf->progs.xrdma_claim);
	slots->release = bpf_program__fd(bpf->progs.xrdma_release);
	slots->xrdma_heaps = bpf_map__fd(bpf->maps.xrdma_heaps);
	slots->xrdma_user_keys = bpf_map__fd(bpf->maps.xrdma_user_keys);
	slots->xrdma_notices = bpf_map__fd(bpf->maps.xrdma_notices);
#define X(table, outer, row) slots->outer = bpf_map__fd(bpf->maps.outer);
	XRDMA_CONTEXT_TABLES(X)
#undef X
	slots->rows = mmap(NULL, XRDMA_CONTEXTS_MAX * sizeof(*slots->rows), PROT_READ | PROT_WRITE,
			   MAP_SHARED, bpf_map__fd(bpf->maps.xrdma_contexts), 0);
	if (slots->rows == MAP_FAILED ||
	    xrdma_epochs_map(&slots->epochs, bpf_map__fd(bpf->maps.xrdma_epochs)))
		err(1, "cannot map the rows of a device");
}

void target_load(void)
{
	const struct xrdma_tc_settings alone = { 0 };
	int err;

	if (loaded.bpf)
		return;
	err = xrdma_load(&loaded.bpf);
	if (!err && target_is_at_tc)
		err = xrdma_load_tc(loaded.bpf, &alone, &loaded.tc);
	if (err)
		errx(1, "cannot load the program: %s", strerror(-err));
	find_slots(&loaded.slots, loaded.bpf);
	create_maps(&loaded);
}

void target_unload(void)
{
	xrdma_tables_close(&loaded.tables);
	xrdma_table_close(&loaded.heap_part);
	close(loaded.notices);
	munmap(loaded.slots.rows, XRDMA_CONTEXTS_MAX * sizeof(*loaded.slots.rows));
	xrdma_epochs_unmap(&loaded.slots.epochs);
	xrdma_tc_bpf__destroy(loaded.tc);
	xrdma_bpf__destroy(loaded.bpf);
	loaded.bpf = NULL;
}

void target_set_device(struct target *t, const struct xrdma_device_row *device)
{
	__u32 zero = 0;

	if (bpf_map__update_elem(t->bpf->maps.xrdma_device, &zero, sizeof(zero), device,
				 sizeof(*device), BPF_ANY))
		err(1, "cannot write the device's row");
}

void target_set_mac(struct target *t, const __u8 mac[6])
{
	struct xrdma_device_row device;
	__u32 zero = 0;

	if (bpf_map__lookup_elem(t->bpf->maps.xrdma_device, &zero, sizeof(zero), &device,
				 sizeof(device), 0))
		err(1, "cannot read the device's row");
	memcpy(device.mac, mac, sizeof(device.mac));
	target_set_device(t, &device);
}

void target_set_context(struct target *t, __u32 slot, const struct xrdma_context_row *context)
{
	t->slots.rows[slot] = *context;
}

static void clear_counters(const struct target *t)
{
	struct xrdma_counters zeroes[libbpf_num_possible_cpus()];
	__u32 zero = 0;

	memset(zeroes, 0, sizeof(zeroes));
	if (bpf_map__update_elem(t->bpf->maps.xrdma_counters, &zero, sizeof(zero), zeroes,
				 sizeof(zeroes), BPF_ANY))
		err(1, "cannot clear the counters");
}

/* Make the only context alive in its slot, with all its tables. */
static void enter(struct target *t)
{
	const struct xrdma_slot_maps maps = {
		.tables = &t->tables,
		.arenas = &t->heap_part,
		.arena_count = 1,
		.notices = t->notices,
	};
	const __u32 part = t->slot * XRDMA_HEAP_ARENAS;
	bool whole;
	__u32 id;

	memset(t->slots.rows, 0, XRDMA_CONTEXTS_MAX * sizeof(*t->slots.rows));
	whole = !bpf_map_lookup_elem(t->slots.xrdma_heaps, &part, &id);
#define X(table, map, row) whole = whole && !bpf_map_lookup_elem(t->slots.map, &t->slot, &id);
	XRDMA_CONTEXT_TABLES(X)
#undef X
	t->slots.rows[t->slot] = (struct xrdma_context_row){ .state = XRDMA_CONTEXT_ALIVE,
							     .mkey_mask = TARGET_ROWS - 1 };
	if (!whole && xrdma_slot_fill(&t->slots, t->slot, &maps, TARGET_ROWS - 1))
		errx(1, "%s", xrdma_error());
}

void target_open(struct target *t, __u32 slot)
{
	struct xrdma_device_row device = { .magic = XRDMA_ABI_MAGIC,
					   .abi_version = XRDMA_ABI_VERSION,
					   .addr_count = 2,
					   .mac = { 2, 0, 0, 0, 0, 2 } };

	target_load();
	*t = loaded;
	t->slot = slot;
	memset(t->heap_part.rows, 0, t->heap_part.size);
#define X(table, map, row) memset(t->tables.table.rows, 0, t->tables.table.size);
	XRDMA_CONTEXT_TABLES(X)
#undef X
	t->qps = t->tables.qps.rows;
	t->mkeys = t->tables.mkeys.rows;
	t->heap = t->heap_part.rows;
	t->queues = t->tables.queues.rows;
	t->sges = t->tables.segments.rows;
	t->layouts = t->tables.layouts.rows;
	t->cqes = t->tables.cqes.rows;
	t->cntrs = t->tables.cntrs.rows;
	inet_pton(AF_INET6, "::ffff:10.66.0.2", device.addrs[0]);
	inet_pton(AF_INET6, "fd66::2", device.addrs[1]);
	target_set_device(t, &device);
	clear_counters(t);
	enter(t);
}

int target_program(const struct target *t)
{
	return bpf_program__fd(target_is_at_tc ? t->tc->progs.xrdma_tc : t->bpf->progs.xrdma);
}

void target_drop(struct target *t, const char *outer)
{
	const bool heap = !strcmp(outer, "xrdma_heaps");
	const __u32 key = heap ? t->slot * XRDMA_HEAP_ARENAS : t->slot;

	if (bpf_map_delete_elem(bpf_object__find_map_fd_by_name(t->bpf->obj, outer), &key))
		err(1, "cannot take away a map of context %u", t->slot);
}

/* Read the counters of each of CPUS into EACH. */
static void read_counters(const struct target *t, struct xrdma_counters *each, int cpus)
{
	__u32 zero = 0;

	if (bpf_map__lookup_elem(t->bpf->maps.xrdma_counters, &zero, sizeof(zero), each,
				 cpus * sizeof(*each), 0))
		err(1, "cannot read the counters");
}

void target_counters(const struct target *t, struct xrdma_counters *sum)
{
	enum { COUNT = sizeof(*sum) / sizeof(__u64) };
	int cpus = libbpf_num_possible_cpus();
	struct xrdma_counters each[cpus];

	read_counters(t, each, cpus);
	memset(sum, 0, sizeof(*sum));
	for (int cpu = 0; cpu < cpus; cpu++)
		for (int i = 0; i < COUNT; i++)
			((__u64 *)sum)[i] += ((__u64 *)&each[cpu])[i];
}

/* Returns the verdict that was counted between BEFORE and AFTER, on any of CPUS. */
static enum xrdma_verdict one_verdict(const struct xrdma_counters *before,
				      const struct xrdma_counters *after, int cpus)
{
	int total = 0, verdict = 0;

	for (int cpu = 0; cpu < cpus; cpu++) {
		const __u64 *was = (const __u64 *)&before[cpu].verdicts;
		const __u64 *is = (const __u64 *)&after[cpu].verdicts;

		for (int v = 0; v < XRDMA_VERDICT_COUNT; v++) {
			total += is[v] - was[v];
			if (is[v] != was[v])
				verdict = v;
		}
	}
	if (total != 1)
		errx(1, "%d verdicts for one packet", total);
	return verdict;
}

bool target_can_split(const struct target *t)
{
	__u8 frame[512] = { 0 };
	struct xdp_md context = { .data = t->metadata,
				  .data_end = t->metadata + sizeof(struct ethhdr) };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = sizeof(frame),
		    .ctx_in = &context, .ctx_size_in = sizeof(context), .repeat = 1);

	return !target_is_at_tc && !bpf_prog_test_run_opts(target_program(t), &opts);
}

size_t target_frame_max(void)
{
	return target_is_at_tc ? 3500 : PACKET_MAX;
}

static int xdp_action(int action)
{
	if (!target_is_at_tc)
		return action;
	switch (action) {
	case TC_ACT_UNSPEC:
		return XDP_PASS;
	case TC_ACT_REDIRECT:
		return XDP_TX;
	default:
		return action == TC_ACT_SHOT ? XDP_DROP : XDP_ABORTED;
	}
}

/* Run the program with FRAME, and with the CONTEXT of LEN bytes, if there is one. */
static void run(struct target *t, const void *frame, size_t frame_len, void *context, size_t len,
		struct target_result *result)
{
	static __u8 in[256 + PACKET_MAX], out[sizeof(in)];
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = in, .data_size_in = t->metadata + frame_len,
		    .data_out = out, .data_size_out = sizeof(out), .repeat = 1, .ctx_in = context,
		    .ctx_size_in = len, .ctx_out = context, .ctx_size_out = len);
	int err;

	memcpy(in + t->metadata, frame, frame_len);
	err = bpf_prog_test_run_opts(target_program(t), &opts);
	if (err)
		errx(1, "test_run of %zu bytes: %s", frame_len, strerror(-err));
	result->action = xdp_action(opts.retval);
	result->len = opts.data_size_out - t->metadata;
	memcpy(result->frame, out + t->metadata, result->len);
	result->ns = opts.duration;
}

struct taken {
	struct xrdma_notice *notices;
	size_t count, max;
};

static int take_notice(void *of, void *notice, size_t size)
{
	struct taken *taken = of;

	if (size != sizeof(*taken->notices))
		errx(1, "a notice of %zu bytes", size);
	if (taken->count < taken->max)
		memcpy(&taken->notices[taken->count], notice, size);
	taken->count++;
	return 0;
}

size_t target_take_notices(struct target *t, struct xrdma_notice *notices, size_t max)
{
	struct taken taken = { .notices = notices, .max = max };
	struct ring_buffer *ring = ring_buffer__new(t->notices, take_notice, &taken, NULL);

	if (!ring)
		err(1, "cannot read notices");
	ring_buffer__consume(ring);
	ring_buffer__free(ring);
	return taken.count;
}

void target_run(struct target *t, const void *frame, size_t len, struct target_result *result)
{
	__u32 first_buffer = t->first_buffer ? t->first_buffer : len;
	struct xdp_md context = { .data = t->metadata, .data_end = t->metadata + first_buffer };
	bool has_context = t->first_buffer || t->metadata;
	const int cpus = libbpf_num_possible_cpus();
	struct xrdma_counters before[cpus], after[cpus];

	read_counters(t, before, cpus);
	run(t, frame, len, has_context ? &context : NULL, has_context ? sizeof(context) : 0,
	    result);
	read_counters(t, after, cpus);
	result->verdict = one_verdict(before, after, cpus);
}

void target_run_marked(struct target *t, const void *frame, size_t len, __u32 *mark,
		       struct target_result *result)
{
	struct __sk_buff context = { .mark = *mark };

	run(t, frame, len, &context, sizeof(context), result);
	*mark = context.mark;
}

void target_run_super(struct target *t, const void *frame, size_t len, __u32 segment, __u32 mark,
		      struct target_result *result)
{
	struct __sk_buff context = { .gso_size = segment, .mark = mark };

	run(t, frame, len, &context, sizeof(context), result);
}
