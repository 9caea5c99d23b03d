/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The maps of a device, and what the maps of a context must look like. */
#ifndef XRDMA_MAPS_BPF_H
#define XRDMA_MAPS_BPF_H

#include "lib/both.bpf.h"
#include "pkt.bpf.h"
#include <xrdma/abi.h>

/* Where a run keeps what does not fit its stack of 512 bytes. */
struct xrdma_scratch {
	struct xrdma_frame frame;
	struct xrdma_pkt pkt;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct xrdma_scratch);
} xrdma_scratch SEC(".maps");

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

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
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

/* A context brings maps of these shapes, each with as many entries as it asked for. */
#define XRDMA_CONTEXT_MAP(name, row)                                 \
	struct name##_of {                                           \
		__uint(type, BPF_MAP_TYPE_ARRAY);                    \
		__uint(map_flags, BPF_F_MMAPABLE | BPF_F_INNER_MAP); \
		__uint(max_entries, 1);                              \
		__type(key, __u32);                                  \
		__type(value, row);                                  \
	};                                                           \
	struct {                                                     \
		__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);            \
		__uint(max_entries, XRDMA_CONTEXTS_MAX);             \
		__type(key, __u32);                                  \
		__array(values, struct name##_of);                   \
	} name SEC(".maps")

struct xrdma_heap_element {
	__u8 bytes[XRDMA_HEAP_ELEMENT];
};

XRDMA_CONTEXT_MAP(xrdma_qps, struct xrdma_qp_row);
XRDMA_CONTEXT_MAP(xrdma_mkeys, struct xrdma_mkey_row);
XRDMA_CONTEXT_MAP(xrdma_heaps, struct xrdma_heap_element);

/* libbpf 1.1 finds the types of a context's rows only where a variable has them. */
const struct xrdma_qp_row *xrdma_qp_type __attribute__((unused));
const struct xrdma_mkey_row *xrdma_mkey_type __attribute__((unused));
const struct xrdma_heap_element *xrdma_heap_type __attribute__((unused));

#endif
