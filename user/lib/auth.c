// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "lib/auth.h"

#include <endian.h>
#include <errno.h>
#include <openssl/evp.h>
#include <string.h>
#include <xrdma/pd.h>

#include "lib/error.h"

int xrdma_auth_read(const __u8 *key, size_t size, __u64 *auth)
{
	__u8 hash[EVP_MAX_MD_SIZE];
	__be64 first;

	if (!size)
		return 0;
	if (!key)
		return xrdma_fail(EINVAL, "auth_key is NULL, but auth_key_size is %zu", size);
	if (size > XRDMA_AUTH_KEY_MAX)
		return xrdma_fail(EINVAL, "an authorization key of %zu bytes: at most %d", size,
				  XRDMA_AUTH_KEY_MAX);
	if (!EVP_Digest(key, size, hash, NULL, EVP_sha256(), NULL))
		return xrdma_fail(EIO, "OpenSSL cannot hash the authorization key");
	memcpy(&first, hash, sizeof(first));
	*auth = be64toh(first) & ~(sizeof(__u64) - 1);
	return 0;
}
