// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "xform/sig.h"

#include <endian.h>
#include <errno.h>
#include <isa-l.h>
#include <string.h>

#include "lib/error.h"

enum {
	BLOCK_FLAGS = XRDMA_SIG_BLOCK_ATTR_FLAG_COPY_MASK,
	DIF_FLAGS = XRDMA_SIG_T10DIF_FLAG_REF_REMAP | XRDMA_SIG_T10DIF_FLAG_APP_ESCAPE |
		    XRDMA_SIG_T10DIF_FLAG_APP_REF_ESCAPE,
};

/* Parts of a field. */
#define DIF_GUARD 0xffff000000000000ULL
#define DIF_APP	  0x0000ffff00000000ULL
#define DIF_REF	  0x00000000ffffffffULL
#define CRC_GUARD 0xffffffff00000000ULL

static bool is_dif(const struct xrdma_sig_domain *domain)
{
	return domain->kind >= XRDMA_SIG_DIF_CRC;
}

static __u32 field_bytes(const struct xrdma_sig_domain *domain)
{
	if (!domain->kind)
		return 0;
	return is_dif(domain) ? 8 : 4;
}

__u32 xrdma_block_bytes(__u32 size)
{
	static const __u32 bytes[] = {
		[XRDMA_BLOCK_SIZE_512] = 512,	[XRDMA_BLOCK_SIZE_520] = 520,
		[XRDMA_BLOCK_SIZE_4048] = 4048, [XRDMA_BLOCK_SIZE_4096] = 4096,
		[XRDMA_BLOCK_SIZE_4160] = 4160,
	};

	return size < sizeof(bytes) / sizeof(*bytes) ? bytes[size] : 0;
}

static int read_crc(const struct xrdma_sig_crc *crc, struct xrdma_sig_domain *domain)
{
	if (crc->type > XRDMA_SIG_CRC_TYPE_CRC32C)
		return xrdma_fail(EINVAL, "CRC type %u: CRC32 and CRC32C are offered", crc->type);
	domain->kind = XRDMA_SIG_CRC32 + crc->type;
	domain->seed = crc->seed;
	if (domain->seed && domain->seed != 0xffffffff)
		return xrdma_fail(EINVAL, "seed 0x%x: 0 or 0xffffffff", domain->seed);
	return 0;
}

static int read_dif(const struct xrdma_sig_t10dif *dif, struct xrdma_sig_domain *domain)
{
	if (dif->bg_type > XRDMA_SIG_T10DIF_CSUM)
		return xrdma_fail(EINVAL, "bg_type %u is unknown", dif->bg_type);
	if (dif->bg && dif->bg != 0xffff)
		return xrdma_fail(EINVAL, "bg 0x%x: 0 or 0xffff", dif->bg);
	if (dif->flags & ~DIF_FLAGS)
		return xrdma_fail(EINVAL, "flags 0x%x: 0x%x is unknown", dif->flags,
				  dif->flags & ~DIF_FLAGS);
	domain->kind = XRDMA_SIG_DIF_CRC + dif->bg_type;
	domain->seed = dif->bg;
	domain->app_tag = dif->app_tag;
	domain->ref_tag = dif->ref_tag;
	domain->flags = dif->flags;
	return 0;
}

static int read_domain(const struct xrdma_sig_block_domain *attr, struct xrdma_sig_domain *domain)
{
	*domain = (struct xrdma_sig_domain){ 0 };
	if (!attr)
		return 0;
	if (attr->comp_mask)
		return xrdma_fail(EINVAL, "comp_mask 0x%llx: must be 0", attr->comp_mask);
	domain->block = xrdma_block_bytes(attr->block_size);
	if (!domain->block)
		return xrdma_fail(EINVAL, "block_size %u is unknown", attr->block_size);
	if (attr->sig_type > XRDMA_SIG_TYPE_CRC || !attr->sig.dif)
		return xrdma_fail(EINVAL, "sig_type %u is unknown, or its attributes are missing",
				  attr->sig_type);
	return attr->sig_type == XRDMA_SIG_TYPE_CRC ? read_crc(attr->sig.crc, domain)
						    : read_dif(attr->sig.dif, domain);
}

/* Expand MASK: one bit for each byte becomes eight bits. */
static __u64 expand(__u8 mask)
{
	__u64 bits = 0;

	for (int i = 0; i < 8; i++)
		if (mask & 1 << i)
			bits |= 0xffULL << 8 * i;
	return bits;
}

