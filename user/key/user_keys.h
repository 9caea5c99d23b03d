/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * User keys: keys that the program chose for its regions. A map from user keys to the rows' keys is
 * used by XDP. Thread safe. Errors set xrdma_error().
 */
#ifndef XRDMA_USER_KEY_USER_KEYS_H
#define XRDMA_USER_KEY_USER_KEYS_H

#include "lib/mutex.h"
#include "obj/context.h"

struct xrdma_user_keys {
	struct xrdma_context *context;
	__u32 rows;		 /* number of rows in the key table */
	struct xrdma_mutex lock; /* held while MAP is created, and while it changes */
	int map;		 /* file descriptor; -1: there was no user key yet */
};

/* Set up the user keys of CONTEXT, which has ROWS rows in its key table. */
void xrdma_user_keys_init(struct xrdma_user_keys *user_keys, struct xrdma_context *context,
			  __u32 rows);
void xrdma_user_keys_exit(struct xrdma_user_keys *user_keys);

/*
 * Add user key KEY to protection domain PD. It leads to no row yet. Returns 0, -XRDMA_ENOKEY (PD
 * has it already), or -ENOMEM.
 */
int xrdma_user_keys_add(struct xrdma_user_keys *user_keys, __u32 pd, __u32 key);

/* Make KEY, which was added, lead to the row with ROW_KEY. Returns 0 or -ENOMEM. */
int xrdma_user_keys_set(struct xrdma_user_keys *user_keys, __u32 pd, __u32 key, __u32 row_key);

/* Remove KEY. Requests that peers have begun under it go on. */
void xrdma_user_keys_remove(struct xrdma_user_keys *user_keys, __u32 pd, __u32 key);

/*
 * Returns whether KEY is a user key of any protection domain. If there was ever one, this takes a
 * system call.
 */
bool xrdma_user_keys_has(const struct xrdma_user_keys *user_keys, __u32 key);

#endif
