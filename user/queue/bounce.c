// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "queue/bounce.h"

#include <stdlib.h>

#include "key/key.h"
#include "key/mkey.h"
#include "lib/scatter.h"
#include "queue/bounce_copy.h"
#include "queue/bounce_register.h"
#include "queue/bounce_transform.h"

/* Returns whether SGE names an mkey that may transform data. */
static bool is_transforming(struct xrdma_keys *keys, const struct xrdma_sge *sge)
{
	const struct xrdma_mkey *mkey;
	bool is;

	if (!sge->length)
		return false;
	xrdma_mutex_lock(&keys->lock);
	mkey = xrdma_mkey_find(keys, sge->lkey);
	is = mkey && mkey->create_flags & XRDMA_MKEY_TRANSFORMS;
	xrdma_mutex_unlock(&keys->lock);
	return is;
}

int xrdma_bounce_prepare(struct xrdma_pd *pd, __u32 qpn, __u32 right, const struct xrdma_sge *sges,
			 __u32 num_sge, struct xrdma_bounce **bounce)
{
	bool transforming = false;

	*bounce = NULL;
	for (__u32 i = 0; i < num_sge && !transforming; i++)
		transforming = is_transforming(pd->context->keys, &sges[i]);
	return transforming ? xrdma_bounce_transform_prepare(pd, qpn, right, sges, num_sge, bounce)
			    : 0;
}

int xrdma_bounce_prepare_unregistered(struct xrdma_pd *pd, __u32 qpn, const struct xrdma_sge *sges,
				      __u32 num_sge, struct xrdma_bounce **bounce)
{
	__u64 size = xrdma_sges_length(sges, num_sge);

	if (size > XRDMA_MESSAGE_MAX) /* a message has no more bytes */
		size = XRDMA_MESSAGE_MAX;
	*bounce = NULL;
	if (!size || !xrdma_bounce_register_prepare(pd, qpn, sges, num_sge, size, bounce))
		return 0;
	return xrdma_bounce_copy_prepare(pd, qpn, sges, num_sge, size, bounce);
}

enum xrdma_verdict xrdma_bounce_check(struct xrdma_bounce *bounce, __u32 len)
{
	return bounce->ops->check ? bounce->ops->check(bounce, len) : XRDMA_V_OK;
}

enum xrdma_verdict xrdma_bounce_fill(struct xrdma_bounce *bounce)
{
	return bounce->ops->fill ? bounce->ops->fill(bounce) : XRDMA_V_OK;
}

enum xrdma_verdict xrdma_bounce_copy_out(struct xrdma_bounce *bounce, __u32 len)
{
	return bounce->ops->copy_out ? bounce->ops->copy_out(bounce, len) : XRDMA_V_OK;
}

void xrdma_bounce_release(struct xrdma_bounce *bounce)
{
	bounce->ops->release(bounce);
	free(bounce);
}

void xrdma_bounces_release(struct xrdma_bounces *bounces)
{
	struct xrdma_bounce *bounce;

	while ((bounce = STAILQ_FIRST(bounces))) {
		STAILQ_REMOVE_HEAD(bounces, next);
		xrdma_bounce_release(bounce);
	}
}
