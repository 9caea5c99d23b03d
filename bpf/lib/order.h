/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What stands in maps is written by one side while the other reads it. Whoever hands something over
 * writes it, then PUBLISHes the field that says so; whoever OBSERVEs that field sees all that was
 * written before. For both sides.
 */
#ifndef XRDMA_LIB_ORDER_H
#define XRDMA_LIB_ORDER_H

#include "lib/base.h"

/*
 * A field that the other side may change at any time is READ once, so that what was tested is what
 * is used, and WRITTEN as a whole.
 */
#ifdef __bpf__
#define XRDMA_READ(field)	  (*(const volatile __typeof__(field) *)&(field))
#define XRDMA_WRITE(field, value) (*(volatile __typeof__(field) *)&(field) = (value))

/*
 * Add to a field, or set bits of it. BPF has no other barrier than an atomic that returns the old
 * value, which is a full one, and clang takes one that does not where the result is unused.
 */
#define XRDMA_ATOMIC(operation, field, value)                           \
	({                                                              \
		__typeof__(field) before_ = operation(&(field), value); \
		asm volatile("" ::"r"(before_) : "memory");             \
		before_;                                                \
	})
#define XRDMA_ADD(field, value) XRDMA_ATOMIC(__sync_fetch_and_add, field, value)
#define XRDMA_SET(field, bits)	XRDMA_ATOMIC(__sync_fetch_and_or, field, bits)

/* The build says for which machine: x86 keeps the order of loads and that of stores by itself. */
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
