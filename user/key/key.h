/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Rows of the key table. Each row is published under a key that cannot be guessed, and freed later.
 * The process has its own information on each key, protected by the lock of the keys. A peer that
 * invalidates a key changes only the row. The process updates its information when it next looks at
 * the key.
 */
#ifndef XRDMA_USER_KEY_KEY_H
#define XRDMA_USER_KEY_KEY_H

#include <xrdma/verdict.h>

#include "key/pd.h"
#include "key/user_keys.h"
#include "lib/epoch.h"
#include "lib/extents.h"
#include "lib/mutex.h"
#include "lib/rows.h"
#include "lib/worker.h"
#include "obj/access.h"

struct xrdma_mkey;
struct xrdma_mr;
struct xrdma_mw;
LIST_HEAD(xrdma_mr_list, xrdma_mr);
LIST_HEAD(xrdma_mw_list, xrdma_mw);

/* Information on the key in a row that XDP does not have. The lock of the keys protects it. */
struct xrdma_key_info {
	struct xrdma_mw *window;    /* the window that has the row, or NULL */
	struct xrdma_mkey *mkey;    /* the mkey that has the row, or NULL */
	struct xrdma_mw_list bound; /* the windows that are bound to the region in the row */
};

/* Keys of a context, and the tables that they need. */
struct xrdma_keys {
	struct xrdma_mkey_row *rows; /* MASK + 1 of them */
	__u32 mask;
	__u64 secret;		/* input of xrdma_key_make() */
	struct xrdma_rows free; /* rows of ROWS that are free */
	struct xrdma_mutex lock;
	struct xrdma_key_info *infos; /* one for each row */
	__u32 last_window;	      /* number of the last window; changes with LOCK */
	__u32 last_pd;		      /* number of the last protection domain */
	__u32 revoked;		      /* changes whenever keys were revoked */
	bool transforms;	      /* there was an mkey that may transform data */
	struct xrdma_epochs *epochs;  /* of the programs that use keys */
	struct xrdma_user_keys user_keys;
	struct xrdma_layout_row *layouts; /* entries of lists and patterns */
	struct xrdma_extents layout_space;
	struct xrdma_raw_key_row *raw_keys; /* mapped raw keys */
	struct xrdma_rows free_raw_keys;
	struct xrdma_cntr_row *cntrs; /* counters of regions */
	struct xrdma_rows free_cntrs;
	struct xrdma_worker registrar; /* thread that registers memory asynchronously */
};

/*
 * Set up KEYS, which are zeroed, for CONTEXT, whose tables have as many rows as ATTR says. Returns
 * 0 or, with xrdma_error() set, -errno. End KEYS with xrdma_keys_exit() in both cases.
 */
int xrdma_keys_init(struct xrdma_keys *keys, struct xrdma_context *context,
		    const struct xrdma_context_attr *attr);
void xrdma_keys_exit(struct xrdma_keys *keys);

/*
 * Returns key number GENERATION of row INDEX, in a table of MASK + 1 rows. The low bits of a key
 * are the index. The other bits cannot be guessed without SECRET. A key is repeated only after the
 * row has had all others.
 */
__u32 xrdma_key_make(__u64 secret, __u32 mask, __u32 index, __u32 generation);

/* Returns the next key for ROW, and counts it in ROW. */
__u32 xrdma_key_next(const struct xrdma_keys *keys, struct xrdma_mkey_row *row);

/*
 * Publish ROW under a new key, which is written to ROW->key. A peer that guesses a key must guess
 * all 32 bits. *INTO becomes the address of the published row. Thread safe. Returns 0 or -ENOMEM
 * (all rows are in use).
 */
int xrdma_key_publish(struct xrdma_keys *keys, struct xrdma_mkey_row *row,
		      struct xrdma_mkey_row **into);

/*
 * Add the user key REQUESTED to protection domain PD until xrdma_user_keys_remove(). A user key
 * never equals the key of a row. Returns 0, -XRDMA_ENOKEY (the key is in use), -EKEYREJECTED (it
 * has more than 32 bits), or -ENOMEM. Thread safe.
 */
int xrdma_key_request(struct xrdma_keys *keys, __u32 pd, __u64 requested);

/*
 * Revoke the key of ROW, and free the row. When this function returns, no access under the key can
 * touch memory any more. Thread safe for different rows.
 */
void xrdma_key_revoke(struct xrdma_keys *keys, struct xrdma_mkey_row *row);

/*
 * Set the state of ROW to STATE. When this function returns, all accesses that the former state
 * allowed have ended. The caller holds the lock of the keys.
 */
void xrdma_key_end(struct xrdma_keys *keys, struct xrdma_mkey_row *row, __u8 state);

/*
 * Invalidate KEY on behalf of queue pair QPN of PD. When this function returns, no access under KEY
 * can touch memory any more. Returns XRDMA_V_OK or XRDMA_V_INVALIDATE.
 */
enum xrdma_verdict xrdma_key_invalidate(const struct xrdma_pd *pd, __u32 qpn, __u32 key);

/*
 * Wait until all accesses under keys that are invalid now have ended. Thread safe. The caller of
 * xrdma_keys_quiesce_locked() holds the lock of the keys. The caller of xrdma_keys_quiesce() does
 * not.
 */
void xrdma_keys_quiesce(struct xrdma_keys *keys);
void xrdma_keys_quiesce_locked(struct xrdma_keys *keys);

/*
 * Returns the rights of a key that allows ACCESS, the flags of ibv_reg_mr(3), to the process and to
 * peers.
 */
static inline __u32 xrdma_key_rights(__u32 access)
{
	const __u32 written =
		access & XRDMA_ACCESS_LOCAL_WRITE ? XRDMA_ACCESS_READ | XRDMA_ACCESS_RECV : 0;

	return access | XRDMA_ACCESS_LOCAL_READ | XRDMA_ACCESS_WRITE | XRDMA_ACCESS_SEND | written;
}

/* Returns the row that has KEY, or NULL. */
static inline struct xrdma_mkey_row *xrdma_key_row(const struct xrdma_keys *keys, __u32 key)
{
	return keys->rows + xrdma_key_index(key, keys->mask);
}

/* Returns the information on the key in ROW. */
static inline struct xrdma_key_info *xrdma_key_info(const struct xrdma_keys *keys,
						    const struct xrdma_mkey_row *row)
{
	return &keys->infos[row - keys->rows];
}

#endif
