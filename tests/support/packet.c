// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "packet.h"

#include <endian.h>
#include <libdeflate.h>
#include <netinet/in.h>
#include <string.h>

#include "lib/opcode.h"

enum { ETH_LEN = 14, IPV4_LEN = 20, IPV6_LEN = 40, UDP_LEN = 8 };

/* Append VALUE as LEN bytes, most significant byte first. */
static __u8 *put(__u8 *at, int len, __u64 value)
{
	for (int i = len - 1; i >= 0; i--)
		*at++ = value >> (8 * i);
	return at;
}

static __u8 *put_ethernet(const struct packet *p, __u8 *at)
{
	at = put(at, 6, 0x020000000002);
	at = put(at, 6, 0x020000000003);
	for (int i = 0; i < p->vlan_tags; i++)
		at = put(at, 4, (i + 1 < p->vlan_tags ? 0x88a8a000 : 0x8100a000) | p->vlan);
	return put(at, 2, p->ip_version == 6 ? 0x86dd : 0x0800);
}

static __u16 ipv4_checksum(const __u8 *ip)
{
	__u32 sum = 0;

	for (int i = 0; i < IPV4_LEN; i += 2)
		sum += ip[i] << 8 | ip[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	return ~(sum + (sum >> 16));
}

static __u8 *put_ip(const struct packet *p, __u8 *at, size_t udp_len)
{
	if (p->ip_version == 6) {
		at = put(at, 4, 0x60000000);
		at = put(at, 4, udp_len << 16 | IPPROTO_UDP << 8 | 64);
		at = put(put(at, 8, 0xfd66000000000000), 8, 3);
		return put(put(at, 8, 0xfd66000000000000), 8, 2);
	}
	at = put(at, 4, 0x45000000 | (IPV4_LEN + udp_len));
	at = put(at, 4, 0x4000);
	at = put(at, 4, 64 << 24 | IPPROTO_UDP << 16);
	at = put(put(at, 4, 0x0a420003), 4, 0x0a420002);
	return at;
}

static __u8 *put_extended(const struct packet *p, __u8 *at)
{
	unsigned int set = xrdma_opcode_info(p->opcode)->headers;

	if (set & XRDMA_HDR_DETH)
		at = put(put(at, 4, p->qkey), 4, p->src_qpn);
	if (set & XRDMA_HDR_FETH)
		at = put(at, 4, p->imm);
	if (set & (XRDMA_HDR_RETH | XRDMA_HDR_ATOMICETH))
		at = put(put(at, 8, p->va), 4, p->key);
	if (set & XRDMA_HDR_RETH)
		at = put(at, 4, p->length);
	if (set & XRDMA_HDR_ATOMICETH)
		at = put(put(at, 8, p->swap_add), 8, p->compare);
	if (set & XRDMA_HDR_AETH)
		at = put(at, 4, p->syndrome_msn);
	if (set & XRDMA_HDR_ATOMICACKETH)
		at = put(at, 8, p->original);
	if (set & (XRDMA_HDR_IMMDT | XRDMA_HDR_IETH))
		at = put(at, 4, p->imm);
	return at;
}

static __u8 *put_payload(const struct packet *p, __u8 *at)
{
	for (size_t i = 0; i < p->payload_len; i++)
		*at++ = p->payload ? ((const __u8 *)p->payload)[i] : i;
	for (size_t i = p->payload_len; i % 4; i++)
		*at++ = 0;
	return at;
}

/* Write all headers before LEN bytes from the BTH to the ICRC. */
static __u8 *put_headers(const struct packet *p, __u8 *at, size_t len)
{
	at = put_ip(p, put_ethernet(p, at), UDP_LEN + len);
	at = put(put(at, 2, PACKET_SPORT), 2, XRDMA_UDP_PORT);
	return put(put(at, 2, UDP_LEN + len), 2, 0);
}

size_t packet_build(const struct packet *p, __u8 bytes[PACKET_MAX])
{
	unsigned int pad = -p->payload_len & 3;
	size_t len = sizeof(struct xrdma_bth) + xrdma_opcode_info(p->opcode)->headers_len +
		     p->payload_len + pad + XRDMA_ICRC_LEN;
	__u8 *at = put_headers(p, bytes, len);

	at = put(put(at, 1, p->opcode), 1, p->bth_flags | pad << XRDMA_BTH_PAD_SHIFT);
	at = put(put(put(at, 2, 0xffff), 4, p->dest_qpn), 4, p->psn);
	at = put_payload(p, put_extended(p, at));
	at += XRDMA_ICRC_LEN;
	packet_seal(bytes, at - bytes);
	return at - bytes;
}

size_t packet_wrap(int ip_version, const __u8 *bth, size_t len, __u8 bytes[PACKET_MAX])
{
	const struct packet p = { .ip_version = ip_version };
	__u8 *at = put_headers(&p, bytes, len);

	memcpy(at, bth, len);
	packet_seal(bytes, at + len - bytes);
	return at + len - bytes;
}

static size_t headers_len(const __u8 *bytes)
{
	return ETH_LEN + (bytes[ETH_LEN] >> 4 == 6 ? IPV6_LEN : IPV4_LEN) + UDP_LEN;
}

static void set_lengths(__u8 *bytes, size_t len)
{
	size_t udp_at = headers_len(bytes) - UDP_LEN;

	put(bytes + udp_at + 4, 2, len - udp_at);
	if (bytes[ETH_LEN] >> 4 == 6) {
		put(bytes + ETH_LEN + 4, 2, len - udp_at);
		return;
	}
	put(bytes + ETH_LEN + 2, 2, len - ETH_LEN);
	put(bytes + ETH_LEN + 10, 2, 0);
	put(bytes + ETH_LEN + 10, 2, ipv4_checksum(bytes + ETH_LEN));
}

size_t packet_join(const struct packet_frame *frames, int count, __u8 bytes[PACKET_MAX])
{
	size_t at = 0, headers;

	for (int i = 0; i < count; i++) {
		headers = at ? headers_len(frames->bytes) : 0;
		if (frames[i].len < headers) /* as if it ended there */
			continue;
		memcpy(bytes + at, frames[i].bytes + headers, frames[i].len - headers);
		at += frames[i].len - headers;
	}
	set_lengths(bytes, at);
	return at;
}

size_t packet_build_super(const struct packet *p, int count, int id_step, __u8 bytes[PACKET_MAX])
{
	static struct packet_frame frames[PACKET_SEGMENTS_MAX];

	for (int i = 0; i < count; i++) {
		frames[i].len = packet_build(&p[i], frames[i].bytes);
		if (p->ip_version != 6)
			put(frames[i].bytes + ETH_LEN + 4, 2, PACKET_ID + i * id_step);
		packet_seal(frames[i].bytes, frames[i].len);
	}
	return packet_join(frames, count, bytes);
}

/*
 * Compute the ICRC from IBA A17.9.2.1 without the product's code, so that an error there is
 * found.
 */
void packet_seal(__u8 *bytes, size_t len)
{
	__u8 masked[8 + PACKET_MAX], *ip = masked + 8, *udp;
	size_t l2 = ETH_LEN;
	__le32 icrc;

	while (bytes[l2 - 2] == 0x81 || bytes[l2 - 2] == 0x88)
		l2 += 4;
	if (bytes[l2] >> 4 == 4) {
		put(bytes + l2 + 10, 2, 0);
		put(bytes + l2 + 10, 2, ipv4_checksum(bytes + l2));
	}
	memset(masked, 0xff, 8);
	memcpy(ip, bytes + l2, len - l2);
	if (ip[0] >> 4 == 6) {
		ip[0] = 0x6f;
		memset(ip + 1, 0xff, 3);
		ip[7] = 0xff;
		udp = ip + IPV6_LEN;
	} else {
		ip[1] = ip[8] = ip[10] = ip[11] = 0xff;
		udp = ip + IPV4_LEN;
	}
	udp[6] = udp[7] = udp[UDP_LEN + 4] = 0xff;
	icrc = htole32(libdeflate_crc32(0, masked, 8 + len - l2 - XRDMA_ICRC_LEN));
	memcpy(bytes + len - XRDMA_ICRC_LEN, &icrc, XRDMA_ICRC_LEN);
}
