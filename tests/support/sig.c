// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "support/sig.h"

#include "support/test.h"

const struct xrdma_sig_crc crc32 = { XRDMA_SIG_CRC_TYPE_CRC32, 0xffffffff },
			   crc32_of_0 = { XRDMA_SIG_CRC_TYPE_CRC32, 0 },
			   crc32c = { XRDMA_SIG_CRC_TYPE_CRC32C, 0xffffffff },
			   crc32c_of_0 = { XRDMA_SIG_CRC_TYPE_CRC32C, 0 };

__u32 crc_of(__u32 polynomial, __u32 seed, const __u8 *bytes, size_t len)
{
	__u32 crc = seed;

	for (size_t i = 0; i < len; i++) {
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ polynomial : crc >> 1;
	}
	return ~crc;
}

__u32 crc_of_dif(__u16 seed, const __u8 *bytes, size_t len)
{
	__u16 crc = seed;

	for (size_t i = 0; i < len; i++) {
		crc ^= bytes[i] << 8;
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 0x8000 ? crc << 1 ^ 0x8bb7 : crc << 1;
	}
	return crc;
}

__u32 ip_sum_of(__u16 seed, const __u8 *bytes, size_t len)
{
	__u32 sum = seed;

	for (size_t i = 0; i < len; i += 2) {
		sum += bytes[i] << 8 | bytes[i + 1];
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return ~sum & 0xffff;
}

struct xrdma_sig_block_domain domain_of_crc(const struct xrdma_sig_crc *crc, __u32 size)
{
	return (struct xrdma_sig_block_domain){
		.sig_type = XRDMA_SIG_TYPE_CRC,
		.sig.crc = crc,
		.block_size = size,
	};
}

struct xrdma_sig_block_domain domain_of_dif(const struct xrdma_sig_t10dif *dif, __u32 size)
{
	return (struct xrdma_sig_block_domain){
		.sig_type = XRDMA_SIG_TYPE_T10DIF,
		.sig.dif = dif,
		.block_size = size,
	};
}

struct xrdma_sig sig_of(const struct xrdma_sig_block_domain *mem,
			const struct xrdma_sig_block_domain *wire, __u8 check)
{
	const struct xrdma_sig_block_attr attr = {
		.sz = sizeof(attr),
		.mem = mem,
		.wire = wire,
		.check_mask = check,
	};
	struct xrdma_sig sig;

	expect_int(xrdma_sig_read(&attr, &sig), ==, 0);
	return sig;
}

struct xrdma_mkey_err sig_send(const struct xrdma_sig *sig, __u64 data, const __u8 *in, __u8 *out)
{
	struct xrdma_mkey_err err = { 0 };

	xrdma_sig_convert(sig, &sig->mem, &sig->wire, data, in, out, &err);
	return err;
}

struct xrdma_mkey_err sig_receive(const struct xrdma_sig *sig, __u64 data, const __u8 *in,
				  __u8 *out)
{
	struct xrdma_mkey_err err = { 0 };

	xrdma_sig_convert(sig, &sig->wire, &sig->mem, data, in, out, &err);
	return err;
}
