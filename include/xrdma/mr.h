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
 * Register LEN bytes at ADDR, as ibv_reg_mr(3). The memory comes from xrdma_alloc(), or is private
 * anonymous memory of the process that it may read and write: memory of malloc(), variables, a
 * stack. The library relocates such memory to the context's heap in place, which takes far longer
 * than to register memory of xrdma_alloc(), and back when the region is closed. Threads that use
 * the memory meanwhile, or other data in its pages, wait (docs/memory.md).
 *
 * ACCESS is a set of XRDMA_ACCESS_LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC, MW_BIND,
 * ZERO_BASED and REMOTE_INVALIDATE. REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE. With
 * ZERO_BASED the region's first byte has address 0, else ADDR. With REMOTE_INVALIDATE a peer may
 * invalidate the key by a SEND with invalidate; close the region all the same. Peers can use the
 * key when the call returns. Close *MR with xrdma_mr_close().
 *
 * Returns 0 or -EINVAL (LEN is 0 or too large, ACCESS has another bit or lacks LOCAL_WRITE),
 * -EFAULT (the range is not mapped, or may not be read and written), -EOPNOTSUPP (the memory is
 * shared, of a file or a device, or executable), -EBUSY (it is registered with another context),
 * -ENOMEM (the context has no more keys, or its heap cannot grow), or the error of userfaultfd(2),
 * if the caller may not use it.
 */
XRDMA_API int xrdma_mr_reg(struct xrdma_pd *pd, void *addr, size_t len, unsigned int access,
			   struct xrdma_mr **mr);

/* Flags of xrdma_mr_regattr(), with the bits of FI_*. */
#define XRDMA_RMA_PMEM	(1ULL << 49) /* persistent memory: not supported */
#define XRDMA_RMA_EVENT (1ULL << 56) /* the region is disabled until it is bound (cntr.h) */

/* Kind of memory; compare enum fi_hmem_iface. */
enum xrdma_hmem_iface {
	XRDMA_HMEM_SYSTEM, /* the operating system; there is no support for others */
	XRDMA_HMEM_CUDA,
	XRDMA_HMEM_ROCR,
	XRDMA_HMEM_ZE,
};

/* The attributes of a region, as struct fi_mr_attr. */
struct xrdma_mr_attr {
	size_t sz; /* of this struct */
	const struct iovec *mr_iov;
	size_t iov_count; /* from 1 to mr_iov_limit of struct xrdma_pd_attr */
	/*
	 * XRDMA_ACCESS_READ, WRITE, RECV and SEND: the process's own use of the memory;
	 * XRDMA_ACCESS_REMOTE_READ, REMOTE_WRITE and REMOTE_ATOMIC: that of peers.
	 */
	__u64 access;
	__u64 offset; /* reserved: 0 */
	/* User key for peers. Ignored if PD has XRDMA_MR_MODE_PROV_KEY. */
	__u64 requested_key;
	void *context; /* returned in the event XRDMA_EVENT_MR_COMPLETE */
	/*
	 * An authorization key and its size in bytes: peers reach the region only from queue pairs
	 * with the same key. If the size is 0, the region has that of PD.
	 */
	size_t auth_key_size;
	const __u8 *auth_key;
	enum xrdma_hmem_iface iface; /* ignored unless PD was opened with XRDMA_MR_MODE_HMEM */
	union {
		__u64 reserved;
		int cuda;
		int ze;
	} device;
};

/*
 * Register one or several buffers as one region of PD, as fi_mr_regattr(). Each buffer is memory of
 * a kind that xrdma_mr_reg() takes, and kinds may be mixed. Peers use address 0 for the first byte
 * of the first buffer; if PD has XRDMA_MR_MODE_VIRT_ADDR, they use its address. The other buffers
 * follow without a gap. An access that ACCESS does not name is refused, also to the process itself.
 * libfabric's FI_REMOTE_WRITE is REMOTE_WRITE and REMOTE_ATOMIC together.
 *
 * With XRDMA_RMA_EVENT, or if PD has XRDMA_MR_MODE_ENDPOINT, the region is disabled until
 * xrdma_mr_enable() (cntr.h). *MR is written on success; close it with xrdma_mr_close(). If PD is
 * bound to an event queue (eq.h), this call checks its arguments and returns, and a thread of the
 * context registers. Then *MR is written before the event XRDMA_EVENT_MR_COMPLETE comes; if an
 * error comes instead, *MR is not written.
 *
 * Returns 0, an error of xrdma_mr_reg(), or -XRDMA_EBADFLAGS (a flag is unknown, or
 * XRDMA_RMA_PMEM), -EINVAL (no buffer, too many, one of no bytes, one of 4 GiB or more among
 * several, OFFSET is not 0, ACCESS has another bit), -XRDMA_ENOKEY (the user key is in use in PD,
 * or was chosen by the library before), -EKEYREJECTED (it has more than 32 bits), -EOPNOTSUPP (PD
 * was opened with XRDMA_MR_MODE_HMEM, and IFACE is not XRDMA_HMEM_SYSTEM: memory of devices is not
 * supported).
 */
