/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Why the kernel refused a program: libbpf prints the whole log of its verifier, and the reason
 * (extack) why a netdev does not take the program.
 */
#ifndef XRDMA_USER_DEV_VERIFIER_H
#define XRDMA_USER_DEV_VERIFIER_H

#include <bpf/libbpf.h>

/*
 * A print function for libbpf that prints nothing, and keeps for this thread what the verifier said
 * last, and the last extack.
 */
int xrdma_verifier_listen(enum libbpf_print_level level, const char *format, va_list args);

/*
 * Return the messages of the verifier, "" if it refused nothing, and forget them. They are valid
 * until the next call in this thread.
 */
const char *xrdma_verifier_said(void);

/*
 * Returns the reason that the kernel gave last when it did not attach a program, and forgets it; ""
 * if it gave none. The text is good until the thread calls this again.
 */
const char *xrdma_extack_said(void);

#endif
