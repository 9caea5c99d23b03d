/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What sources shared by the XDP programs and user space need of either side. */
#ifndef XRDMA_LIB_BOTH_BPF_H
#define XRDMA_LIB_BOTH_BPF_H

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

#endif
