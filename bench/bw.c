// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Bandwidth from host to host (run.sh): WRITEs and READs of 64 KiB with 16 under way, and WRITEs of
 * 64 bytes with 64 under way. Time is measured from the first post to the last completion. The
 * baseline is TCP in pieces of 64 KiB, before xrdma is loaded, until the receiver has confirmed all
 * bytes. The netdevs' offloads are on for a path MTU of 4096, and off for one of 1024. TCP segments
 * fill the netdevs' MTU of 4500. Use bw_tcp_offload_off_1024 to compare packets of equal length.
 * Results are Gbit/s of payload.
 */
#include <err.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "hosts.h"
#include "peer.h"

enum { PIECE = 64 << 10, PIECES = 512, ROUNDS = 15, SMALL = 64, SMALLS = 100000 };

static double gbit_per_s(__u64 bytes, __u32 ns)
{
	return 8.0 * bytes / ns;
}

static double median_of(__u32 (*round)(void *of), void *of)
{
	const int rounds = bench_rounds(ROUNDS);
	__u32 ns[ROUNDS];

	round(of);
	for (int i = 0; i < rounds; i++)
		ns[i] = round(of);
	return bench_median(ns, rounds);
}

static void sink(const void *of, int ready)
{
	static char bytes[PIECE];
	int fd = hosts_tcp_accept(ready);
	__u64 all = 0;
	ssize_t got;

	(void)of;
	while ((got = recv(fd, bytes, sizeof(bytes), 0)) > 0) {
		all += got;
		if (all % ((__u64)PIECE * PIECES) == 0 && send(fd, "", 1, 0) != 1)
			return;
	}
}

static __u32 send_all(void *fd)
{
	static const char bytes[PIECE];
	struct timespec start;
	char byte;

	clock_gettime(CLOCK_MONOTONIC, &start);
	for (int i = 0; i < PIECES; i++)
		hosts_tcp_send(*(int *)fd, bytes, PIECE);
	if (recv(*(int *)fd, &byte, 1, 0) != 1)
		errx(1, "the TCP peer has gone");
	return bench_ns_since(&start);
}

static void set_offloads(const char *host, const char *netdev, bool on)
{
	const __u32 commands[] = { ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SGRO };
	struct ethtool_value value = { .data = on };
	struct ifreq request = { .ifr_data = (void *)&value };
	int fd;

	hosts_enter(host);
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	strncpy(request.ifr_name, netdev, IFNAMSIZ - 1);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		value.cmd = commands[i];
		if (ioctl(fd, SIOCETHTOOL, &request))
			err(1, "cannot set the offloads of %s", netdev);
	}
	close(fd);
}

/*
 * Returns the bandwidth of TCP with the offloads on or off. Segments have SEGMENT bytes, or as many
 * as the MTU allows if SEGMENT is 0. Afterwards the offloads are on, except GRO, which is off on
 * veth by default.
 */
static double tcp(bool offloads, int segment)
{
	pid_t peer;
	double ns;
	int fd;

	set_offloads("a", "xa", offloads);
	set_offloads("b", "xb", offloads);
	peer = hosts_start(sink, NULL);
	fd = hosts_tcp_connect(segment);
	ns = median_of(send_all, &fd);
	close(fd);
	hosts_end(peer);
	set_offloads("a", "xa", true);
	set_offloads("b", "xb", true);
	return gbit_per_s((__u64)PIECE * PIECES, ns);
}

/* A request that is posted COUNT times, with DEPTH in flight. */
struct load {
	struct peer peer;
	struct xrdma_send_wr chain[PEER_WRS];
	int depth, count;
};

static void post(struct load *load, int count)
{
	for (int i = 0; i < count; i++)
		load->chain[i].next = i + 1 < count ? &load->chain[i + 1] : NULL;
	endpoint_send(load->peer.e.qp, load->chain);
}

