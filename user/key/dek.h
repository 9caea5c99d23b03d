/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A data encryption key: the struct behind the handle in <xrdma/crypto.h>. */
#ifndef XRDMA_USER_KEY_DEK_H
#define XRDMA_USER_KEY_DEK_H

#include "key/pd.h"
#include "xform/crypto.h"

struct xrdma_dek {
	struct xrdma_pd *pd;
	__u8 opaque[8];
	struct xrdma_crypto_key key;
};

#endif
