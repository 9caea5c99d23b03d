/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Keys that the program chose for its regions: the map by which XDP finds for one the key of a row,
 * which the library chose. Thread safe. Errors set xrdma_error().
 */
#ifndef XRDMA_USER_KEY_USER_KEYS_H
#define XRDMA_USER_KEY_USER_KEYS_H

#include "lib/mutex.h"
#include "obj/context.h"

struct xrdma_user_keys {
	struct xrdma_context *context;
	__u32 rows; /* of the context's keys */
	struct xrdma_mutex
		lock; /* held while MAP is created, and while keys are added or removed */
	int map;      /* file descriptor; -1: no key was user_keys yet */
};

/* There are to be user keys of CONTEXT, which has ROWS keys. */
void xrdma_user_keys_init(struct xrdma_user_keys *user_keys, struct xrdma_context *context,
			  __u32 rows);
void xrdma_user_keys_exit(struct xrdma_user_keys *user_keys);

/*
 * Take the key KEY for the protection domain PD. It stands for nothing yet. Returns 0,
 * -XRDMA_ENOKEY (PD has it), -ENOMEM.
 */
int xrdma_user_keys_add(struct xrdma_user_keys *user_keys, __u32 pd, __u32 key);

/* From now on KEY, which was added, stands for ROW_KEY, that of a row. Returns 0 or -ENOMEM. */
int xrdma_user_keys_set(struct xrdma_user_keys *user_keys, __u32 pd, __u32 key, __u32 row_key);

/* KEY stands for nothing any more, but what peers began by it goes on. */
void xrdma_user_keys_remove(struct xrdma_user_keys *user_keys, __u32 pd, __u32 key);

/* Whether KEY was user_keys, for any protection domain. Asks the kernel, if any key was. */
bool xrdma_user_keys_has(const struct xrdma_user_keys *user_keys, __u32 key);

#endif