static bool have_one_structure(const struct xrdma_sig *sig)
{
	const struct xrdma_sig_domain *mem = &sig->mem, *wire = &sig->wire;

	return mem->kind && mem->block == wire->block && is_dif(mem) == is_dif(wire) &&
	       (is_dif(mem) || mem->kind == wire->kind);
}

/* Return the common parts of two domains with one structure. */
static __u64 alike(const struct xrdma_sig_domain *mem, const struct xrdma_sig_domain *wire)
{
	const __u8 remap = XRDMA_SIG_T10DIF_FLAG_REF_REMAP;
	bool same_guard = mem->kind == wire->kind && mem->seed == wire->seed;

	if (!is_dif(mem))
		return same_guard ? CRC_GUARD : 0;
	return (same_guard ? DIF_GUARD : 0) | (mem->app_tag == wire->app_tag ? DIF_APP : 0) |
	       (mem->ref_tag == wire->ref_tag && (mem->flags & remap) == (wire->flags & remap)
			? DIF_REF
			: 0);
}

int xrdma_sig_read(const struct xrdma_sig_block_attr *attr, struct xrdma_sig *sig)
{
	int err = read_domain(attr->mem, &sig->mem);

	if (!err)
		err = read_domain(attr->wire, &sig->wire);
	if (err)
		return err;
	if (attr->flags & ~BLOCK_FLAGS)
		return xrdma_fail(EINVAL, "flags 0x%x: 0x%x is unknown", attr->flags,
				  attr->flags & ~BLOCK_FLAGS);
	if (attr->comp_mask)
		return xrdma_fail(EINVAL, "comp_mask 0x%llx: must be 0", attr->comp_mask);
	sig->check = expand(attr->check_mask);
	sig->copy = have_one_structure(sig) ? alike(&sig->mem, &sig->wire) : 0;
	if (!(attr->flags & XRDMA_SIG_BLOCK_ATTR_FLAG_COPY_MASK))
		return 0;
	sig->copy = expand(attr->copy_mask);
	if (!have_one_structure(sig))
		return xrdma_fail(EINVAL, "a copy_mask is for domains of the same signature type "
					  "and block size");
	return 0;
}

__u64 xrdma_sig_bytes(const struct xrdma_sig_domain *domain, __u64 data)
{
	return domain->kind ? data + data / domain->block * field_bytes(domain) : data;
}

bool xrdma_sig_data(const struct xrdma_sig_domain *domain, __u64 bytes, __u64 *data)
{
	__u64 rest;

	*data = bytes;
	if (!domain->kind)
		return true;
	rest = bytes % (domain->block + field_bytes(domain));
	*data = bytes / (domain->block + field_bytes(domain)) * domain->block;
	*data += rest < domain->block ? rest : domain->block - 1U;
	return rest < domain->block;
}

