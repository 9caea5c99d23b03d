// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "net/udp.h"

#include <errno.h>
#include <linux/filter.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <xrdma/abi/wire.h>

#include "lib/addr.h"
#include "lib/error.h"
#include "wire/header.h"

enum {
	SEND_BYTES = 1 << 20, /* bytes on their way to the wire; the kernel may allow less */
	FLOW_PORTS = 0xc000,  /* first source port of the range in A17.9.2.2 */
	FLOW_PORTS_COUNT = 0x4000,
	FLOW_PORTS_TRIED = 64,
};

/* A socket option, for both families of addresses. */
struct option {
	int level, name, value;
};

static int set(int fd, const struct option *option)
{
	return setsockopt(fd, option->level, option->name, &option->value, sizeof(option->value));
}

static int set_all(int fd, const struct option *options, size_t count)
{
	int err = 0;

	for (size_t i = 0; i < count && !err; i++)
		err = set(fd, &options[i]);
	return err;
}

/*
 * Set the options for packets. They are not fragmented, because an ICRC covers a whole packet.
 * Their length is limited by the netdev's MTU only. ICMP messages that ask for less are ignored
 * (IP_PMTUDISC_PROBE, ip(7)), because anybody can forge one and so end a connection.
 */
static int set_packets(int fd, const struct xrdma_path *path)
{
	const struct option ipv4[] = {
		{ IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE },
		{ IPPROTO_IP, IP_TOS, path->tclass },
		{ IPPROTO_IP, IP_TTL, path->hop_limit },
	};
	const struct option ipv6[] = {
		{ IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_PROBE },
		{ IPPROTO_IPV6, IPV6_DONTFRAG, 1 },
		{ IPPROTO_IPV6, IPV6_TCLASS, path->tclass },
		{ IPPROTO_IPV6, IPV6_UNICAST_HOPS, path->hop_limit },
	};

	if (xrdma_path_is_ipv4(path))
		return set_all(fd, ipv4, sizeof(ipv4) / sizeof(ipv4[0]));
	return set_all(fd, ipv6, sizeof(ipv6) / sizeof(ipv6[0]));
}

/*
 * Option that binds a socket to its netdev. Sockets for local addresses are not bound: the kernel
 * would not send to the address of another netdev.
 */
static struct option device(__u32 ifindex, bool is_local)
{
	return (struct option){ SOL_SOCKET, SO_BINDTOIFINDEX, is_local ? 0 : ifindex };
}

/* Set other options. Queue pairs of one user may share a source port; packets to it are dropped. */
static int set_socket(int fd, const struct xrdma_path *path)
{
	struct sock_filter drop = BPF_STMT(BPF_RET | BPF_K, 0);
	const struct sock_fprog filter = { 1, &drop };
	const struct option options[] = {
		{ SOL_SOCKET, SO_REUSEPORT, 1 },
		{ SOL_SOCKET, SO_SNDBUF, SEND_BYTES },
		device(path->ifindex, path->is_local),
	};

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter))
		       ?: set_all(fd, options, sizeof(options) / sizeof(options[0]));
}