/* Post COUNT requests, in chains of as many as have completed. */
static __u32 execute(void *of)
{
	int posted, done = 0, count;
	struct xrdma_wc wc[PEER_WRS];
	struct load *load = of;
	struct timespec start;

	clock_gettime(CLOCK_MONOTONIC, &start);
	post(load, posted = load->depth);
	while (done < load->count) {
		count = xrdma_cq_poll(load->peer.e.cq, PEER_WRS, wc);
		for (int i = 0; i < count; i++)
			if (wc[i].status != XRDMA_WC_SUCCESS)
				errx(1, "%s", xrdma_wc_status_str(wc[i].status));
		done += count;
		if (count > load->count - posted)
			count = load->count - posted;
		if (count > 0)
			post(load, count);
		posted += count;
	}
	return bench_ns_since(&start);
}

static double requests(enum xrdma_mode mode, __u16 path_mtu, enum xrdma_wr_opcode opcode, __u32 len,
		       int depth, int count)
{
	const struct peer_attr attr = { .mode = mode, .bytes = len, .path_mtu = path_mtu };
	struct load load = { .depth = depth, .count = count };
	double ns;

	peer_open(&load.peer, &attr);
	for (int i = 0; i < depth; i++)
		load.chain[i] = peer_request(&load.peer, opcode, len);
	ns = median_of(execute, &load);
	peer_close(&load.peer);
	return ns;
}

static const struct bandwidth {
	const char *name;
	enum xrdma_mode mode;
	__u16 path_mtu;
	enum xrdma_wr_opcode opcode;
} bandwidths[] = {
	{ "bw_write_64k_1024", XRDMA_MODE_AUTO, 1024, XRDMA_WR_RDMA_WRITE },
	{ "bw_write_64k_4096", XRDMA_MODE_AUTO, 4096, XRDMA_WR_RDMA_WRITE },
	{ "bw_read_64k_1024", XRDMA_MODE_AUTO, 1024, XRDMA_WR_RDMA_READ },
	{ "bw_read_64k_4096", XRDMA_MODE_AUTO, 4096, XRDMA_WR_RDMA_READ },
	{ "bw_write_64k_1024_native", XRDMA_MODE_NATIVE, 1024, XRDMA_WR_RDMA_WRITE },
	{ "bw_write_64k_4096_native", XRDMA_MODE_NATIVE, 4096, XRDMA_WR_RDMA_WRITE },
	{ "bw_read_64k_1024_native", XRDMA_MODE_NATIVE, 1024, XRDMA_WR_RDMA_READ },
	{ "bw_read_64k_4096_native", XRDMA_MODE_NATIVE, 4096, XRDMA_WR_RDMA_READ },
};

void bench_bw(void)
{
	enum { DEPTH = 16, SMALL_DEPTH = 64 };
	const int smalls = bench_rounds(SMALLS);
	double on, off, off_1024, ns;

	bench_pin(0);
	on = tcp(true, 0);
	off = tcp(false, 0);
	off_1024 = tcp(false, 1024);
	bench_report("bw_tcp_offload_on", "Gbit/s", on, on);
	bench_report("bw_tcp_offload_off", "Gbit/s", off, off);
	bench_report("bw_tcp_offload_off_1024", "Gbit/s", off_1024, off);
	ns = requests(XRDMA_MODE_AUTO, 0, XRDMA_WR_RDMA_WRITE, SMALL, SMALL_DEPTH, smalls);
	bench_report("rate_write_64", "op/us", smalls * 1000.0 / ns, 1.5);
	for (size_t i = 0; i < sizeof(bandwidths) / sizeof(bandwidths[0]); i++) {
		const struct bandwidth *b = &bandwidths[i];

		ns = requests(b->mode, b->path_mtu, b->opcode, PIECE, DEPTH, PIECES);
		bench_report(b->name, "Gbit/s", gbit_per_s((__u64)PIECE * PIECES, ns),
			     b->path_mtu == 1024 ? off : on);
	}
	peers_unload();
}
