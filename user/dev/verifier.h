/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Why the kernel's verifier refused a program, of which libbpf prints the whole log. */
#ifndef XRDMA_USER_DEV_VERIFIER_H
#define XRDMA_USER_DEV_VERIFIER_H

#include <bpf/libbpf.h>

/*
 * A print function for libbpf that prints nothing, and keeps for this thread what the verifier said
 * last.
 */
int xrdma_verifier_listen(enum libbpf_print_level level, const char *format, va_list args);

/*
 * What it kept, "" where the verifier refused nothing, until the next call in this thread. It
 * forgets it.
 */
const char *xrdma_verifier_said(void);

#endif
