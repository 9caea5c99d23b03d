// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Domains with modes of fi_mr(3), and the registrations that they allow. The tests run in namespace
 * a, where xa is loaded; tests/net/context.sh runs it.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "key/key.h"
#include "key/user_keys.h"
#include "support/owner.h"
#include "support/buffers.h"
#include "support/test.h"

enum {
	ROWS = 16,
	BASIC = XRDMA_MR_MODE_LOCAL | XRDMA_MR_MODE_VIRT_ADDR | XRDMA_MR_MODE_ALLOCATED |
		XRDMA_MR_MODE_PROV_KEY,
	ALL_ACCESS = XRDMA_ACCESS_READ | XRDMA_ACCESS_WRITE | XRDMA_ACCESS_RECV |
		     XRDMA_ACCESS_SEND | XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_WRITE |
		     XRDMA_ACCESS_REMOTE_ATOMIC,
};

static struct owner owner;
static struct xrdma_pd *asked, *basic; /* domains with user keys, and with keys of the library */

static struct xrdma_pd *open_pd(__u32 mr_mode)
{
	struct xrdma_pd_attr attr = { .sz = sizeof(attr), .mr_mode = mr_mode };
	struct xrdma_pd *pd;

	expect_msg(xrdma_pd_open(owner.context, &attr, &pd) == 0, "%s", xrdma_error());
	return pd;
}

static void open_domains(void)
{
	owner_open(&owner, "xa");
	asked = open_pd(XRDMA_MR_MODE_LOCAL | XRDMA_MR_MODE_ALLOCATED);
	basic = open_pd(XRDMA_MR_MODE_BASIC);
}

static void close_domains(void)
{
	expect_int(xrdma_pd_dealloc(asked), ==, 0);
	expect_int(xrdma_pd_dealloc(basic), ==, 0);
	owner_close(&owner);
}

TestSuite(domain, .once = open_domains, .end = close_domains);

