// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "xform/transform.h"

__u64 xrdma_transform_wire(const struct xrdma_transform *transform, __u64 memory)
{
	__u64 data;

	xrdma_sig_data(&transform->sig.mem, memory, &data);
	return xrdma_sig_bytes(&transform->sig.wire, data);
}

/* In the worst case all bytes are data, and memory has T10-DIF of the smallest blocks. */
__u64 xrdma_transform_memory_max(__u64 wire)
{
	return wire + wire / 512 * 8;
}

/* Returns whether a block of DOMAIN begins after DATA bytes of data. */
static bool is_between_blocks(const struct xrdma_sig_domain *domain, __u64 data)
{
	return !domain->block || data % domain->block == 0;
}

bool xrdma_transform_part(const struct xrdma_transform *transform, __u64 at, __u64 len,
			  struct xrdma_mkey_part *part)
{
	const struct xrdma_sig_domain *mem = &transform->sig.mem, *wire = &transform->sig.wire;
	__u64 before;

	if (!xrdma_sig_data(wire, at, &before) || !is_between_blocks(wire, before) ||
	    !is_between_blocks(mem, before) || !xrdma_sig_data(wire, len, &part->data))
		return false;
	part->memory_at = xrdma_sig_bytes(mem, before);
	part->memory_len = xrdma_sig_bytes(mem, part->data);
	part->wire_len = len;
	return xrdma_crypto_takes(&transform->crypto,
				  transform->crypto.after_signature ? len : part->memory_len);
}

bool xrdma_transform_send(const struct xrdma_transform *transform,
			  const struct xrdma_mkey_part *part, __u8 *memory, __u8 *wire,
			  struct xrdma_mkey_err *err)
{
	const struct xrdma_crypto *crypto = &transform->crypto;
	const struct xrdma_sig *sig = &transform->sig;

	if (!crypto->after_signature && !xrdma_crypto_run(crypto, true, memory, part->memory_len))
		return false;
	xrdma_sig_convert(sig, &sig->mem, &sig->wire, part->data, memory, wire, err);
	return !crypto->after_signature || xrdma_crypto_run(crypto, true, wire, part->wire_len);
}

bool xrdma_transform_receive(const struct xrdma_transform *transform,
			     const struct xrdma_mkey_part *part, __u8 *wire, __u8 *memory,
			     struct xrdma_mkey_err *err)
{
	const struct xrdma_crypto *crypto = &transform->crypto;
	const struct xrdma_sig *sig = &transform->sig;

	if (crypto->after_signature && !xrdma_crypto_run(crypto, false, wire, part->wire_len))
		return false;
	xrdma_sig_convert(sig, &sig->wire, &sig->mem, part->data, wire, memory, err);
	return crypto->after_signature || xrdma_crypto_run(crypto, false, memory, part->memory_len);
}
