// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Measure the time of WRITEs by other keys than that of a region. For WRITEs by the key of a
 * window, an mkey, or a region of several buffers, the baseline is a WRITE by the key of a region.
 * For WRITEs by one of many user keys, the baseline is a WRITE by the only one.
 */
#include <bpf/bpf.h>
#include <err.h>
#include <stdlib.h>
#include <unistd.h>
#include <xrdma/error.h>

#include "bench.h"
#include "call.h"

enum { REQUESTED = 7 };

static __u32 write_to(struct target *t, __u32 key, __u64 va, size_t len)
{
	__u8 frame[PACKET_MAX];
	const struct packet packet = {
		.opcode = XRDMA_RC_WRITE_ONLY,
		.dest_qpn = t->slot << XRDMA_QPN_INDEX_BITS | BENCH_ROW,
		.psn = t->qps[BENCH_ROW].resp.psn | XRDMA_BTH_ACKREQ,
		.key = key,
		.va = va,
		.length = len,
		.payload_len = len,
	};

	return bench_call(target_program(t), frame, packet_build(&packet, frame));
}

/* SIZE bytes at FIRST, under a key. WRITEs begin at multiples of STEP. */
struct place {
	__u32 key;
	__u32 size;
	__u32 step;
	__u64 first;
};

/* Measure WRITEs of LEN bytes. The baseline is a WRITE by the region's key. */
static void run_writes(struct target *t, const char *name, const struct place *place, size_t len)
{
	const int calls = bench_rounds(BENCH_CALLS), warm_up = bench_rounds(BENCH_WARM_UP);
	static __u32 ours[BENCH_CALLS], theirs[BENCH_CALLS];
	struct xrdma_counters before, after;

	target_counters(t, &before);
	for (int i = -warm_up; i < calls; i++) {
		__u64 offset = (__u64)(i + warm_up) * place->step % (place->size - len + 1);

		theirs[i < 0 ? 0 : i] = write_to(t, BENCH_KEY, BENCH_BASE + offset, len);
		ours[i < 0 ? 0 : i] = write_to(t, place->key, place->first + offset, len);
	}
	target_counters(t, &after);
	if ((int)(after.verdicts.OK - before.verdicts.OK) != 2 * (calls + warm_up))
		errx(1, "%s: not every request was carried out", name);
	bench_report(name, "ns", bench_median(ours, calls), bench_median(theirs, calls));
}

/* Bind a window of type 2B to the whole region. */
static struct place add_window(struct target *t)
{
	const __u32 key = BENCH_KEY + (1 << XRDMA_KEY_INDEX_SHIFT);
	struct xrdma_mkey_row *window = &t->mkeys[key >> XRDMA_KEY_INDEX_SHIFT];

	*window = t->mkeys[BENCH_KEY >> XRDMA_KEY_INDEX_SHIFT];
	window->key = key;
	window->kind = XRDMA_MKEY_KIND_MW2B;
	window->qpn = t->slot << XRDMA_QPN_INDEX_BITS | BENCH_ROW;
	window->rights = XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_INVALIDATE;
	window->parent = BENCH_KEY;
	return (struct place){ .key = key, .size = BENCH_REGION, .step = 64, .first = BENCH_BASE };
}

/*
 * Create an mkey of COUNT entries of LENGTH bytes, with gaps of LENGTH bytes, repeated REPEAT
 * times.
 */
static struct place set_mkey(struct target *t, __u32 count, __u32 length, __u32 repeat)
{
	const __u32 key = BENCH_KEY + (2 << XRDMA_KEY_INDEX_SHIFT);

	for (__u32 i = 0; i < count; i++)
		t->layouts[i / XRDMA_LAYOUT_ROW].entries[i % XRDMA_LAYOUT_ROW] =
			(struct xrdma_layout_entry){
				.addr = BENCH_BASE + 2 * i * length,
				.at = i * length,
				.length = length,
				.skip = (2 * count - 1) * length,
				.lkey = BENCH_KEY,
			};
	t->mkeys[key >> XRDMA_KEY_INDEX_SHIFT] = (struct xrdma_mkey_row){
		.key = key,
		.kind = repeat == 1 ? XRDMA_MKEY_KIND_LIST : XRDMA_MKEY_KIND_INTERLEAVED,
		.state = XRDMA_MKEY_STATE_VALID,
		.rights = XRDMA_ACCESS_REMOTE_WRITE,
		.len = (__u64)repeat * count * length,
		.layout_count = count,
		.round = count * length,
	};
	return (struct place){ .key = key, .size = repeat * count * length, .step = length };
}