static int socket_to(const __be32 dest[4])
{
	int family = xrdma_addr_is_ipv4(dest) ? AF_INET : AF_INET6;

	return socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* Set a socket address to ADDR and PORT, which have the same place for both families. */
static socklen_t address(const __be32 addr[4], __u16 port, __u32 ifindex,
			 struct sockaddr_storage *to)
{
	socklen_t len = xrdma_addr_to_socket(addr, ifindex, to);

	((struct sockaddr_in *)to)->sin_port = htons(port);
	return len;
}

static int bind_source(int fd, const struct xrdma_path *path, __u16 sport)
{
	struct sockaddr_storage source;
	socklen_t len = address(path->source, sport, path->ifindex, &source);

	return bind(fd, (const struct sockaddr *)&source, len);
}

/*
 * Read the source port, which has the same place for both families. Returns 0 or -1, like bind(2).
 */
static int learn_port(struct xrdma_udp *udp)
{
	struct sockaddr_storage source;
	socklen_t len = sizeof(source);
	int err = getsockname(udp->fd, (struct sockaddr *)&source, &len);

	udp->sport = ntohs(((struct sockaddr_in *)&source)->sin_port);
	return err;
}

static int set_dest(struct xrdma_udp *udp, const struct xrdma_path *path)
{
	struct sockaddr_storage to;
	socklen_t len = address(path->dest, XRDMA_UDP_PORT, path->ifindex, &to);

	udp->to_len = to.ss_family == AF_INET ? len : 0;
	memcpy(&udp->to, &to, udp->to_len);
	return udp->to_len ? 0 : connect(udp->fd, (const struct sockaddr *)&to, len);
}

/* Close UDP, which could not be opened with the source port SPORT because of ERROR. */
static int refuse(struct xrdma_udp *udp, __u16 sport, int error)
{
	xrdma_udp_close(udp);
	if (error == EADDRINUSE)
		return xrdma_fail(
			error, "another user has the UDP port %u: choose another udp_sport", sport);
	return xrdma_fail(error, "cannot open a UDP socket to send by: %s", strerror(error));
}

/* Open UDP with the source port SPORT, or with a port that the kernel chooses if SPORT is 0. */
static int open_at(struct xrdma_udp *udp, const struct xrdma_path *path, __u16 sport)
{
	*udp = (struct xrdma_udp){ .fd = socket_to(path->dest) };
	if (udp->fd >= 0 && !set_socket(udp->fd, path) && !set_packets(udp->fd, path) &&
	    !bind_source(udp->fd, path, sport) && !learn_port(udp) && !set_dest(udp, path))
		return 0;
	return refuse(udp, sport, errno);
}

/* Return the source port number ATTEMPT for SEED. Ports repeat after FLOW_PORTS_COUNT attempts. */
static __u16 flow_port(__u32 seed, __u32 attempt)
{
	return FLOW_PORTS | ((seed * 2654435761U >> 18) + attempt) % FLOW_PORTS_COUNT;
}

/* Open UDP for destinations that the messages name, with the source port SPORT. */
static int open_any_at(struct xrdma_udp *udp, __u16 sport)
{
	const struct sockaddr_in6 source = { .sin6_family = AF_INET6, .sin6_port = htons(sport) };
	const struct xrdma_path any = { .hop_limit = XRDMA_HOP_LIMIT, .is_local = true };
	const struct option ipv4[] = {
		{ IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE },
		{ IPPROTO_IP, IP_TTL, XRDMA_HOP_LIMIT },
		{ IPPROTO_IPV6, IPV6_V6ONLY, 0 },
	};

	*udp = (struct xrdma_udp){ .fd = socket_to(any.dest) };
	if (udp->fd >= 0 && !set_socket(udp->fd, &any) && !set_packets(udp->fd, &any) &&
	    !set_all(udp->fd, ipv4, sizeof(ipv4) / sizeof(ipv4[0])) &&
	    !bind(udp->fd, (const struct sockaddr *)&source, sizeof(source)) && !learn_port(udp))
		return 0;
	return refuse(udp, sport, errno);
}

int xrdma_udp_open_any(struct xrdma_udp *udp, __u32 seed)
{
	int err = -EADDRINUSE;

	for (__u32 i = 0; i <= FLOW_PORTS_TRIED && err == -EADDRINUSE; i++)
		err = open_any_at(udp, flow_port(seed, i));
	return err == -EADDRINUSE ? open_any_at(udp, 0) : err;
}

int xrdma_udp_open(struct xrdma_udp *udp, const struct xrdma_path *path, __u32 seed)
{
	int err = -EADDRINUSE;

	if (path->udp_sport)
		return open_at(udp, path, path->udp_sport);
	for (__u32 i = 0; i <= FLOW_PORTS_TRIED && err == -EADDRINUSE; i++)
		err = open_at(udp, path, flow_port(seed, i));
	return err == -EADDRINUSE ? open_at(udp, path, 0) : err;
}

void xrdma_udp_close(struct xrdma_udp *udp)
{
	if (udp->fd >= 0)
		close(udp->fd);
	udp->fd = -1;
}

/* Returns whether message NUMBER was refused with ERROR because the kernel cannot cut it. */
static bool is_uncut(const struct xrdma_burst *burst, __u32 number, int error)
{
	return burst->is_segmented[number] &&
	       (error == EIO || error == EINVAL || error == EMSGSIZE || error == EOPNOTSUPP);
}

__u32 xrdma_udp_send(struct xrdma_udp *udp, struct xrdma_burst *burst)
{
	bool refused = false;
	__u32 gone = 0;
	int sent;

	for (__u32 i = 0; i < burst->count && udp->to_len; i++) {
		burst->messages[i].msg_hdr.msg_name = (void *)&udp->to;
		burst->messages[i].msg_hdr.msg_namelen = udp->to_len;
	}
	while (gone < burst->count) {
		sent = sendmmsg(udp->fd, burst->messages + gone, burst->count - gone, 0);
		if (sent < 0 && (errno == EAGAIN || errno == ENOBUFS))
			break;
		if (sent < 0 && is_uncut(burst, gone, errno)) {
			udp->is_single = true;
			break;
		}
		/*
		 * The first error may belong to an earlier message, for example after an ICMP
		 * message.
		 */
		gone += sent < 0 ? refused : sent;
		refused = sent < 0 && !refused;
	}
	return gone;
}
