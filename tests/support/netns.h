/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef XRDMA_TESTS_NETNS_H
#define XRDMA_TESTS_NETNS_H

#include <stdbool.h>

/* This thread goes on in the network namespace that ip-netns(8) knows as NAME. */
bool netns_enter(const char *name);

#endif
