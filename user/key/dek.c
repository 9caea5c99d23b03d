// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "key/dek.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/attr.h"
#include "lib/error.h"

int xrdma_dek_create(struct xrdma_pd *pd, const struct xrdma_dek_init_attr *attr,
		     struct xrdma_dek **dek)
{
	struct xrdma_dek_init_attr init;
	struct xrdma_crypto_key key;
	int err = xrdma_attr_read(attr, &init, sizeof(init), "xrdma_dek_init_attr");

	if (!err)
		err = xrdma_crypto_read_key(&init, &key);
	if (!err)
		err = xrdma_context_enter(pd->context);
	if (err)
		return err;
	*dek = malloc(sizeof(**dek));
	if (!*dek)
		return xrdma_fail(ENOMEM, "no memory for a key");
	**dek = (struct xrdma_dek){ .pd = pd, .key = key };
	memcpy((*dek)->opaque, init.opaque, sizeof(init.opaque));
	xrdma_count_in(&pd->users);
	return 0;
}

int xrdma_dek_query(const struct xrdma_dek *dek, struct xrdma_dek_attr *attr)
{
	struct xrdma_dek_attr all = { .state = XRDMA_DEK_STATE_READY };
	int err = xrdma_attr_check(attr, "xrdma_dek_attr");

	if (err)
		return err;
	memcpy(all.opaque, dek->opaque, sizeof(all.opaque));
	xrdma_attr_write(attr, &all, sizeof(all));
	return 0;
}

int xrdma_dek_destroy(struct xrdma_dek *dek)
{
	int err = xrdma_context_own(dek->pd->context);

	if (err)
		return err;
	xrdma_count_out(&dek->pd->users);
	explicit_bzero(dek, sizeof(*dek));
	free(dek);
	return 0;
}
