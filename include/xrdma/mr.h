/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Memory regions (IBA 10.6.3, ibv_reg_mr(3), fi_mr(3)). All calls are thread safe. */
#ifndef XRDMA_MR_H
#define XRDMA_MR_H

#include <sys/uio.h>

#include "pd.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xrdma_mr;

/*
 * Register LEN bytes at ADDR for peers of PD's queue pairs: memory of xrdma_alloc(), in one piece,
 * or any private memory of the process that it may read and write and that is not of a file, such
 * as malloc() gives, or as variables have. This is moved in place, which takes far longer than to
 * register memory of xrdma_alloc(), and moved back at the end; threads that use it, or what shares
 * its pages, wait for that (docs/memory.md).
 *
 * ACCESS is any of XRDMA_ACCESS_*; REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE too
 * (ibv_reg_mr(3)). With ZERO_BASED peers name the first byte 0, without it ADDR. With
 * REMOTE_INVALIDATE a peer may end the key by a SEND with invalidate, as it may the key of an mkey
 * with MLX5DV_MKEY_INIT_ATTR_FLAGS_REMOTE_INVALIDATE; the region is still to be ended. Once the
 * call returns, XDP carries out what the key allows. *MR is to be ended by xrdma_mr_close().
 *
 * Returns 0 or -EINVAL (LEN is 0, or more than there is, ACCESS is unknown or lacks LOCAL_WRITE),
 * -EFAULT (there is no such memory, or it is not to be read and written), -EOPNOTSUPP (it is
 * shared, of a file or of a device, or executable), -EBUSY (it is registered with another
 * context), -ENOMEM (the context has no more keys, or the heap may not
 * grow), or what the kernel gives where it has no userfaultfd(2) for the caller.
 */
XRDMA_API int xrdma_reg_mr(struct xrdma_pd *pd, void *addr, size_t len, unsigned int access,
			   struct xrdma_mr **mr);

/*
 * What is done with registered memory, by bits of FI_* (fi_mr(3)): by the program's own requests
 * and receives, or by peers.
 */
enum {
	XRDMA_MR_ACCESS_READ = 1 << 8,	/* results of READs and of atomics go there */
	XRDMA_MR_ACCESS_WRITE = 1 << 9, /* WRITEs are made of it */
	XRDMA_MR_ACCESS_RECV = 1 << 10,
	XRDMA_MR_ACCESS_SEND = 1 << 11,
	XRDMA_MR_ACCESS_REMOTE_READ = 1 << 12,
	XRDMA_MR_ACCESS_REMOTE_WRITE = 1 << 13, /* and atomics */
};

/* Flags, by bits of FI_*. */
#define XRDMA_RMA_PMEM	(1ULL << 49) /* persistent memory: not supported */
#define XRDMA_RMA_EVENT (1ULL << 56) /* disabled, to be bound to a counter first (cntr.h) */

/* Who allocated memory, as enum fi_hmem_iface. */
enum xrdma_hmem_iface {
	XRDMA_HMEM_SYSTEM, /* the operating system; there is no support for others */
	XRDMA_HMEM_CUDA,
	XRDMA_HMEM_ROCR,
	XRDMA_HMEM_ZE,
};

/* As struct fi_mr_attr. */
struct xrdma_mr_attr {
	size_t sz; /* of this struct */
	const struct iovec *mr_iov;
	size_t iov_count;    /* from 1 to mr_iov_limit of struct xrdma_pd_attr */
	__u64 access;	     /* XRDMA_MR_ACCESS_* */
	__u64 offset;	     /* for later: 0 */
	__u64 requested_key; /* where PD is not XRDMA_MR_PROV_KEY: peers name the region by it */
	void *context;	     /* of the event, where there is one */
	/*
	 * Bytes, and an authorization key of as many: only queue pairs that have the same reach the
	 * region from afar. 0: that of PD.
	 */
	size_t auth_key_size;
	const __u8 *auth_key;
	enum xrdma_hmem_iface iface; /* ignored unless PD was opened with XRDMA_MR_HMEM */
	union {
		__u64 reserved;
		int cuda;
		int ze;
	} device;
};

/*
 * Register one or several buffers as one region of PD, as fi_mr_regattr(): memory of the kinds that
 * xrdma_reg_mr() takes, mixed at will. Peers name the first byte of the first buffer by 0 or, where
 * PD is XRDMA_MR_VIRT_ADDR, by its address; the others follow, as if they were one after the other.
 * What ACCESS does not name is refused, also to the program itself. With XRDMA_RMA_EVENT, or where
 * PD is XRDMA_MR_ENDPOINT, it is disabled until xrdma_mr_enable() (cntr.h). *MR is written on
 * success, and is to be ended by xrdma_mr_close(). Where PD is bound to an event queue (eq.h) this
 * only checks the arguments, but for what is about memory and keys: *MR is written later, before
 * there is an event of XRDMA_MR_COMPLETE, and not at all if there is an error instead.
 *
 * Returns 0, what xrdma_reg_mr() does, or -XRDMA_EBADFLAGS (a flag is unknown, or
 * XRDMA_RMA_PMEM), -EINVAL (no buffer, too many, one of no bytes, one of 4 GiB or more among
 * several, OFFSET is not 0, ACCESS is unknown), -XRDMA_ENOKEY (the requested key is in use in PD,
 * or was given out by the library), -EKEYREJECTED (it has more than 32 bits), -EOPNOTSUPP (PD was
 * opened with XRDMA_MR_HMEM, and IFACE is not XRDMA_HMEM_SYSTEM: there is no memory of devices).
 */
