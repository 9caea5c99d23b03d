/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Address handles. <xrdma/ah.h> declares their handle. */
#ifndef XRDMA_USER_QUEUE_AH_H
#define XRDMA_USER_QUEUE_AH_H

#include <xrdma/ah.h>

#include "dev/device.h"
#include "net/path.h"

struct xrdma_ah {
	struct xrdma_pd *pd;
	struct xrdma_path path;
};

/* Returns the path of ATTR from DEVICE, not yet resolved, with the path MTU MTU. */
struct xrdma_path xrdma_ah_path(const struct xrdma_device *device, const struct xrdma_ah_attr *attr,
				__u16 mtu);

#endif