/* Modes that a program supports and requires. */
Test(domain, modes)
{
	const struct {
		__u32 in, out;
		int err;
	} modes[] = {
		{ XRDMA_MR_MODE_BASIC, XRDMA_MR_MODE_BASIC, 0 },
		{ BASIC, BASIC, 0 },
		{ BASIC | XRDMA_MR_MODE_HMEM, BASIC, 0 },
		{ BASIC | XRDMA_MR_MODE_RAW, BASIC | XRDMA_MR_MODE_RAW, 0 },
		{ BASIC | XRDMA_MR_MODE_RMA_EVENT, BASIC | XRDMA_MR_MODE_RMA_EVENT, 0 },
		{ BASIC | XRDMA_MR_MODE_ENDPOINT, BASIC | XRDMA_MR_MODE_ENDPOINT, 0 },
		{ XRDMA_MR_MODE_LOCAL | XRDMA_MR_MODE_ALLOCATED,
		  XRDMA_MR_MODE_LOCAL | XRDMA_MR_MODE_ALLOCATED, 0 },
		{ XRDMA_MR_MODE_BASIC | XRDMA_MR_MODE_LOCAL, 0, EINVAL },
		{ XRDMA_MR_MODE_BASIC | XRDMA_MR_MODE_SCALABLE, 0, EINVAL },
		{ BASIC | 1 << 11, 0, EINVAL },
		{ XRDMA_MR_MODE_LOCAL | XRDMA_MR_MODE_MMU_NOTIFY,
		  XRDMA_MR_MODE_LOCAL | XRDMA_MR_MODE_MMU_NOTIFY, 0 },
		{ BASIC | XRDMA_MR_MODE_MMU_NOTIFY, BASIC | XRDMA_MR_MODE_MMU_NOTIFY, 0 },
		{ XRDMA_MR_MODE_MMU_NOTIFY, XRDMA_MR_MODE_MMU_NOTIFY, 0 },
		{ XRDMA_MR_MODE_LOCAL, XRDMA_MR_MODE_LOCAL, 0 },
		{ XRDMA_MR_MODE_ALLOCATED, XRDMA_MR_MODE_ALLOCATED, 0 },
		{ XRDMA_MR_MODE_HMEM, 0, 0 },
		{ XRDMA_MR_MODE_SCALABLE, XRDMA_MR_MODE_SCALABLE, 0 },
		{ 0, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		struct xrdma_pd_attr attr = { .sz = sizeof(attr), .mr_mode = modes[i].in };
		struct xrdma_pd *pd;
		int err = xrdma_pd_open(owner.context, &attr, &pd);

		expect_msg(err == -modes[i].err, "mode %zu: %d", i, err);
		if (err) {
			expect_int(attr.mr_mode, ==, modes[i].in);
			continue;
		}
		expect_int(attr.mr_mode, ==, modes[i].out);
		expect_int(attr.mr_key_size, ==, attr.mr_mode & XRDMA_MR_MODE_RAW ? 12 : 4);
		expect_int(attr.mr_iov_limit, ==, 64);
		expect_int(xrdma_pd_dealloc(pd), ==, 0);
	}
}

static int reg(struct xrdma_pd *pd, size_t len, __u64 access, __u64 requested_key,
	       struct xrdma_mr **mr)
{
	return register_buffer(pd, owner.memory, len, access, requested_key, 0, mr);
}

static const struct xrdma_mkey_row *row_of(__u32 key)
{
	const struct xrdma_mkey_row *rows = owner.context->tables.mkeys.rows;

	return &rows[key >> XRDMA_KEY_INDEX_SHIFT & (ROWS - 1)];
}

/* Returns the row that peers reach. */
static const struct xrdma_mkey_row *peers_row(const struct xrdma_mr *mr, __u64 base)
{
	const struct xrdma_mkey_row *rows = owner.context->tables.mkeys.rows;

	for (int i = 0; i < ROWS; i++)
		if (rows[i].state == XRDMA_MKEY_STATE_VALID && rows[i].base == base)
			return &rows[i];
	expect_msg(false, "key %llx has no row", xrdma_mr_key(mr));
	return NULL;
}

/* Rights of the row for each permission of fi_mr(3). No permission implies another. */
Test(domain, access)
{
	const struct {
		__u32 access, rights;
	} table[] = {
		{ 0, 0 },
		{ XRDMA_ACCESS_SEND, XRDMA_ACCESS_SEND },
		{ XRDMA_ACCESS_WRITE, XRDMA_ACCESS_WRITE },
		{ XRDMA_ACCESS_RECV, XRDMA_ACCESS_RECV | XRDMA_ACCESS_LOCAL_WRITE },
		{ XRDMA_ACCESS_READ, XRDMA_ACCESS_READ | XRDMA_ACCESS_LOCAL_WRITE },
		{ XRDMA_ACCESS_REMOTE_READ, XRDMA_ACCESS_REMOTE_READ },
		{ XRDMA_ACCESS_REMOTE_WRITE, XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_LOCAL_WRITE },
		{ XRDMA_ACCESS_REMOTE_ATOMIC,
		  XRDMA_ACCESS_REMOTE_ATOMIC | XRDMA_ACCESS_LOCAL_WRITE },
	};
	struct xrdma_mr *mr;

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		expect_int(reg(basic, 64, table[i].access, 0, &mr), ==, 0);
		expect_int(row_of(xrdma_mr_key(mr))->rights, ==,
			   table[i].rights | XRDMA_ACCESS_LOCAL_READ);
		expect_int(xrdma_mr_close(mr), ==, 0);
	}
}

/*
 * With BASIC, a region has only one row. Peers name it by the library's key and by virtual
 * addresses.
 */
Test(domain, basic)
{
	struct xrdma_mr *mr;

	expect_int(reg(basic, 1000, ALL_ACCESS, 0x123456789a, &mr), ==, 0);
	expect_int(xrdma_mr_key(mr), ==, xrdma_mr_lkey(mr));
	expect((uintptr_t)xrdma_mr_desc(mr) == xrdma_mr_lkey(mr));
	expect_int(row_of(xrdma_mr_key(mr))->key, ==, xrdma_mr_key(mr));
	expect_int(row_of(xrdma_mr_key(mr))->base, ==, (uintptr_t)owner.memory);
	expect_int(row_of(xrdma_mr_key(mr))->len, ==, 1000);
	expect_error(xrdma_pd_dealloc(basic), EBUSY, "1 regions");
	expect_int(xrdma_mr_close(mr), ==, 0);
}

