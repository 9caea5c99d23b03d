// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "queue/ah.h"

#include <errno.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <stdlib.h>
#include <string.h>
#include <xrdma/abi/wire.h>

#include "key/pd.h"
#include "lib/error.h"
#include "wire/header.h"
#include "wire/ip.h"

struct xrdma_path xrdma_ah_path(const struct xrdma_device *device, const struct xrdma_ah_attr *attr,
				__u16 mtu)
{
	struct xrdma_path path = {
		.ifindex = device->ifindex,
		.mtu = mtu,
		.udp_sport = attr->udp_sport,
		.tclass = attr->tclass,
		.hop_limit = attr->hop_limit ?: XRDMA_HOP_LIMIT,
	};

	memcpy(path.dest, attr->dest, sizeof(path.dest));
	memcpy(path.source, attr->source, sizeof(path.source));
	return path;
}

int xrdma_ah_create(struct xrdma_pd *pd, const struct xrdma_ah_attr *attr, struct xrdma_ah **ah)
{
	const struct xrdma_device *device = &pd->context->device;
	int mtu, err = xrdma_context_enter(pd->context);

	if (err)
		return err;
	if (attr->udp_sport || attr->peer_sport)
		return xrdma_fail(EINVAL, "an address handle has no UDP ports: set them to 0");
	mtu = xrdma_device_refresh(device) ?: xrdma_path_mtu(device->ifindex, attr->dest);
	if (mtu < 0)
		return mtu;
	*ah = malloc(sizeof(**ah));
	if (!*ah)
		return xrdma_fail(ENOMEM, "no memory for an address handle");
	**ah = (struct xrdma_ah){ .pd = pd, .path = xrdma_ah_path(device, attr, mtu) };
	err = xrdma_path_resolve(&(*ah)->path);
	if (err)
		free(*ah);
	else
		xrdma_count_in(&pd->users);
	return err;
}

static void read_ipv6(const struct ipv6hdr *header, struct xrdma_ah_attr *attr)
{
	xrdma_addr_set(attr->dest, &header->saddr, sizeof(header->saddr));
	xrdma_addr_set(attr->source, &header->daddr, sizeof(header->daddr));
	attr->tclass = header->priority << 4 | header->flow_lbl[0] >> 4;
}

static void read_ipv4(const struct iphdr *header, struct xrdma_ah_attr *attr)
{
	xrdma_addr_set(attr->dest, &header->saddr, sizeof(header->saddr));
	xrdma_addr_set(attr->source, &header->daddr, sizeof(header->daddr));
	attr->tclass = header->tos;
}

int xrdma_ah_create_from_wc(struct xrdma_pd *pd, const struct xrdma_wc *wc, const void *grh,
			    struct xrdma_ah **ah)
{
	struct xrdma_ah_attr attr = { 0 };
	struct ipv6hdr ipv6;
	struct iphdr ipv4;

	if (!(wc->flags & XRDMA_WC_GRH))
		return xrdma_fail(EINVAL, "the completion is not one of a received datagram");
	memcpy(&ipv6, grh, sizeof(ipv6));
	memcpy(&ipv4, (const __u8 *)grh + XRDMA_GRH_LEN - sizeof(ipv4), sizeof(ipv4));
	if (ipv6.version == 6)
		read_ipv6(&ipv6, &attr);
	else if (ipv4.version == 4)
		read_ipv4(&ipv4, &attr);
	else
		return xrdma_fail(EINVAL,
				  "there is no IP header in the first %u bytes of the receive",
				  XRDMA_GRH_LEN);
	if (xrdma_addr_is_multicast(attr.source))
		memset(attr.source, 0, sizeof(attr.source));
	return xrdma_ah_create(pd, &attr, ah);
}

int xrdma_ah_destroy(struct xrdma_ah *ah)
{
	int err = xrdma_context_own(ah->pd->context);

	if (err)
		return err;
	xrdma_count_out(&ah->pd->users);
	free(ah);
	return 0;
}