XRDMA_API int xrdma_mr_regattr(struct xrdma_pd *pd, const struct xrdma_mr_attr *attr, __u64 flags,
			       struct xrdma_mr **mr);

/* The same, as fi_mr_regv() and fi_mr_reg(). */
XRDMA_API int xrdma_mr_regv(struct xrdma_pd *pd, const struct iovec *iov, size_t count,
			    __u64 access, __u64 offset, __u64 requested_key, __u64 flags,
			    struct xrdma_mr **mr, void *context);
XRDMA_API int xrdma_mr_reg(struct xrdma_pd *pd, const void *buf, size_t len, __u64 access,
			   __u64 offset, __u64 requested_key, __u64 flags, struct xrdma_mr **mr,
			   void *context);

#define XRDMA_KEY_NOTAVAIL (~0ULL) /* no key, as FI_KEY_NOTAVAIL */

/*
 * The key by which peers name a region (R_Key, fi_mr_key()); or XRDMA_KEY_NOTAVAIL, if it was
 * registered by xrdma_mr_regattr(), or one of its kind, in a domain of XRDMA_MR_RAW: peers need the
 * raw key then.
 */
XRDMA_API __u64 xrdma_mr_key(const struct xrdma_mr *mr);

/*
 * The raw key of a region, to be sent to peers as it is, and the address of its first byte, as
 * fi_mr_raw_attr(). *KEY_SIZE is how many bytes RAW_KEY has room for, and becomes how many the key
 * has: mr_key_size of struct xrdma_pd_attr. Under XRDMA_MR_RAW a secret of 61 bits is among them,
 * without which no address of the region's is right.
 *
 * Returns 0, -XRDMA_ETOOSMALL (RAW_KEY has no room; only *KEY_SIZE is set) or -XRDMA_EBADFLAGS
 * (FLAGS is not 0).
 */
XRDMA_API int xrdma_mr_raw_attr(const struct xrdma_mr *mr, __u64 *base_addr, __u8 *raw_key,
				size_t *key_size, __u64 flags);

/*
 * Make of the raw key of a peer's region, of KEY_SIZE bytes, a key for requests of PD's queue pairs
 * (struct xrdma_send_wr), which name the peer's memory by the same addresses as without: as
 * fi_mr_map_raw(). Also of one that is not under XRDMA_MR_RAW; BASE_ADDR may be anything. *KEY has
 * more than 32 bits, and is to be ended by xrdma_mr_unmap_key(). Whether the peer knows the raw key
 * turns out when a request uses it.
 *
 * Returns 0 or -EINVAL (no raw key has KEY_SIZE bytes), -XRDMA_EBADFLAGS (FLAGS is not 0), -ENOMEM
 * (as many are mapped as raw_keys of struct xrdma_context_attr says).
 */
XRDMA_API int xrdma_mr_map_raw(struct xrdma_pd *pd, __u64 base_addr, const __u8 *raw_key,
			       size_t key_size, __u64 *key, __u64 flags);

/*
 * End KEY, as fi_mr_unmap_key(). Requests that were posted with it go on. Returns 0 or -EINVAL (it
 * is not mapped in PD).
 */
XRDMA_API int xrdma_mr_unmap_key(struct xrdma_pd *pd, __u64 key);

/*
 * The key by which the program's own requests and receives do (L_Key): they name bytes by their
 * address, but where xrdma_reg_mr() was told ZERO_BASED, or a region has several buffers, as peers
 * do.
 */
XRDMA_API __u32 xrdma_mr_lkey(const struct xrdma_mr *mr);

/* The same as fi_mr_desc() returns it: a pointer, which points to nothing. */
XRDMA_API void *xrdma_mr_desc(const struct xrdma_mr *mr);

/*
 * Look again at what is mapped at the addresses of a region, as fi_mr_refresh(): at the COUNT
 * portions of IOV, of which each is in one of its buffers, or without any at all of it. What was
 * mapped there first, or in place of what was, is the region's then. In a domain without
 * XRDMA_MR_ALLOCATED nothing need be mapped; under XRDMA_MR_MMU_NOTIFY what was not there at the
 * last look is refused, without it the library looks when it is used (docs/memory.md). Until the
 * call returns, no peer and no request or receive of the program's own reaches the region: all
 * fail, as if its key had ended.
 *
 * Returns 0 or -XRDMA_EBADFLAGS (FLAGS is not 0), -EINVAL (a portion is not in one buffer),
 * -EOPNOTSUPP (the region has XRDMA_ACCESS_MW_BIND or _REMOTE_INVALIDATE), or what
 * xrdma_reg_mr() does about memory: then portions before the one that is wrong may have been
 * refreshed, and what is left is as it was.
 */
XRDMA_API int xrdma_mr_refresh(struct xrdma_mr *mr, const struct iovec *iov, size_t count,
			       __u64 flags);

/*
 * End the region. When the call returns, no access under its key can touch memory any more, and
 * memory that was moved is back where it is still mapped as it was. Returns 0 or -EBUSY (memory
 * windows are bound to it, or it is to a queue pair or a counter, which are to be ended first:
 * mw.h, cntr.h).
 */
XRDMA_API int xrdma_mr_close(struct xrdma_mr *mr);

#ifdef __cplusplus
}
#endif
#endif
