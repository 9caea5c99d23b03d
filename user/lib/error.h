/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Error messages. */
#ifndef XRDMA_USER_LIB_ERROR_H
#define XRDMA_USER_LIB_ERROR_H

#include <xrdma/error.h>

enum { XRDMA_ERROR_MAX = 512 }; /* bytes of a message, with its final 0 */

/* Set the message that xrdma_error() returns in this thread. Returns -ERR. */
int xrdma_fail(int err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
