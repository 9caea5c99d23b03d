/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The server of xrdma perf. */
#ifndef XRDMA_TOOLS_PERF_SERVER_H
#define XRDMA_TOOLS_PERF_SERVER_H

#include <stdbool.h>

/*
 * Serve clients at PORT, on DEVICE, until it is ended; or one, if ONCE. Returns an exit status.
 */
int perf_serve(const char *device, const char *port, bool once);

#endif
