/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef XRDMA_TESTS_NETNS_H
#define XRDMA_TESTS_NETNS_H

#include <stdbool.h>

/* Move this thread to the network namespace NAME (ip-netns(8)). */
bool netns_enter(const char *name);

#endif