/*
 * Without BASIC, peers name the region by its user key and count addresses from 0. The program
 * names it by virtual addresses.
 */
Test(domain, scalable)
{
	struct xrdma_mr *mr;

	expect_int(reg(asked, 1000, ALL_ACCESS, 0x12, &mr), ==, 0);
	expect_int(xrdma_mr_key(mr), ==, 0x12);
	expect((uintptr_t)xrdma_mr_desc(mr) == xrdma_mr_lkey(mr));
	expect_int(row_of(xrdma_mr_lkey(mr))->base, ==, (uintptr_t)owner.memory);
	expect_int(row_of(xrdma_mr_lkey(mr))->rights, ==, XRDMA_ACCESS_LOCAL);
	expect_int(peers_row(mr, 0)->len, ==, 1000);
	expect_int(xrdma_mr_close(mr), ==, 0);
}

/*
 * A user key may be any key of 32 bits, except those that are in use or were used by the library.
 */
Test(domain, requested_keys)
{
	struct xrdma_mr *mrs[3], *mr;
	__u64 key;

	expect_int(reg(asked, 64, ALL_ACCESS, 0, &mrs[0]), ==, 0);
	expect_int(reg(asked, 64, ALL_ACCESS, 0xffffffff, &mrs[1]), ==, 0);
	expect_error(reg(asked, 64, ALL_ACCESS, 0, &mr), XRDMA_ENOKEY, "0x0 is in use");
	expect_error(reg(asked, 64, ALL_ACCESS, 0xffffffff, &mr), XRDMA_ENOKEY,
		     "0xffffffff is in use");
	expect_error(reg(asked, 64, ALL_ACCESS, 1ULL << 32, &mr), EKEYREJECTED,
		     "more than 32 bits");
	expect_error(reg(asked, 64, ALL_ACCESS, ~0ULL, &mr), EKEYREJECTED, "more than 32 bits");
	expect_int(reg(basic, 64, 0, 0, &mrs[2]), ==, 0);
	key = xrdma_mr_key(mrs[2]);
	expect_error(reg(asked, 64, ALL_ACCESS, key, &mr), XRDMA_ENOKEY, "is in use");
	for (int i = 0; i < 3; i++)
		expect_int(xrdma_mr_close(mrs[i]), ==, 0);
	/* A peer may still use the old key. */
	expect_error(reg(asked, 64, ALL_ACCESS, key, &mr), XRDMA_ENOKEY, "is in use");
	expect_int(reg(asked, 64, ALL_ACCESS, 0, &mr), ==, 0);
	expect_int(xrdma_mr_close(mr), ==, 0);
}

/* A user key belongs to its domain. Regions that no peer may access may share one. */
Test(domain, requested_keys_of_several_domains)
{
	struct xrdma_pd *other = open_pd(XRDMA_MR_MODE_LOCAL | XRDMA_MR_MODE_ALLOCATED);
	const __u64 local = XRDMA_ACCESS_SEND | XRDMA_ACCESS_RECV;
	struct xrdma_mr *mrs[4], *mr;

	expect_int(reg(asked, 64, ALL_ACCESS, 5, &mrs[0]), ==, 0);
	expect_int(reg(other, 64, ALL_ACCESS, 5, &mrs[1]), ==, 0);
	expect_int(reg(asked, 64, local, 5, &mrs[2]), ==, 0);
	expect_int(reg(asked, 64, local, 5, &mrs[3]), ==, 0);
	for (int i = 0; i < 4; i++)
		expect_int(xrdma_mr_key(mrs[i]), ==, 5);
	expect_error(reg(asked, 64, ALL_ACCESS, 5, &mr), XRDMA_ENOKEY, "0x5 is in use");
	expect_error(reg(other, 64, ALL_ACCESS, 5, &mr), XRDMA_ENOKEY, "0x5 is in use");
	expect_int(xrdma_mr_close(mrs[0]), ==, 0);
	expect(xrdma_user_keys_has(&owner.context->keys->user_keys, 5));
	expect_int(reg(asked, 64, ALL_ACCESS, 5, &mrs[0]), ==, 0);
	for (int i = 0; i < 4; i++)
		expect_int(xrdma_mr_close(mrs[i]), ==, 0);
	expect(!xrdma_user_keys_has(&owner.context->keys->user_keys, 5));
	expect_int(xrdma_pd_dealloc(other), ==, 0);
}

