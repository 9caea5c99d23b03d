// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "owner.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static struct xrdma_context *open_with(const char *device, __u32 mkeys)
{
	const struct xrdma_context_attr attr = {
		.sz = sizeof(attr),
		.heap_max = 1,
		.mkeys = mkeys,
		.qps = 2,
		.tx = getenv("TX_UDP") ? XRDMA_TX_UDP : XRDMA_TX_AUTO,
	};
	struct xrdma_context *context;
	int err = xrdma_context_open(device, &attr, &context);

	expect_msg(!err, "%s", xrdma_error());
	return context;
}

struct xrdma_context *open_small(const char *device)
{
	return open_with(device, 16);
}

void owner_open(struct owner *owner, const char *device)
{
	owner_open_with(owner, device, 16);
}

void owner_open_with(struct owner *owner, const char *device, __u32 mkeys)
{
	void *memory;

	owner->context = open_with(device, mkeys);
	expect_int(xrdma_pd_alloc(owner->context, &owner->pd), ==, 0);
	expect_int(xrdma_alloc(owner->context, OWNER_BYTES, 64, &memory), ==, 0);
	owner->memory = memory;
}

void owner_close(struct owner *owner)
{
	expect_int(xrdma_pd_dealloc(owner->pd), ==, 0);
	expect_int(xrdma_context_close(owner->context), ==, 0);
}

void expect_error(int err, int expected, const char *text)
{
	expect_msg(err == -expected, "error %d instead of %d", err, -expected);
	expect_msg(strstr(xrdma_error(), text), "'%s' does not say '%s'", xrdma_error(), text);
}
