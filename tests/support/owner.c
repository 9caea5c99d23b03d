// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "owner.h"

#include <criterion/criterion.h>
#include <string.h>

struct xrdma_context *open_small(const char *device)
{
	const struct xrdma_context_attr attr = {
		.sz = sizeof(attr), .heap_size = 1, .mkeys = 16, .qps = 2
	};
	struct xrdma_context *context;
	int err = xrdma_context_open(device, &attr, &context);

	cr_assert(!err, "%s", xrdma_error());
	return context;
}

void owner_open(struct owner *owner, const char *device)
{
	void *memory;

	owner->context = open_small(device);
	cr_assert_eq(xrdma_pd_alloc(owner->context, &owner->pd), 0);
	cr_assert_eq(xrdma_alloc(owner->context, 4096, 64, &memory), 0);
	owner->memory = memory;
}

void owner_close(struct owner *owner)
{
	cr_expect_eq(xrdma_pd_dealloc(owner->pd), 0);
	cr_expect_eq(xrdma_context_close(owner->context), 0);
}

void expect_error(int err, int expected, const char *text)
{
	cr_expect(err == -expected, "error %d instead of %d", err, -expected);
	cr_expect(strstr(xrdma_error(), text), "'%s' does not say '%s'", xrdma_error(), text);
}