/* A row never gets a key that is a user key, even if it would be the row's next key. */
Test(domain, keys_that_were_requested)
{
	struct xrdma_context *context = owner.context;
	struct xrdma_mr *mrs[ROWS];
	__u32 next[ROWS];

	for (__u32 i = 0; i < ROWS; i++) {
		next[i] = xrdma_key_make(context->keys->secret, context->keys->mask, i,
					 row_of(i << XRDMA_KEY_INDEX_SHIFT)->generation + 1);
		expect_int(xrdma_user_keys_add(&context->keys->user_keys, 1, next[i]), ==, 0);
	}
	for (int i = 0; i < ROWS; i++)
		expect_int(reg(basic, 64, 0, 0, &mrs[i]), ==, 0);
	for (__u32 i = 0; i < ROWS; i++) {
		expect_int(row_of(i << XRDMA_KEY_INDEX_SHIFT)->key, !=, next[i]);
		expect_int(xrdma_mr_close(mrs[i]), ==, 0);
		xrdma_user_keys_remove(&context->keys->user_keys, 1, next[i]);
	}
}

static struct iovec buffers[65];

/* Errors in a registration that is otherwise valid. */
static const struct wrong {
	int err;
	const char *text;
	__u64 flags;
	struct xrdma_mr_attr attr; /* members that are not 0 replace the right values */
} wrongs[] = {
	{ XRDMA_EBADFLAGS, "flags 0x1 are unknown", .flags = 1 },
	{ XRDMA_EBADFLAGS, "XRDMA_RMA_PMEM", .flags = XRDMA_RMA_PMEM },
	{ EINVAL,
	  "access 0x8000000000000003: xrdma_mr_regattr() does not accept 0x8000000000000001",
	  .attr.access = 1ULL << 63 | XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE },
	{ EINVAL, "does not accept 0x1", .attr.access = XRDMA_ACCESS_LOCAL_WRITE },
	{ EINVAL, "offset is 1", .attr.offset = 1 },
	{ EINVAL, "65 buffers: 1 to 64", .attr.iov_count = 65 },
};

static void expect_wrong(const struct xrdma_mr_attr *attr, __u64 flags, int err, const char *text)
{
	struct xrdma_mr *const untouched = (void *)1;
	struct xrdma_mr *mr = untouched;

	expect_error(xrdma_mr_regattr(basic, attr, flags, &mr), err, text);
	expect(mr == untouched);
	expect_int(xrdma_count(&basic->users), ==, 0);
}

Tests(domain, wrong, sizeof(wrongs) / sizeof(*wrongs))
{
	struct xrdma_mr_attr attr = wrongs[i].attr;

	buffers[0] = (struct iovec){ owner.memory, 64 };
	attr.sz = sizeof(attr);
	attr.mr_iov = buffers;
	attr.iov_count = attr.iov_count ?: 1;
	expect_wrong(&attr, wrongs[i].flags, wrongs[i].err, wrongs[i].text);
}

/* The source of memory of a device is checked if the program can name it. */
Test(domain, of_devices)
{
	const struct iovec buffer = { owner.memory, 64 };
	struct xrdma_mr_attr attr = { .sz = sizeof(attr), .mr_iov = &buffer, .iov_count = 1 };
	struct xrdma_pd *pd = open_pd(BASIC | XRDMA_MR_MODE_HMEM);
	struct xrdma_mr *mr;

	for (int iface = XRDMA_HMEM_CUDA; iface <= XRDMA_HMEM_ZE + 1; iface++) {
		attr.iface = iface;
		expect_error(xrdma_mr_regattr(pd, &attr, 0, &mr), EOPNOTSUPP,
			     "device memory is not supported");
		expect_int(xrdma_mr_regattr(basic, &attr, 0, &mr), ==, 0);
		expect_int(xrdma_mr_close(mr), ==, 0);
	}
	attr.iface = XRDMA_HMEM_SYSTEM;
	expect_int(xrdma_mr_regattr(pd, &attr, 0, &mr), ==, 0);
	expect_int(xrdma_mr_close(mr), ==, 0);
	expect_int(xrdma_pd_dealloc(pd), ==, 0);
}

