// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "segments.h"

#include <arpa/inet.h>
#include <endian.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <string.h>

#include "lib/frame.h"

enum {
	DATA_MIN = sizeof(struct xrdma_bth) + XRDMA_ICRC_LEN,
	DATA_MAX = XRDMA_FRAME_MAX - XRDMA_HEADERS_MAX,
	IP_AND_UDP_MAX = sizeof(struct ipv6hdr) + sizeof(struct udphdr),
};

static size_t outer_of(const struct segments *s)
{
	return sizeof(struct udphdr) +
	       (s->ip_version == 4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr));
}

/* Adjust the headers of IP and UDP of packet I to LEN bytes of data. */
static void fit_headers(const struct segments *s, __u8 *headers, __u32 i, __u32 len)
{
	struct iphdr *ipv4 = (void *)headers;
	struct ipv6hdr *ipv6 = (void *)headers;
	struct udphdr *udp = (void *)(headers + outer_of(s) - sizeof(*udp));

	udp->len = htons(sizeof(*udp) + len);
	udp->check = 0;
	if (s->ip_version == 6) {
		ipv6->payload_len = udp->len;
		return;
	}
	ipv4->tot_len = htons(sizeof(*ipv4) + sizeof(*udp) + len);
	if (!s->same_id)
		ipv4->id = htons(ntohs(ipv4->id) + i);
}

/* Returns the number of data bytes in packet I. */
static __u32 length_of(const struct segments *s, __u32 i)
{
	const __u32 left = s->len - s->data_at - i * s->size;

	return left < s->size ? left : s->size;
}

static bool has_right_icrc(const struct segments *s, __u32 i)
{
	const __u8 *data = s->bytes + s->data_at + (size_t)i * s->size;
	const __u32 len = length_of(s, i);
	_Alignas(8) __u8 headers[IP_AND_UDP_MAX];
	__le32 icrc;

	if (len < DATA_MIN || data + len > s->bytes + s->captured)
		return false;
	memcpy(headers, s->bytes + s->ip_at, outer_of(s));
	fit_headers(s, headers, i, len);
	memcpy(&icrc, data + len - sizeof(icrc), sizeof(icrc));
	return xrdma_frame_icrc_apart(headers, s->ip_version, data, len - sizeof(icrc)) ==
	       le32toh(icrc);
}

/* Returns the length of the IP packet, from its header. */
static __u32 ip_length(const struct segments *s)
{
	struct iphdr ipv4;
	struct ipv6hdr ipv6;

	if (s->ip_version == 4) {
		memcpy(&ipv4, s->bytes + s->ip_at, sizeof(ipv4));
		return ntohs(ipv4.tot_len);
	}
	memcpy(&ipv6, s->bytes + s->ip_at, sizeof(ipv6));
	return sizeof(ipv6) + ntohs(ipv6.payload_len);
}

/* Returns whether the headers describe one datagram that is as long as the frame. */
static bool has_headers(struct segments *s)
{
	const size_t outer = outer_of(s);
	struct udphdr udp;
	__u32 len;

	s->data_at = s->ip_at + outer;
	if (s->captured < s->data_at)
		return false;
	memcpy(&udp, s->bytes + s->data_at - sizeof(udp), sizeof(udp));
	len = ip_length(s);
	if (ntohs(udp.len) + outer != len + sizeof(udp) || s->len < s->ip_at + len)
		return false;
	s->len = s->ip_at + len;
	return true;
}

bool segments_find(struct segments *s)
{
	if (!has_headers(s))
		return false;
	s->same_id = false;
	for (s->size = DATA_MIN; s->size <= DATA_MAX; s->size += 4) {
		if (s->size >= s->len - s->data_at)
			return false;
		if (has_right_icrc(s, 0))
			break;
	}
	if (s->size > DATA_MAX)
		return false;
	s->count = (s->len - s->data_at + s->size - 1) / s->size;
	if (s->ip_version == 4 && !has_right_icrc(s, 1)) {
		s->same_id = true;
		s->same_id = has_right_icrc(s, 1);
	}
	return true;
}

size_t segments_cut(const struct segments *s, __u32 i, __u8 *frame, size_t room, size_t *captured)
{
	const size_t at = s->data_at + (size_t)i * s->size;
	const __u32 len = length_of(s, i);
	size_t have = s->captured > at ? s->captured - at : 0;
	_Alignas(8) __u8 headers[IP_AND_UDP_MAX];

	if (have > len)
		have = len;
	if (have > room - s->data_at)
		have = room - s->data_at;
	memcpy(headers, s->bytes + s->ip_at, outer_of(s));
	fit_headers(s, headers, i, len);
	memcpy(frame, s->bytes, s->ip_at);
	memcpy(frame + s->ip_at, headers, outer_of(s));
	memcpy(frame + s->data_at, s->bytes + at, have);
	*captured = s->data_at + have;
	return s->data_at + len;
}
