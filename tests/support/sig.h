/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Integrity fields, computed bit by bit, and attributes for them. */
#ifndef XRDMA_TESTS_SUPPORT_SIG_H
#define XRDMA_TESTS_SUPPORT_SIG_H

#include "xform/sig.h"

/* Polynomials, with the lowest power in the highest bit. */
enum { CRC32 = 0xedb88320, CRC32C = 0x82f63b78 };

/* Compute a CRC like the catalogues of CRCs describe it. The register begins with SEED. */
__u32 crc_of(__u32 polynomial, __u32 seed, const __u8 *bytes, size_t len);
__u32 crc_of_dif(__u16 seed, const __u8 *bytes, size_t len);

/* Compute a checksum by RFC 1071. */
__u32 ip_sum_of(__u16 seed, const __u8 *bytes, size_t len);

extern const struct xrdma_sig_crc crc32, crc32_of_0, crc32c, crc32c_of_0;

/* Returns a domain with a CRC. SIZE is an enum xrdma_block_size. */
struct xrdma_sig_block_domain domain_of_crc(const struct xrdma_sig_crc *crc, __u32 size);
struct xrdma_sig_block_domain domain_of_dif(const struct xrdma_sig_t10dif *dif, __u32 size);

/* Returns a signature with both domains, which may be NULL, and the check mask. */
struct xrdma_sig sig_of(const struct xrdma_sig_block_domain *mem,
			const struct xrdma_sig_block_domain *wire, __u8 check);

/*
 * Convert DATA bytes of data from IN in memory to OUT on the wire, or in the other direction.
 * Returns the error.
 */
struct xrdma_mkey_err sig_send(const struct xrdma_sig *sig, __u64 data, const __u8 *in, __u8 *out);
struct xrdma_mkey_err sig_receive(const struct xrdma_sig *sig, __u64 data, const __u8 *in,
				  __u8 *out);

#endif
