/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Capabilities of a thread (capabilities(7)). */
#ifndef XRDMA_USER_LIB_CAPABILITY_H
#define XRDMA_USER_LIB_CAPABILITY_H

#include <linux/capability.h>
#include <stdbool.h>

/* Returns whether the calling thread has CAPABILITY, a CAP_* number, in its user namespace. */
bool xrdma_has_capability(int capability);

#endif
