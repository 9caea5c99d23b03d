// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Structs whose size differs, because programs have another version of them. */
#include "lib/attr.h"

#include <errno.h>
#include <linux/types.h>
#include <string.h>

#include "support/owner.h"
#include "support/test.h"

/* A struct as this library knows it, and as a later version does. */
struct known {
	size_t sz;
	__u32 a, b;
};

struct later {
	size_t sz;
	__u32 a, b;
	__u64 c;
};

static int take(const void *attr, struct known *known)
{
	memset(known, 0xa5, sizeof(*known));
	return xrdma_attr_read(attr, known, sizeof(*known), "known");
}

TestSuite(attr);

Test(attr, of_the_same_version)
{
	const struct known attr = { .sz = sizeof(attr), .a = 1, .b = 2 };
	struct known known;

	expect_int(take(&attr, &known), ==, 0);
	expect(known.a == 1 && known.b == 2);
}

Test(attr, left_out)
{
	struct known known;

	expect_int(take(NULL, &known), ==, 0);
	expect(known.a == 0 && known.b == 0);
}

Test(attr, shorter)
{
	const struct known attr = { .sz = offsetof(struct known, b), .a = 1, .b = 2 };
	struct known known;

	expect_int(take(&attr, &known), ==, 0);
	expect(known.a == 1 && known.b == 0);
}

/* Unknown members are accepted if they are zero. */
Test(attr, longer)
{
	struct later attr = { .sz = sizeof(attr), .a = 1, .b = 2 };
	struct known known;

	expect_int(take(&attr, &known), ==, 0);
	expect(known.a == 1 && known.b == 2);
	attr.c = 1ULL << 56; /* its last byte */
	expect_error(take(&attr, &known), E2BIG, "struct known: byte 23");
	attr.c = 1;
	expect_error(take(&attr, &known), E2BIG, "struct known: byte 16");
}

Test(attr, without_a_size)
{
	struct known attr = { .a = 1 }, known;

	expect_error(take(&attr, &known), EINVAL, "sizeof(struct known)");
	attr.sz = sizeof(size_t) - 1;
	expect_error(take(&attr, &known), EINVAL, "sz is 7");
	attr.sz = 0x7fff00000000;
	expect_error(take(&attr, &known), EINVAL, "sizeof(struct known)");
	expect_error(xrdma_attr_check(&attr, "known"), EINVAL, "sizeof(struct known)");
}

Test(attr, written)
{
	const struct known known = { .a = 1, .b = 2 };
	struct later to = { .sz = sizeof(to), .c = 3 };

	expect_int(xrdma_attr_check(&to, "known"), ==, 0);
	xrdma_attr_write(&to, &known, sizeof(known));
	expect(to.sz == sizeof(to) && to.a == 1 && to.b == 2 && to.c == 0);
	to = (struct later){ .sz = offsetof(struct known, b), .b = 7, .c = 3 };
	xrdma_attr_write(&to, &known, sizeof(known));
	expect(to.sz == offsetof(struct known, b) && to.a == 1 && to.b == 7 && to.c == 3);
}
