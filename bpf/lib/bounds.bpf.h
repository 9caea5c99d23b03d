/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Hints for the verifier, so that it sees that an access is within bounds. No other file has code
 * for its sake.
 */
#ifndef XRDMA_LIB_BOUNDS_BPF_H
#define XRDMA_LIB_BOUNDS_BPF_H

#include "lib/base.h"

/*
 * Copy VALUE so that clang knows nothing about the copy. Otherwise clang splits the difference of
 * two pointers: "32-bit pointer arithmetic prohibited".
 */
#define XRDMA_OPAQUE(value)                       \
	({                                        \
		__u64 opaque_ = (value);          \
		asm volatile("" : "+r"(opaque_)); \
		opaque_;                          \
	})

/*
 * Test CONDITION on VARIABLE, of 64 bits, in the register that is used afterwards. Otherwise clang
 * tests one register and uses another ("R4 unbounded memory access", "R2 min value is negative",
 * "R4 invalid zero-sized read"), or a copy on the stack, from which Linux 6.1 learns nothing ("R3
 * max value is outside of the allowed memory range").
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
 * Declare a global function. It is verified once, for any arguments, not for each state of each
 * caller. Its pointers may be NULL, and memory behind them contains no pointers.
 */
#define XRDMA_VERIFIED_ONCE __noinline

#ifdef __bpf__
/*
 * Return VALUE and let the verifier forget it: the result of a global function may be any number.
 * So the verifier sees one state after two branches instead of two. Without this a chain of twelve
 * tests took 200,000 instructions to verify; now it takes a few hundred.
 */
XRDMA_VERIFIED_ONCE __u32 xrdma_unknown(__u32 value)
{
	asm volatile("" : "+r"(value)); /* so that clang does not go on using the argument */
	return value;
}
#endif

#endif
