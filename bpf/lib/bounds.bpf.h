/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What the verifier needs to see that an access is within bounds. Nowhere else is code written for
 * its sake.
 */
#ifndef XRDMA_LIB_BOUNDS_BPF_H
#define XRDMA_LIB_BOUNDS_BPF_H

#include "lib/base.h"

/*
 * A copy of VALUE, of which clang knows nothing. It takes the difference of two pointers apart:
 * "32-bit pointer arithmetic prohibited".
 */
#define XRDMA_OPAQUE(value)                       \
	({                                        \
		__u64 opaque_ = (value);          \
		asm volatile("" : "+r"(opaque_)); \
		opaque_;                          \
	})

/*
 * Whether CONDITION holds of VARIABLE, of 64 bits, of which the register is used afterwards that
 * was tested. Without it clang tests one and uses another ("R4 unbounded memory access", "R2 min
 * value is negative", "R4 invalid zero-sized read"), or a copy from the stack, of which Linux 6.1
 * learns nothing ("R3 max value is outside of the allowed memory range").
 */
#define XRDMA_TEST(variable, condition)             \
	(({                                         \
		 asm volatile("" : "+r"(variable)); \
		 condition;                         \
	 }) &&                                      \
	 ({                                         \
		 asm volatile("" : "+r"(variable)); \
		 true;                              \
	 }))
#define XRDMA_WITHIN(variable, max)   XRDMA_TEST(variable, (variable) <= (__u64)(max))
#define XRDMA_AT_LEAST(variable, min) XRDMA_TEST(variable, (variable) >= (__u64)(min))

/*
 * Make the compiler read map values again from here on. The verifier forgets these values too, so
 * it merges paths that differ only in them. Without this, each VLAN tag and IP version multiplies
 * the number of states that the verifier explores.
 */
#define XRDMA_FORGET() asm volatile("" ::: "memory")

/*
 * A global function: it is verified once, for any arguments, and not for each state of each of its
 * callers. Pointers that it gets may be NULL, and what they point to holds no pointers.
 */
#define XRDMA_VERIFIED_ONCE __noinline

#ifdef __bpf__
/*
 * VALUE, of which the verifier forgets all it knew: it takes the result of a global function for
 * any number. Where two branches meet, it then sees one state instead of two; without it a chain of
 * twelve tests took 200,000 instructions to verify, and now takes a few hundred.
 */
XRDMA_VERIFIED_ONCE __u32 xrdma_unknown(__u32 value)
{
	asm volatile("" : "+r"(value)); /* or clang knows the result and keeps using the argument */
	return value;
}
#endif

#endif
