// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "peer_view.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "support/test.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects A */
static struct xrdma_mr *own;				 /* memory of A */

void peer_view_open(void)
{
	pair_open_with(128);
}

void peer_view_start(void)
{
	pair_start();
	pair.b.attr.access = XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ;
	pair.a.attr.rnr_retry = 7; /* for ever: B may fork during each SEND of A */
	pair_connect(4, 4096);
	expect_int(xrdma_mr_reg(pair.a.owner.pd, pair.a.owner.memory, PAIR_BYTES,
				XRDMA_ACCESS_LOCAL_WRITE, &own),
		   ==, 0);
}

void peer_view_stop(void)
{
	expect_int(xrdma_mr_close(own), ==, 0);
	pair_stop();
}

/* Transfer bytes between A's memory and the memory of MR at ADDR. */
static bool execute(enum xrdma_wr_opcode opcode, const struct xrdma_mr *mr, void *addr, size_t len)
{
	struct xrdma_sge of = { (uintptr_t)pair.a.owner.memory, len, xrdma_mr_lkey(own) };
	struct xrdma_send_wr request = side_request(opcode, &of, addr, xrdma_mr_key(mr));
	struct xrdma_wc done;
	int count;

	if (xrdma_qp_post_send(pair.a.qp, &request, &send_bad))
		return false;
	while (!(count = xrdma_cq_poll(pair.a.cq, 1, &done)))
		;
	if (count == 1 && done.status == XRDMA_WC_SUCCESS)
		return true;
	fprintf(stderr, "polled %d completions; status %d\n", count, done.status);
	return false;
}

static bool has_bytes_of_a(const void *addr, size_t len)
{
	const __u8 *here = addr, *there = pair.a.owner.memory;

	for (size_t i = 0; i < len; i++)
		if (here[i] != there[i]) {
			fprintf(stderr, "byte %zu of %zu at %p is %#x, not %#x\n", i, len, addr,
				here[i], there[i]);
			return false;
		}
	return true;
}

static bool is_written(const struct xrdma_mr *mr, void *addr, size_t len)
{
	arc4random_buf(pair.a.owner.memory, len);
	return execute(XRDMA_WR_RDMA_WRITE, mr, addr, len) && has_bytes_of_a(addr, len);
}

static bool is_read(const struct xrdma_mr *mr, void *addr, size_t len)
{
	arc4random_buf(addr, len);
	return execute(XRDMA_WR_RDMA_READ, mr, addr, len) && has_bytes_of_a(addr, len);
}

bool peer_sees(void *addr, size_t len)
{
	struct xrdma_mr *mr;
	bool seen;

	if (xrdma_mr_reg(pair.b.owner.pd, addr, len,
			 XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE |
				 XRDMA_ACCESS_REMOTE_READ,
			 &mr)) {
		fprintf(stderr, "%s\n", xrdma_error());
		return false;
	}
	pthread_mutex_lock(&lock);
	seen = is_written(mr, addr, len) && is_read(mr, addr, len);
	pthread_mutex_unlock(&lock);
	return !xrdma_mr_close(mr) && seen;
}

bool is_cached(const void *addr)
{
	return is_any_cached((uintptr_t)addr, 1);
}

bool is_any_cached(uintptr_t addr, size_t len)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start = 0, end;
	char line[512];
	bool kept = false;

	while (!kept && start < addr + len && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx", &start, &end) == 2 && end > addr && start < addr + len)
			kept = strstr(line, "anon_inode:bpf-map");
	fclose(maps);
	return kept;
}

void *map_at(void *addr, size_t len)
{
	void *mapped = mmap(addr, len, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | (addr ? MAP_FIXED_NOREPLACE : 0), -1, 0);

	expect_msg(mapped != MAP_FAILED, "no memory at %p", addr);
	return mapped;
}
