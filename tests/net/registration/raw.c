// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Raw keys (fi_mr(3)): traffic with regions in a domain with XRDMA_MR_MODE_RAW, and refusals.
 * tests/net/rc.sh runs it.
 */
#include <endian.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xrdma/cntr.h>

#include "support/region.h"
#include "support/buffers.h"
#include "support/test.h"

enum {
	RAW_SIZE = 12,
	PLAIN_SIZE = 4,
	MODE = XRDMA_MR_MODE_LOCAL | XRDMA_MR_MODE_ALLOCATED | XRDMA_MR_MODE_RAW,
};

static __u8 raw[RAW_SIZE]; /* raw key of the region */
static __u64 base_addr;

static void open_domain(void)
{
	region_open(MODE);
}

TestSuite(raw, .once = open_domain, .end = region_close, .init = region_start, .fini = region_stop);

static void get_raw(void)
{
	size_t size = RAW_SIZE;

	expect_int(xrdma_mr_raw_attr(region.mr, &base_addr, raw, &size, 0), ==, 0);
	expect_int(size, ==, RAW_SIZE);
}

/* Map B's raw key in A, like fi_mr_map_raw(). */
static void map(void)
{
	get_raw();
	expect_msg(xrdma_mr_map_raw(pair.a.owner.pd, base_addr, raw, RAW_SIZE, &region.key, 0) == 0,
		   "%s", xrdma_error());
	region.base = base_addr;
}

static void unmap(void)
{
	expect_int(xrdma_mr_unmap_key(pair.a.owner.pd, region.key), ==, 0);
}

/* Returns the R_Key in the raw key. */
static __u32 raw_rkey(void)
{
	__be32 key;

	memcpy(&key, raw, sizeof(key));
	return be32toh(key);
}

static __u64 raw_secret(void)
{
	__be64 secret;

	memcpy(&secret, raw + PLAIN_SIZE, sizeof(secret));
	return be64toh(secret);
}

Test(raw, every_operation)
{
	region_reg(REGION_ACCESS);
	expect(xrdma_mr_key(region.mr) == XRDMA_KEY_NOTAVAIL);
	map();
	expect_int(base_addr, ==, 0);
	expect(region.key >> 32 && region.key != XRDMA_KEY_NOTAVAIL);
	expect_int(raw_rkey(), ==, REGION_KEY);
	region_every_operation();
	unmap();
}

/* B's own requests and receives do not use the secret, and their key differs from that of peers. */
Test(raw, buffers)
{
	struct iovec iov[REGION_BUFFERS];

	region_cut(iov);
	region_regv(iov, REGION_BUFFERS, REGION_ACCESS);
	map();
	region.own_base = 0;
	region_every_operation();
	region_expect_refused(XRDMA_WR_RDMA_WRITE, xrdma_mr_lkey(region.mr), 0, 64);
	region_expect_refused(XRDMA_WR_RDMA_READ, xrdma_mr_lkey(region.mr), 0, 64);
	region_end();
	region_expect_refused(XRDMA_WR_RDMA_WRITE, region.key, 0, 64);
	unmap();
}

/* The list for peers and the list for the process are enabled together. */
Test(raw, disabled_buffers)
{
	struct iovec iov[REGION_BUFFERS];

	region_cut(iov);
	region.flags = XRDMA_RMA_EVENT;
	region_regv(iov, REGION_BUFFERS, REGION_ACCESS);
	region.own_base = 0;
	region_expect_sent(xrdma_mr_lkey(region.mr), XRDMA_WC_LOC_PROT_ERR);
	expect_int(xrdma_mr_enable(region.mr), ==, 0);
	region_expect_sent(xrdma_mr_lkey(region.mr), XRDMA_WC_SUCCESS);
	map();
	pair_connect(4, 1024);
	region_write(0, 64);
	unmap();
}

/* Registering repeatedly gives back all keys. */
Test(raw, registered_again_and_again)
{
	struct iovec iov[REGION_BUFFERS];

	region_cut(iov);
	for (int i = 0; i < 2 * REGION_BUFFERS; i++)
		region_regv(iov, REGION_BUFFERS, 0);
}

/* Raw keys work with virtual addresses and a key of the library. */
Test(raw, virtual_addresses)
{
	struct xrdma_pd_attr attr = {
		.sz = sizeof(attr),
		.mr_mode = MODE | XRDMA_MR_MODE_VIRT_ADDR | XRDMA_MR_MODE_PROV_KEY |
			   XRDMA_MR_MODE_HMEM,
	};
	struct xrdma_pd *pd;
	struct xrdma_mr *mr;
	size_t size = RAW_SIZE;

	expect_int(xrdma_pd_open(pair.b.owner.context, &attr, &pd), ==, 0);
	expect_int(attr.mr_mode, ==, MODE | XRDMA_MR_MODE_VIRT_ADDR | XRDMA_MR_MODE_PROV_KEY);
	expect_int(attr.mr_key_size, ==, RAW_SIZE);
	expect_int(register_buffer(pd, pair.target, PAIR_BYTES, REGION_ACCESS, 7, 0, &mr), ==, 0);
	expect_int(xrdma_mr_raw_attr(mr, &base_addr, raw, &size, 0), ==, 0);
	expect_int(base_addr, ==, (uintptr_t)pair.target);
	expect_int(raw_rkey(), !=, 7);
	/* The row contains the base that peers use. */
	expect_int(side_key(&pair.b, raw_rkey())->base, ==, base_addr + raw_secret());
	expect_int(side_key(&pair.b, raw_rkey())->secret, ==, raw_secret());
	expect_int(xrdma_mr_close(mr), ==, 0);
	expect_int(xrdma_pd_dealloc(pd), ==, 0);
}

