/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Rows of the key table: handed out under keys that cannot be guessed, and taken back. The process
 * keeps information of its own on each key, which it changes with the lock of the keys. A peer that
 * ends a key changes the row alone. The information follows when the process looks at it.
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

/* The keys of a context, and what belongs to them. */
struct xrdma_keys {
	struct xrdma_mkey_row *rows; /* MASK + 1 of them */
	__u32 mask;
	__u64 secret;		/* from which keys are made */
	struct xrdma_rows free; /* of ROWS */
	struct xrdma_mutex lock;
	struct xrdma_key_info *infos; /* by row */
	__u32 last_window;	      /* the number of the last window; changes with LOCK */
	__u32 last_pd;		      /* the number of the last protection domain */
	__u32 revoked;		      /* changes after keys were revoked */
	bool transforms;	      /* an mkey was created whose data may be transformed */
	struct xrdma_epochs *epochs;  /* in which XDP uses keys */
	struct xrdma_user_keys user_keys;
	struct xrdma_layout_row *layouts; /* the entries of lists and patterns */
	struct xrdma_extents layout_space;
	struct xrdma_raw_key_row *raw_keys; /* that were mapped */
	struct xrdma_rows free_raw_keys;
	struct xrdma_cntr_row *cntrs; /* of regions */
	struct xrdma_rows free_cntrs;
	struct xrdma_worker registrar; /* registers what is reported to an event queue */
};

/*
 * Set up KEYS, which are zeroed, for CONTEXT, whose tables have as many rows as ATTR says. Returns
 * 0 or, with xrdma_error() set, -errno. End KEYS with xrdma_keys_exit() in both cases.
 */
int xrdma_keys_init(struct xrdma_keys *keys, struct xrdma_context *context,
		    const struct xrdma_context_attr *attr);
void xrdma_keys_exit(struct xrdma_keys *keys);

/*
 * Key number GENERATION of row INDEX of a table of MASK + 1 rows: the index, and in all other bits
 * a value that whoever does not know SECRET cannot guess. It comes again when the row has had all
 * others.
 */
__u32 xrdma_key_make(__u64 secret, __u32 mask, __u32 index, __u32 generation);

/* The next key for ROW, which keeps count of them. */
__u32 xrdma_key_next(const struct xrdma_keys *keys, struct xrdma_mkey_row *row);

/*
 * Publish ROW under a new key, which is written to ROW->key. *INTO is where it stands. A made-up
 * key must match all 32 bits. Thread safe. Returns 0 or -ENOMEM: all rows are in use.
 */
int xrdma_key_publish(struct xrdma_keys *keys, struct xrdma_mkey_row *row,
		      struct xrdma_mkey_row **into);

/*
 * Take the key REQUESTED for the protection domain PD, as xrdma_user_keys_add() does, until
 * xrdma_user_keys_remove(). No key is requested and a row's too. Returns 0, -XRDMA_ENOKEY (it is in
 * use), -EKEYREJECTED (it has more than 32 bits), -ENOMEM. Thread safe.
 */
int xrdma_key_request(struct xrdma_keys *keys, __u32 pd, __u64 requested);

/*
 * When it returns, no access under the row's key can touch memory any more, and the row is given
 * back. Thread safe, for several rows.
 */
void xrdma_key_revoke(struct xrdma_keys *keys, struct xrdma_mkey_row *row);

/*
 * Put ROW into STATE. When it returns, no access that its key was good for before is under way any
 * more. The caller holds the lock of the keys.
 */
void xrdma_key_end(struct xrdma_keys *keys, struct xrdma_mkey_row *row, __u8 state);

/*
 * End KEY, for queue pair QPN of PD: when it returns, no access under it can touch memory any more.
 * Returns XRDMA_V_OK or XRDMA_V_INVALIDATE.
 */
enum xrdma_verdict xrdma_key_invalidate(const struct xrdma_pd *pd, __u32 qpn, __u32 key);

/*
 * Wait until nothing uses a key that is invalid now. Thread safe. The caller of
 * xrdma_keys_quiesce_locked() holds the lock of the keys, the caller of xrdma_keys_quiesce() does
 * not.
 */
void xrdma_keys_quiesce(struct xrdma_keys *keys);
void xrdma_keys_quiesce_locked(struct xrdma_keys *keys);

/* Rights of a key that allows the process, and peers, what ibv_reg_mr(3) says of ACCESS. */
static inline __u32 xrdma_key_rights(__u32 access)
{
	const __u32 written =
		access & XRDMA_ACCESS_LOCAL_WRITE ? XRDMA_ACCESS_READ | XRDMA_ACCESS_RECV : 0;

	return access | XRDMA_ACCESS_LOCAL_READ | XRDMA_ACCESS_WRITE | XRDMA_ACCESS_SEND | written;
}

/* The row that has KEY, if one has. */
static inline struct xrdma_mkey_row *xrdma_key_row(const struct xrdma_keys *keys, __u32 key)
{
	return keys->rows + xrdma_key_index(key, keys->mask);
}

/* Return the information on the key in ROW. */
static inline struct xrdma_key_info *xrdma_key_info(const struct xrdma_keys *keys,
						    const struct xrdma_mkey_row *row)
{
	return &keys->infos[row - keys->rows];
}

#endif