/* Register a region of 64 buffers of 4 KiB, each with a key of its own. */
static struct place add_buffers(struct target *t)
{
	enum { BUFFERS = XRDMA_LAYOUT_ENTRIES_MAX, BUFFER = 4096, FIRST = 100 };
	struct place place = set_mkey(t, BUFFERS, BUFFER, 1);

	for (__u32 i = 0; i < BUFFERS; i++) {
		struct xrdma_mkey_row *row = &t->mkeys[FIRST + i];
		struct xrdma_layout_entry *entry =
			&t->layouts[i / XRDMA_LAYOUT_ROW].entries[i % XRDMA_LAYOUT_ROW];

		*row = t->mkeys[BENCH_KEY >> XRDMA_KEY_INDEX_SHIFT];
		row->key = entry->lkey = (FIRST + i) << XRDMA_KEY_INDEX_SHIFT;
	}
	place.step = 1024;
	return place;
}

/* Add COUNT user keys, beginning with REQUESTED, for the region in its domain. */
static void request(struct target *t, __u32 count)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	struct xrdma_user_key asked = { .pd = t->qps[BENCH_ROW].pd };
	int map = bpf_map_create(BPF_MAP_TYPE_HASH, "requested", sizeof(asked), sizeof(__u32),
				 count, &opts);
	const __u32 key = BENCH_KEY;

	for (__u32 i = 0; i < count; i++) {
		asked.key = REQUESTED + i;
		if (bpf_map_update_elem(map, &asked, &key, BPF_ANY))
			err(1, "requested key %u of %u", i, count);
	}
	if (xrdma_slot_add_user_keys(&t->slots, t->slot, map))
		errx(1, "%s", xrdma_error());
	close(map);
}

/* Returns the time in ns of a WRITE by any of COUNT user keys. */
static double write_by(struct target *t, __u32 count)
{
	const int calls = bench_rounds(BENCH_CALLS);
	static __u32 ns[BENCH_CALLS];

	for (int i = 0; i < calls; i++)
		ns[i] = write_to(t, REQUESTED + random() % count, BENCH_BASE, 64);
	return bench_median(ns, calls);
}

/*
 * Measure WRITEs with one user key, and with 2^20 of them: by one of these, and by any of these. If
 * the time depended on the number of keys, both would show it. The last also contains cache misses.
 */
static void run_requested(struct target *t)
{
	const __u32 many = bench_rounds(1 << 20);
	double one;

	request(t, 1);
	write_by(t, 1);
	one = write_by(t, 1);
	request(t, many);
	write_by(t, 1);
	bench_report("key_lookup_1m", "ns", write_by(t, 1), one);
	bench_report("key_lookup_1m_any", "ns", write_by(t, many), one);
}

/*
 * Measure mkeys. Each WRITE has four parts, or 128 for the last mkey, which is like a column of
 * words. The memory is small and fits into the caches, because baseline and mkey write to different
 * places.
 */
static void run_mkeys(struct target *t)
{
	enum { LEN = 1024, PART = LEN / 4, ALL = 16 * LEN };
	struct place place = set_mkey(t, 4, PART, 1);

	run_writes(t, "responder_write_1024_list4", &place, LEN);
	place = set_mkey(t, 1, PART, ALL / PART);
	run_writes(t, "responder_write_1024_interleaved", &place, LEN);
	place = set_mkey(t, 1, 8, ALL / 8);
	run_writes(t, "responder_write_1024_column", &place, LEN);
	place = add_buffers(t);
	run_writes(t, "responder_write_1024_regv64", &place, LEN);
}

void bench_keys(struct target *t)
{
	const struct place window = add_window(t);

	run_writes(t, "responder_write_1024_mw", &window, 1024);
	run_mkeys(t);
	run_requested(t);
}
