/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Orders to the other end, and their results, over TCP. Both machines must have the same byte order
 * and ABI.
 */
#ifndef XRDMA_TESTS_LINK_H
#define XRDMA_TESTS_LINK_H

#include <stdbool.h>
#include <stddef.h>

#define LINK_PORT 18600

/* Connect to ADDRESS within some seconds. Returns a socket or -1. */
int link_connect(const char *address);

/* Accept the first connection. Returns its socket or -1. */
int link_accept(void);

/* Send or receive all LEN bytes. Returns false if the other end has closed the connection. */
bool link_send(int link, const void *bytes, size_t len);
bool link_receive(int link, void *bytes, size_t len);

#endif
