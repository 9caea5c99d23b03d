/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Store order in maps, for both sides. One side writes fields while the other reads them. To hand
 * something over, write it, and then PUBLISH a field that announces it. A reader that OBSERVEs this
 * field sees everything written before.
 */
#ifndef XRDMA_LIB_ORDER_H
#define XRDMA_LIB_ORDER_H

#include "lib/base.h"

/*
 * READ a field once if the other side may change it at any time, so that the tested value is the
 * used one. WRITE stores a field as a whole.
 */
#ifdef __bpf__
#define XRDMA_READ(field)	  (*(const volatile __typeof__(field) *)&(field))
#define XRDMA_WRITE(field, value) (*(volatile __typeof__(field) *)&(field) = (value))

/*
 * Add to a field, or set bits of it. BPF has no other barrier than an atomic that returns the old
 * value: it is a full one. clang uses another one if the result is unused.
 */
#define XRDMA_ATOMIC(operation, field, value)                           \
	({                                                              \
		__typeof__(field) before_ = operation(&(field), value); \
		asm volatile("" ::"r"(before_) : "memory");             \
		before_;                                                \
	})
#define XRDMA_ADD(field, value) XRDMA_ATOMIC(__sync_fetch_and_add, field, value)
#define XRDMA_SET(field, bits)	XRDMA_ATOMIC(__sync_fetch_and_or, field, bits)

/* The machine of the build: x86 keeps the order of loads, and the order of stores. */
#ifdef __TARGET_ARCH_x86
#define XRDMA_FENCE() asm volatile("" ::: "memory")
#else
#define XRDMA_FENCE()                 \
	({                            \
		__u64 fence_ = 0;     \
		XRDMA_ADD(fence_, 1); \
	})
#endif
#define XRDMA_PUBLISH(field, value)        \
	({                                 \
		XRDMA_FENCE();             \
		XRDMA_WRITE(field, value); \
	})
#define XRDMA_OBSERVE(field)                                     \
	({                                                       \
		__typeof__(field) observed_ = XRDMA_READ(field); \
		XRDMA_FENCE();                                   \
		observed_;                                       \
	})
#else
#define XRDMA_READ(field)	    __atomic_load_n(&(field), __ATOMIC_RELAXED)
#define XRDMA_WRITE(field, value)   __atomic_store_n(&(field), value, __ATOMIC_RELAXED)
#define XRDMA_PUBLISH(field, value) __atomic_store_n(&(field), value, __ATOMIC_RELEASE)
#define XRDMA_OBSERVE(field)	    __atomic_load_n(&(field), __ATOMIC_ACQUIRE)
#endif

#endif
