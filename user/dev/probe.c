// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "dev/probe.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/addr.h"
#include "net/neigh.h"
#include "net/netdev.h"
#include "arp_request.h"
#include "probe.skel.h"

enum { ASKED_MAX = 8, ROUNDS = 10, ROUND_MS = 100, LINK_WAIT_MS = 5000 };

/* Neighbour to ask, and our addresses for the request. */
struct inquiry {
	struct xrdma_netdev netdev;
	__be32 own; /* 0: the netdev has no IPv4 address */
	__u32 count;
	__be32 neighbours[ASKED_MAX];
};

static void take_own(__u32 ifindex, const __be32 addr[4], void *arg)
{
	struct inquiry *inquiry = arg;

	if (ifindex == inquiry->netdev.ifindex && xrdma_addr_is_ipv4(addr) && !inquiry->own)
		inquiry->own = addr[3];
}

static void take_neighbour(__u32 ifindex, const __be32 addr[4], void *arg)
{
	struct inquiry *inquiry = arg;

	if (ifindex == inquiry->netdev.ifindex && xrdma_addr_is_ipv4(addr) &&
	    inquiry->count < ASKED_MAX)
		inquiry->neighbours[inquiry->count++] = addr[3];
}

static int prepare(struct inquiry *inquiry, __u32 ifindex)
{
	int err;

	*inquiry = (struct inquiry){ .own = 0 };
	err = xrdma_netdev_query(ifindex, &inquiry->netdev);
	if (!err)
		err = xrdma_netdev_addrs(take_own, inquiry);
	if (!err)
		err = xrdma_neighbours(take_neighbour, inquiry);
	return err;
}

/* Send an ARP request by broadcast, because no other address is certain. */
static int ask(int socket, const struct inquiry *inquiry, __be32 neighbour)
{
	struct xrdma_arp question = {
		.hardware = htons(XRDMA_ARP_ETHERNET),
		.protocol = htons(ETH_P_IP),
		.hardware_len = ETH_ALEN,
		.protocol_len = sizeof(neighbour),
		.operation = htons(XRDMA_ARP_REQUEST),
		.sender = inquiry->own,
		.target = neighbour,
	};
	struct sockaddr_ll all = { .sll_family = AF_PACKET,
				   .sll_protocol = htons(ETH_P_ARP),
				   .sll_ifindex = inquiry->netdev.ifindex,
				   .sll_halen = ETH_ALEN };

	memcpy(question.sender_mac, inquiry->netdev.mac, ETH_ALEN);
	memset(all.sll_addr, 0xff, ETH_ALEN);
	return sendto(socket, &question, sizeof(question), 0, (void *)&all, sizeof(all)) < 0
		       ? -errno
		       : 0;
}

/* Probe one neighbour at a time, because replies are counted for one request. */
static bool is_answered(struct xrdma_probe_row *row, int socket, const struct inquiry *inquiry,
			__be32 neighbour)
{
	__atomic_store_n(&row->neighbour, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&row->answers, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&row->neighbour, neighbour, __ATOMIC_RELEASE);
	if (ask(socket, inquiry, neighbour))
		return false;
	for (int ms = 0; ms < ROUND_MS; ms++) {
		if (__atomic_load_n(&row->answers, __ATOMIC_ACQUIRE) >= XRDMA_PROBE_REPLIES)
			return true;
		poll(NULL, 0, 1);
	}
	return false;
}

/* Wait for the link, which some drivers take down to attach a program. */
static void await_link(const struct xrdma_netdev *before)
{
	struct xrdma_netdev now;

	for (int ms = 0; before->is_running && ms < LINK_WAIT_MS; ms++) {
		if (xrdma_netdev_query(before->ifindex, &now) || now.is_running)
			return;
		poll(NULL, 0, 1);
	}
}

static enum xrdma_mode_reason ask_all(struct xrdma_probe_row *row, const struct inquiry *inquiry)
{
	enum xrdma_mode_reason reason = XRDMA_REASON_UNANSWERED;
	int fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	await_link(&inquiry->netdev);
	for (int i = 0; fd >= 0 && i < ROUNDS && reason != XRDMA_REASON_PROVED; i++)
		if (is_answered(row, fd, inquiry, inquiry->neighbours[i % inquiry->count]))
			reason = XRDMA_REASON_PROVED;
	if (fd >= 0)
		close(fd);
	return reason;
}

/* Run the probe. The link detaches the program even if this process is killed. */
static enum xrdma_mode_reason try(struct probe_bpf *proof, const struct inquiry *inquiry)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = XDP_FLAGS_DRV_MODE);
	enum xrdma_mode_reason reason;
	int link = bpf_link_create(bpf_program__fd(proof->progs.xrdma_probe),
				   inquiry->netdev.ifindex, BPF_XDP, &opts);

	if (link < 0)
		return link == -EBUSY || link == -EEXIST ? XRDMA_REASON_OTHER_XDP
							 : XRDMA_REASON_NO_NATIVE;
	reason = ask_all(&proof->bss->xrdma_probe_row, inquiry);
	bpf_link_detach(link);
	close(link);
	return reason;
}

enum xrdma_mode_reason xrdma_prove_native(__u32 ifindex)
{
	enum xrdma_mode_reason reason;
	struct probe_bpf *proof;
	struct inquiry inquiry;

	if (prepare(&inquiry, ifindex) || !inquiry.own || !inquiry.count)
		return XRDMA_REASON_NO_NEIGHBOUR;
	proof = probe_bpf__open_and_load();
	if (!proof)
		return XRDMA_REASON_NO_NATIVE;
	reason = try(proof, &inquiry);
	probe_bpf__destroy(proof);
	return reason;
}
