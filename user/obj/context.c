// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "obj/context.h"

#include <errno.h>

#include "lib/attr.h"
#include "lib/error.h"
#include "lib/order.h"

int xrdma_context_own(const struct xrdma_context *context)
{
	if (!xrdma_process_is_current(&context->process))
		return xrdma_fail(
			EPERM,
			"the context is that of process %d, which opened it: a child that "
			"was forked opens its own",
			context->process.pid);
	return 0;
}

int xrdma_context_enter(const struct xrdma_context *context)
{
	int err = xrdma_context_own(context);

	if (err || XRDMA_READ(context->slots.rows[context->slot].state) != XRDMA_CONTEXT_UNLOADED)
		return err;
	return xrdma_fail(ENODEV,
			  "the device was unloaded, or its netdev has left: close the context");
}

int xrdma_context_query(struct xrdma_context *context, struct xrdma_device_attr *attr)
{
	int err = xrdma_attr_check(attr, "xrdma_device_attr");

	if (!err)
		xrdma_attr_write(attr, &context->limits, sizeof(context->limits));
	return err;
}
