/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The maps of a device, and what the maps of a context must look like. */
#ifndef XRDMA_OBJ_MAPS_BPF_H
#define XRDMA_OBJ_MAPS_BPF_H

#include "lib/base.h"
#include <xrdma/abi/device.h>

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct xrdma_counters);
} xrdma_counters SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct xrdma_device_row);
} xrdma_device SEC(".maps");

/* The device's addresses that its row has no place for. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, XRDMA_MORE_ADDRS_MAX);
	__type(key, __be32[4]);
	__type(value, __u8);
} xrdma_addrs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, XRDMA_CONTEXTS_MAX);
	__type(key, __u32);
	__type(value, struct xrdma_context_row);
} xrdma_contexts SEC(".maps");

/* Sized to the machine's CPUs when it is loaded. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct xrdma_epoch);
} xrdma_epochs SEC(".maps");

/*
 * A context's table, with as many rows as it asked for. Of sizes, not of types: Linux 6.1 refuses a
 * table without types where the outer map was promised one with.
 */
#define TABLES(map, row, count)                                      \
	struct map##_of {                                            \
		__uint(type, BPF_MAP_TYPE_ARRAY);                    \
		__uint(map_flags, BPF_F_MMAPABLE | BPF_F_INNER_MAP); \
		__uint(max_entries, 1);                              \
		__uint(key_size, sizeof(__u32));                     \
		__uint(value_size, sizeof(struct row));              \
	};                                                           \
	struct {                                                     \
		__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);            \
		__uint(max_entries, count);                          \
		__type(key, __u32);                                  \
		__array(values, struct map##_of);                    \
	} map SEC(".maps");
#define X(table, map, row) TABLES(map, row, XRDMA_CONTEXTS_MAX)
XRDMA_CONTEXT_TABLES(X)
#undef X

/* Parts of heaps, those of a context one after the other. */
TABLES(xrdma_heaps, xrdma_heap_element, XRDMA_CONTEXTS_MAX *XRDMA_HEAP_PARTS)
#undef TABLES

/* The keys that programs requested, to those of the rows that they stand for. */
struct xrdma_requested_of {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(struct xrdma_requested_key));
	__uint(value_size, sizeof(__u32));
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, XRDMA_CONTEXTS_MAX);
	__type(key, __u32);
	__array(values, struct xrdma_requested_of);
} xrdma_requested SEC(".maps");

/* The rings in which XDP writes notices to processes (struct xrdma_notice). */
struct xrdma_notices_of {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, XRDMA_CONTEXTS_MAX);
	__type(key, __u32);
	__array(values, struct xrdma_notices_of);
} xrdma_notices SEC(".maps");

/*
 * Never read. It brings the types of the rows into the BTF, by which xrdma show names their fields.
 */
static const struct {
	struct xrdma_qp_row qp;
	struct xrdma_mkey_row mkey;
	struct xrdma_queue_row queue;
} xrdma_row_types __attribute__((used)) = {};

/* Row INDEX of the table that the context in SLOT has in OUTER, or NULL. */
static __always_inline void *xrdma_row(void *outer, __u32 slot, __u32 index)
{
	void *table = bpf_map_lookup_elem(outer, &slot);

	return table ? bpf_map_lookup_elem(table, &index) : NULL;
}

#endif