/* A peer that has only the 32 bits of the key, or another secret, is refused. */
Test(raw, without_the_secret)
{
	__u64 key;

	region_reg(REGION_ACCESS);
	get_raw();
	region_expect_refused(XRDMA_WR_RDMA_WRITE, raw_rkey(), 0, 64);
	region_expect_refused(XRDMA_WR_RDMA_READ, raw_rkey(), 0, 64);
	region_expect_refused(XRDMA_WR_ATOMIC_FETCH_AND_ADD, raw_rkey(), 0, 8);
	for (int bit = 3; bit < 64; bit += 4) {
		const int at = RAW_SIZE - 1 - bit / 8, inside = PAIR_BYTES > 1ULL << bit;

		if (inside) /* another address in the region */
			continue;
		raw[at] ^= 1 << bit % 8;
		expect_int(xrdma_mr_map_raw(pair.a.owner.pd, 0, raw, RAW_SIZE, &key, 0), ==, 0);
		region_expect_refused(XRDMA_WR_RDMA_WRITE, key, 0, 64);
		expect_int(xrdma_mr_unmap_key(pair.a.owner.pd, key), ==, 0);
		raw[at] ^= 1 << bit % 8;
	}
}

/* Each region has its own secret, and words of atomics stay aligned. */
Test(raw, secrets)
{
	__u64 last;

	region_reg(REGION_ACCESS);
	get_raw();
	last = raw_secret();
	region_reg(REGION_ACCESS);
	get_raw();
	expect(raw_secret() != last && raw_secret() >> 32 != last >> 32);
	expect_int((raw_secret() | last) & 7, ==, 0);
}

/* A peer without raw keys can be told the address that includes the secret. */
Test(raw, by_a_standard_peer)
{
	region_reg(REGION_ACCESS);
	get_raw();
	region.key = raw_rkey();
	region.base = base_addr + raw_secret();
	region_every_operation();
}

/* In a domain without XRDMA_MR_MODE_RAW, a raw key is the key alone. */
Test(raw, of_other_domains)
{
	size_t size = PLAIN_SIZE;

	memset(raw, 0, sizeof(raw));
	expect_int(xrdma_mr_raw_attr(region.local, &base_addr, raw, &size, 0), ==, 0);
	expect_int(size, ==, PLAIN_SIZE);
	expect_int(raw_rkey(), ==, xrdma_mr_key(region.local));
	expect_int(raw_secret(), ==, 0);
	expect_int(base_addr, ==, (uintptr_t)pair.source);
}

/* A plain key can be mapped, too. */
Test(raw, plain_keys)
{
	const __be32 plain = htobe32(xrdma_mr_key(pair.target_mr));
	__u64 key;

	expect_int(xrdma_mr_map_raw(pair.a.owner.pd, 0, (const __u8 *)&plain, PLAIN_SIZE, &key, 0),
		   ==, 0);
	pair_set_write(64, 256);
	send_wr.rkey = key;
	pair_expect(XRDMA_WC_SUCCESS);
	pair_expect_written(64, 256);
	expect_int(xrdma_mr_unmap_key(pair.a.owner.pd, key), ==, 0);
}

/* The key of xrdma_mr_reg() has no secret, in any domain. */
Test(raw, of_verbs_regions)
{
	size_t size = RAW_SIZE;
	struct xrdma_mr *mr;

	expect_int(xrdma_mr_reg(pair.b.owner.pd, pair.target, 64, 0, &mr), ==, 0);
	expect_int(xrdma_mr_raw_attr(mr, &base_addr, raw, &size, 0), ==, 0);
	expect_int(size, ==, RAW_SIZE);
	expect_int(xrdma_mr_key(mr), ==, raw_rkey());
	expect_int(raw_secret(), ==, 0);
	expect_int(xrdma_mr_close(mr), ==, 0);
}

static void expect_unmapped(const char *text)
{
	pair_connect(4, 1024);
	region_set_write(0, 64);
	expect_error(pair_post(), EINVAL, text);
	send_wr.opcode = XRDMA_WR_RDMA_READ;
	expect_error(pair_post(), EINVAL, text);
	send_wr.opcode = XRDMA_WR_ATOMIC_FETCH_AND_ADD;
	send_sge.length = 8;
	expect_error(pair_post(), EINVAL, text);
}