XRDMA_API int xrdma_mr_regattr(struct xrdma_pd *pd, const struct xrdma_mr_attr *attr, __u64 flags,
			       struct xrdma_mr **mr);

#define XRDMA_KEY_NOTAVAIL (~0ULL) /* no key, as FI_KEY_NOTAVAIL */

/*
 * Return the key of MR for peers (R_Key), as fi_mr_key(). Returns XRDMA_KEY_NOTAVAIL for a region
 * that xrdma_mr_regattr() registered in a domain of XRDMA_MR_MODE_RAW: peers need its raw key.
 */
XRDMA_API __u64 xrdma_mr_key(const struct xrdma_mr *mr);

/*
 * Get the raw key of MR, for peers, and the address of its first byte, as fi_mr_raw_attr().
 * *KEY_SIZE is the size of RAW_KEY in bytes; on return it is the size of the key, mr_key_size of
 * struct xrdma_pd_attr. In a domain of XRDMA_MR_MODE_RAW the key contains a secret of 61 bits, and
 * without the secret every address of the region is wrong.
 *
 * Returns 0, -XRDMA_ETOOSMALL (RAW_KEY is too small; *KEY_SIZE is set) or -XRDMA_EBADFLAGS (FLAGS
 * is not 0).
 */
XRDMA_API int xrdma_mr_raw_attr(const struct xrdma_mr *mr, __u64 *base_addr, __u8 *raw_key,
				size_t *key_size, __u64 flags);

/*
 * Map the raw key of a peer's region, KEY_SIZE bytes at RAW_KEY, to a key of more than 32 bits for
 * requests of PD's queue pairs (struct xrdma_send_wr), as fi_mr_map_raw(). Requests with *KEY use
 * the peer's addresses unchanged. The peer's domain may also be one without XRDMA_MR_MODE_RAW.
 * BASE_ADDR is ignored. The library cannot check the key: the peer refuses a wrong one. Unmap *KEY
 * with xrdma_mr_unmap_key().
 *
 * Returns 0 or -EINVAL (KEY_SIZE is not the size of a raw key), -XRDMA_EBADFLAGS (FLAGS is not 0),
 * -ENOMEM (raw_keys of struct xrdma_context_attr are mapped).
 */
XRDMA_API int xrdma_mr_map_raw(struct xrdma_pd *pd, __u64 base_addr, const __u8 *raw_key,
			       size_t key_size, __u64 *key, __u64 flags);

/*
 * Unmap KEY, as fi_mr_unmap_key(). Posted requests with KEY continue. Returns 0 or -EINVAL (KEY is
 * not mapped in PD).
 */
XRDMA_API int xrdma_mr_unmap_key(struct xrdma_pd *pd, __u64 key);

/*
 * Return the key of MR for the process's own requests and receives (L_Key). They use the memory's
 * addresses. In a region with ZERO_BASED, and in one of several buffers, they use the addresses of
 * peers.
 */
XRDMA_API __u32 xrdma_mr_lkey(const struct xrdma_mr *mr);

/*
 * Return the number of xrdma_mr_lkey() as a pointer, as fi_mr_desc(). The pointer points to
 * nothing.
 */
XRDMA_API void *xrdma_mr_desc(const struct xrdma_mr *mr);

/*
 * Notify the library that memory was mapped at addresses of MR, as fi_mr_refresh(): at the COUNT
 * ranges of IOV, each within one buffer, or with COUNT 0 anywhere. Memory that was mapped there,
 * for the first time or in place of other memory, then belongs to the region. In a domain without
 * XRDMA_MR_MODE_ALLOCATED parts of a region may be unmapped. With XRDMA_MR_MODE_MMU_NOTIFY,
 * accesses to a part that was unmapped at the last refresh are refused; without it the library
 * looks for the memory at each access (docs/memory.md). Until the call returns, all requests and
 * receives that use the region fail as if its key were invalid.
 *
 * Returns 0 or -XRDMA_EBADFLAGS (FLAGS is not 0), -EINVAL (a range is not within one buffer),
 * -EOPNOTSUPP (the region has XRDMA_ACCESS_MW_BIND or XRDMA_ACCESS_REMOTE_INVALIDATE), or an error
 * of xrdma_mr_reg() about memory. After such an error the ranges before the wrong one may have been
 * refreshed; the others are unchanged.
 */
XRDMA_API int xrdma_mr_refresh(struct xrdma_mr *mr, const struct iovec *iov, size_t count,
			       __u64 flags);

/*
 * Close MR. When the call returns, its key gives no access to memory any more, and relocated memory
 * is back at its place, where it is still mapped. Returns 0 or -EBUSY (a memory window is bound to
 * the region, or the region is bound to a queue pair or a counter: end these first, see mw.h and
 * cntr.h).
 */
XRDMA_API int xrdma_mr_close(struct xrdma_mr *mr);

#ifdef __cplusplus
}
#endif
#endif
