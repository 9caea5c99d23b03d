/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Data encryption key. <xrdma/crypto.h> declares its handle. */
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
