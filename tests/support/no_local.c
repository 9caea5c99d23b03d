// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "no_local.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

static struct xrdma_pd *verbs_pds[2]; /* domains that are replaced */

static void open_domain(struct owner *owner, __u32 mr_mode, struct xrdma_pd **verbs_pd)
{
	struct xrdma_pd_attr attr = { .sz = sizeof(attr), .mr_mode = mr_mode };

	*verbs_pd = owner->pd;
	expect_msg(xrdma_pd_open(owner->context, &attr, &owner->pd) == 0, "%s", xrdma_error());
	expect_int(attr.mr_mode, ==, mr_mode & ~XRDMA_MR_MODE_HMEM);
}

static void close_domain(struct owner *owner, struct xrdma_pd *verbs_pd)
{
	expect_int(xrdma_pd_dealloc(owner->pd), ==, 0);
	owner->pd = verbs_pd;
}

void no_local_open(__u32 mr_mode)
{
	pair_open();
	open_domain(&pair.a.owner, mr_mode, &verbs_pds[0]);
	open_domain(&pair.b.owner, mr_mode, &verbs_pds[1]);
}

void no_local_close(void)
{
	close_domain(&pair.a.owner, verbs_pds[0]);
	close_domain(&pair.b.owner, verbs_pds[1]);
	pair_close();
}

void no_local_start(void *source, void *target)
{
	pair_start();
	pair.lkey = NO_LOCAL_KEY;
	pair.source = source ?: pair.source;
	pair.target = target ?: pair.target;
	arc4random_buf(pair.source, PAIR_BYTES);
	memset(pair.target, 0, PAIR_BYTES);
}

void no_local_send(__u32 offset, __u32 len)
{
	pair_set_send(offset, len);
	recv_sge.lkey = NO_LOCAL_KEY;
	pair_send_once();
}
