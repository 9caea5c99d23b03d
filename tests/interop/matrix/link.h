/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Orders to the other end, and their outcomes, by TCP; both machines are of one kind. */
#ifndef XRDMA_TESTS_LINK_H
#define XRDMA_TESTS_LINK_H

#include <stdbool.h>
#include <stddef.h>

#define LINK_PORT 18600

/* A socket to whoever listens on ADDRESS, within some seconds, or -1. */
int link_connect(const char *address);

/* Accept the first connection. Returns its socket or -1. */
int link_accept(void);

/* All LEN bytes. False: the other end has closed. */
bool link_send(int link, const void *bytes, size_t len);
bool link_receive(int link, void *bytes, size_t len);

#endif
