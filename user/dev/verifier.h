/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Find out why the kernel refused a program. libbpf prints the verifier's whole log when a program
 * is refused. It prints the kernel's reason (extack) when a netdev refuses a program.
 */
#ifndef XRDMA_USER_DEV_VERIFIER_H
#define XRDMA_USER_DEV_VERIFIER_H

#include <bpf/libbpf.h>

/*
 * Print function for libbpf. It prints nothing, but keeps the verifier's last message and the last
 * extack of this thread.
 */
int xrdma_verifier_print(enum libbpf_print_level level, const char *format, va_list args);

/*
 * Returns the messages of the verifier and forgets them, or "" if it refused nothing. They are
 * valid until the next call in this thread.
 */
const char *xrdma_verifier_message(void);

/*
 * Returns the kernel's last reason for refusing to attach a program, and forgets it, or "" if there
 * is none. The text is valid until the next call in this thread.
 */
const char *xrdma_extack_message(void);

#endif
