/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The maps of a device, and the types of a context's maps. */
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

/* Addresses of the device for which its row has no room. */
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

/* The number of entries is set to the number of CPUs when the program is loaded. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct xrdma_epoch);
} xrdma_epochs SEC(".maps");

/*
 * Table of a context, with the requested number of rows. It is declared by sizes, because Linux 6.1
 * refuses an inner map without types if the outer map has types.
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

/* Arenas of heaps; those of a context are consecutive. */
TABLES(xrdma_heaps, xrdma_heap_element, XRDMA_CONTEXTS_MAX *XRDMA_HEAP_ARENAS)
#undef TABLES

/* Map from user keys to the keys of rows. */
struct xrdma_user_keys_of {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(struct xrdma_user_key));
	__uint(value_size, sizeof(__u32));
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, XRDMA_CONTEXTS_MAX);
	__type(key, __u32);
	__array(values, struct xrdma_user_keys_of);
} xrdma_user_keys SEC(".maps");

/* Rings for notices to processes (struct xrdma_notice). */
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

/* Dummy that brings the types of rows into the BTF, so that xrdma show knows their fields. */
static const struct {
	struct xrdma_qp_row qp;
	struct xrdma_mkey_row mkey;
	struct xrdma_queue_row queue;
} xrdma_row_types __attribute__((used)) = {};

/* Return row INDEX of the context's table in OUTER, or NULL. */
static __always_inline void *xrdma_row(void *outer, __u32 slot, __u32 index)
{
	void *table = bpf_map_lookup_elem(outer, &slot);

	return table ? bpf_map_lookup_elem(table, &index) : NULL;
}

#endif
