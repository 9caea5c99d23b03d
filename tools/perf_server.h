/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Server of xrdma perf. */
#ifndef XRDMA_TOOLS_PERF_SERVER_H
#define XRDMA_TOOLS_PERF_SERVER_H

#include <stdbool.h>

/*
 * Serve clients at PORT on DEVICE until the process is ended, or one client if ONCE is set. Returns
 * an exit status.
 */
int perf_serve(const char *device, const char *port, bool once);

#endif
