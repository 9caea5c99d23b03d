/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Definitions that shared sources need, for the XDP programs and for user space. */
#ifndef XRDMA_LIB_BASE_H
#define XRDMA_LIB_BASE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#ifdef __bpf__
#include <bpf/bpf_helpers.h>
#endif
#include <bpf/bpf_endian.h>

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

/* Load the word at AT, with any alignment. clang splits a copy of unknown alignment into bytes. */
static __always_inline __u64 xrdma_word(const void *at)
{
#ifdef __bpf__
	return *(const __u64 *)at;
#else
	__u64 word;

	__builtin_memcpy(&word, at, sizeof(word));
	return word;
#endif
}

#endif