/* Return the IP checksum of big-endian words. */
static __u16 ip_checksum(__u32 sum, const __u8 *bytes, __u32 len)
{
	for (__u32 i = 0; i < len; i += 2)
		sum += bytes[i] << 8 | bytes[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

/* Return the guard, or the CRC, of a block of DATA. */
static __u32 guard_of(const struct xrdma_sig_domain *domain, const __u8 *data)
{
	switch (domain->kind) {
	case XRDMA_SIG_CRC32: /* it inverts its start value itself */
		return crc32_gzip_refl(~domain->seed, data, domain->block);
	case XRDMA_SIG_CRC32C:
		return ~crc32_iscsi((__u8 *)data, domain->block, domain->seed);
	case XRDMA_SIG_DIF_CRC:
		return crc16_t10dif(domain->seed, data, domain->block);
	default:
		return ip_checksum(domain->seed, data, domain->block);
	}
}

/* Return the field of block NUMBER with DATA. */
static __u64 field_of(const struct xrdma_sig_domain *domain, __u64 number, const __u8 *data)
{
	__u32 guard = guard_of(domain, data), ref = domain->ref_tag;

	if (!is_dif(domain))
		return (__u64)guard << 32;
	if (domain->flags & XRDMA_SIG_T10DIF_FLAG_REF_REMAP)
		ref += number;
	return (__u64)guard << 48 | (__u64)domain->app_tag << 32 | ref;
}

static __u64 load(const struct xrdma_sig_domain *domain, const __u8 *field)
{
	__be64 dif;
	__le32 crc;

	if (is_dif(domain)) {
		memcpy(&dif, field, sizeof(dif));
		return be64toh(dif);
	}
	memcpy(&crc, field, sizeof(crc));
	return (__u64)le32toh(crc) << 32;
}

static void store(const struct xrdma_sig_domain *domain, __u64 value, __u8 *field)
{
	const __be64 dif = htobe64(value);
	const __le32 crc = htole32(value >> 32);

	if (is_dif(domain))
		memcpy(field, &dif, sizeof(dif));
	else
		memcpy(field, &crc, sizeof(crc));
}

/* Returns whether FIELD is not checked because of its value (SBC-3). */
static bool is_escaped(const struct xrdma_sig_domain *domain, __u64 field)
{
	bool app = (field & DIF_APP) == DIF_APP, ref = (field & DIF_REF) == DIF_REF;

	return (domain->flags & XRDMA_SIG_T10DIF_FLAG_APP_ESCAPE && app) ||
	       (domain->flags & XRDMA_SIG_T10DIF_FLAG_APP_REF_ESCAPE && app && ref);
}

static void report(enum xrdma_mkey_err_type type, __u64 actual, __u64 expected, __u64 part,
		   __u64 offset, struct xrdma_mkey_err *err)
{
	int shift = __builtin_ctzll(part);

	*err = (struct xrdma_mkey_err){
		.err_type = type,
		.err.sig = { (actual & part) >> shift, (expected & part) >> shift, offset },
	};
}

/*
 * Report the first wrong part, in the order of mlx5dv_mkey_check(3). WRONG has the bits in which
 * FIELD and ACTUAL differ.
 */
static void report_first(const struct xrdma_sig_domain *domain, __u64 actual, __u64 field,
			 __u64 wrong, __u64 offset, struct xrdma_mkey_err *err)
{
	__u64 guard = is_dif(domain) ? DIF_GUARD : CRC_GUARD;

	if (wrong & guard)
		report(XRDMA_MKEY_SIG_BLOCK_BAD_GUARD, actual, field, guard, offset, err);
	else if (wrong & DIF_APP)
		report(XRDMA_MKEY_SIG_BLOCK_BAD_APPTAG, actual, field, DIF_APP, offset, err);
	else
		report(XRDMA_MKEY_SIG_BLOCK_BAD_REFTAG, actual, field, DIF_REF, offset, err);
}

/* Check the whole blocks at IN, with DATA bytes of data. */
static void check(const struct xrdma_sig *sig, const struct xrdma_sig_domain *domain, __u64 data,
		  const __u8 *in, struct xrdma_mkey_err *err)
{
	const __u32 stride = domain->block + field_bytes(domain);
	__u64 actual, field, wrong;

	for (__u64 i = 0; i < data / domain->block && !err->err_type; i++, in += stride) {
		field = load(domain, in + domain->block);
		if (is_escaped(domain, field))
			continue;
		actual = field_of(domain, i, in);
		wrong = (actual ^ field) & sig->check;
		if (wrong)
			report_first(domain, actual, field, wrong, i * stride, err);
	}
}

/* Return the bytes from AT on to the end of a block, at most MOST. */
static __u64 to_end(const struct xrdma_sig_domain *domain, __u64 at, __u64 most)
{
	__u64 left = domain->kind ? domain->block - at % domain->block : most;

	return left < most ? left : most;
}

static void copy_data(const struct xrdma_sig_domain *from, const struct xrdma_sig_domain *to,
		      __u64 data, const __u8 *in, __u8 *out)
{
	__u64 len;

	for (__u64 at = 0; at < data; at += len) {
		len = to_end(to, at, to_end(from, at, data - at));
		memcpy(out + xrdma_sig_bytes(to, at), in + xrdma_sig_bytes(from, at), len);
	}
}

/* Add the fields of OUT. If parts are copied, IN has the same structure. */
static void add_fields(const struct xrdma_sig *sig, const struct xrdma_sig_domain *domain,
		       __u64 data, const __u8 *in, __u8 *out)
{
	const __u32 stride = domain->block + field_bytes(domain);

	for (__u64 i = 0; i < data / domain->block; i++, in += stride, out += stride) {
		__u64 field = field_of(domain, i, out);

		if (sig->copy)
			field = (field & ~sig->copy) |
				(load(domain, in + domain->block) & sig->copy);
		store(domain, field, out + domain->block);
	}
}

void xrdma_sig_convert(const struct xrdma_sig *sig, const struct xrdma_sig_domain *from,
		       const struct xrdma_sig_domain *to, __u64 data, const __u8 *in, __u8 *out,
		       struct xrdma_mkey_err *err)
{
	if (from->kind && sig->check)
		check(sig, from, data, in, err);
	copy_data(from, to, data, in, out);
	if (to->kind)
		add_fields(sig, to, data, in, out);
}