/*
 * A key that was unmapped is refused, also if its row is used again. So is a key of another domain,
 * and a number that is no key.
 */
Test(raw, unmapped)
{
	const __u64 out_of_range = 1ULL << 63 | 1ULL << 32 | 1024;
	__u64 first, second;

	region_reg(REGION_ACCESS);
	map();
	first = region.key;
	unmap();
	expect_unmapped("is not mapped in the protection domain");
	expect_error(xrdma_mr_unmap_key(pair.a.owner.pd, first), EINVAL, "is not mapped");
	map();
	second = region.key;
	expect_int((__u32)second, ==, (__u32)first);
	region.key = first;
	expect_unmapped("is not mapped in the protection domain");
	expect_error(xrdma_mr_unmap_key(pair.a.owner.pd, first), EINVAL, "is not mapped");
	expect_error(xrdma_mr_unmap_key(pair.a.owner.pd, REGION_KEY), EINVAL, "is not mapped");
	expect_error(xrdma_mr_unmap_key(pair.a.owner.pd, 0), EINVAL, "is not mapped");
	region.key = out_of_range;
	expect_unmapped("is not mapped in the protection domain");
	region.key = XRDMA_KEY_NOTAVAIL;
	expect_unmapped("is not mapped in the protection domain");
	region.key = second;
	unmap();
}

Test(raw, of_another_domain)
{
	struct xrdma_pd *other;
	__u64 key;

	region_reg(REGION_ACCESS);
	map();
	expect_int(xrdma_pd_alloc(pair.a.owner.context, &other), ==, 0);
	expect_error(xrdma_mr_unmap_key(other, region.key), EINVAL, "is not mapped");
	expect_int(xrdma_mr_map_raw(other, base_addr, raw, RAW_SIZE, &key, 0), ==, 0);
	unmap();
	region.key = key;
	expect_unmapped("is not mapped in the protection domain");
	/* All mapped keys are freed before the domain is closed. */
	expect_error(xrdma_pd_dealloc(other), EBUSY, "mapped keys");
	expect_int(xrdma_mr_unmap_key(other, key), ==, 0);
	expect_int(xrdma_pd_dealloc(other), ==, 0);
}

/* A request without remote memory ignores its key. */
Test(raw, of_sends)
{
	region_reg(REGION_ACCESS);
	pair_set_send(0, 64);
	send_wr.rkey = ~0ULL;
	recv_sge.lkey = xrdma_mr_lkey(region.mr);
	pair_send_once();
}

/* Each mapping has a key of its own. The context's attributes limit their number. */
Test(raw, all_mapped)
{
	enum { ALL = 1024 };
	__u64 *keys = calloc(ALL, sizeof(*keys)), key;
	struct xrdma_device_attr limits = { .sz = sizeof(limits) };

	expect_int(xrdma_context_query(pair.a.owner.context, &limits), ==, 0);
	expect_int(limits.max_raw_key, ==, ALL);
	region_reg(REGION_ACCESS);
	get_raw();
	for (int i = 0; i < ALL; i++)
		expect_int(xrdma_mr_map_raw(pair.a.owner.pd, 0, raw, RAW_SIZE, &keys[i], 0), ==, 0);
	expect_error(xrdma_mr_map_raw(pair.a.owner.pd, 0, raw, RAW_SIZE, &key, 0), ENOMEM,
		     "all 1024 raw keys of the context are mapped");
	region.key = keys[ALL - 1];
	region_write(0, 64);
	for (int i = 0; i < ALL; i++)
		expect_int(xrdma_mr_unmap_key(pair.a.owner.pd, keys[i]), ==, 0);
	free(keys);
}

Test(raw, wrong_arguments)
{
	const size_t sizes[] = { 0, 3, 5, 8, 11, 13, 1 << 20 };
	size_t size = RAW_SIZE - 1;
	__u64 addr = 5, key = 6;

	region_reg(REGION_ACCESS);
	memset(raw, 0, sizeof(raw));
	expect_error(xrdma_mr_raw_attr(region.mr, &addr, raw, &size, 0), XRDMA_ETOOSMALL,
		     "the key has 12 bytes, the buffer 11");
	expect_int(size, ==, RAW_SIZE);
	size = 0;
	expect_error(xrdma_mr_raw_attr(region.mr, &addr, NULL, &size, 0), XRDMA_ETOOSMALL,
		     "the buffer 0");
	expect_error(xrdma_mr_raw_attr(region.mr, &addr, raw, &size, 1), XRDMA_EBADFLAGS,
		     "flags 0x1");
	expect(addr == 5 && size == RAW_SIZE && raw_rkey() == 0 && raw_secret() == 0);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		expect_error(xrdma_mr_map_raw(pair.a.owner.pd, 0, raw, sizes[i], &key, 0), EINVAL,
			     "4 or 12");
	expect_error(xrdma_mr_map_raw(pair.a.owner.pd, 0, raw, RAW_SIZE, &key, 1), XRDMA_EBADFLAGS,
		     "flags 0x1");
	expect_int(key, ==, 6);
}