/* A buffer that is invalid is refused, whatever comes before it. */
Test(domain, wrong_buffers)
{
	struct xrdma_mr_attr attr = { .sz = sizeof(attr), .iov_count = 1 };

	expect_wrong(&attr, 0, EINVAL, "0 buffers");
	attr.mr_iov = buffers;
	attr.iov_count = 0;
	expect_wrong(&attr, 0, EINVAL, "0 buffers");
	buffers[0] = (struct iovec){ owner.memory, 64 };
	buffers[1] = (struct iovec){ owner.memory, 0 };
	attr.iov_count = 2;
	expect_wrong(&attr, 0, EINVAL, "buffer 1 has 0 bytes");
	buffers[1] = (struct iovec){ owner.memory, ~0ULL };
	expect_wrong(&attr, 0, EINVAL, "2^64 bytes or more");
	buffers[1] = (struct iovec){ owner.memory, 1ULL << 32 };
	expect_wrong(&attr, 0, EINVAL, "a buffer of 4 GiB or more must be the only one");
	buffers[1] = (struct iovec){ NULL, 64 };
	expect_wrong(&attr, 0, EFAULT, "there is no memory at 0");
	attr.sz = 0;
	expect_wrong(&attr, 0, EINVAL, "sz is 0");
}

/*
 * A region of several buffers needs a key for each, and one for the whole. It gets all keys or
 * none.
 */
Test(domain, more_buffers_than_keys)
{
	struct xrdma_mr *mr, *others[2];

	for (int i = 0; i < 64; i++)
		buffers[i] = (struct iovec){ owner.memory + i * 64, 64 };
	expect_error(register_buffers(basic, buffers, 64, ALL_ACCESS, 0, 0, &mr), ENOMEM,
		     "all 16 keys");
	expect_error(register_buffers(basic, buffers, ROWS, ALL_ACCESS, 0, 0, &mr), ENOMEM,
		     "all 16 keys");
	expect_int(register_buffers(basic, buffers, ROWS - 1, ALL_ACCESS, 0, 0, &mr), ==, 0);
	expect_error(reg(basic, 64, 0, 0, &others[0]), ENOMEM, "all 16 keys");
	expect_int(xrdma_mr_close(mr), ==, 0);
	/* A region that is refused gives back its user key. A refused key changes nothing. */
	expect_error(register_buffers(asked, buffers, 64, ALL_ACCESS, 7, 0, &mr), ENOMEM,
		     "all 16 keys");
	expect_int(reg(asked, 64, ALL_ACCESS, 7, &others[0]), ==, 0);
	for (int i = 0; i < 2 * ROWS; i++)
		expect_error(register_buffers(asked, buffers, 8, ALL_ACCESS, 7, 0, &mr),
			     XRDMA_ENOKEY, "in use");
	expect_int(xrdma_mr_close(others[0]), ==, 0);
	for (int i = 0; i < 2 * 64; i++) {
		expect_int(register_buffers(asked, buffers, 8, ALL_ACCESS, 7, 0, &mr), ==, 0);
		expect_int(xrdma_mr_close(mr), ==, 0);
	}
}

/* The next context in the slot does not find the user key. */
Test(domain, map_goes_with_the_context)
{
	const int maps = owner.context->slots.xrdma_user_keys;
	struct xrdma_context *context = open_small("xa");
	const __u32 slot = context->slot;
	__u32 id;

	expect(bpf_map_lookup_elem(maps, &slot, &id) < 0);
	expect_int(xrdma_user_keys_add(&context->keys->user_keys, 1, 5), ==, 0);
	expect_int(xrdma_user_keys_add(&context->keys->user_keys, 1, 0), ==,
		   0); /* rows have it, but unused ones */
	expect(xrdma_user_keys_has(&context->keys->user_keys, 5));
	expect(!xrdma_user_keys_has(&context->keys->user_keys, 6));
	expect_int(bpf_map_lookup_elem(maps, &slot, &id), ==, 0);
	expect_int(xrdma_context_close(context), ==, 0);
	expect(bpf_map_lookup_elem(maps, &slot, &id) < 0);
}
