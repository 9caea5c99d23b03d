// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "lib/attr.h"

#include <errno.h>
#include <string.h>

#include "lib/bounds.h"
#include "lib/error.h"

enum { SZ_MAX = 4096 }; /* a larger number is not a size, but an uninitialized value */

static size_t sz_of(const void *attr)
{
	size_t sz;

	memcpy(&sz, attr, sizeof(sz));
	return sz;
}

int xrdma_attr_check(const void *attr, const char *name)
{
	size_t sz = sz_of(attr);

	if (sz < sizeof(sz) || sz > SZ_MAX)
		return xrdma_fail(EINVAL, "sz is %zu: set it to sizeof(struct %s)", sz, name);
	return 0;
}

int xrdma_attr_read(const void *attr, void *known, size_t size, const char *name)
{
	const char *bytes = attr;
	size_t sz;

	memset(known, 0, size);
	if (!attr)
		return 0;
	if (xrdma_attr_check(attr, name))
		return -EINVAL;
	sz = sz_of(attr);
	for (size_t at = size; at < sz; at++)
		if (bytes[at])
			return xrdma_fail(
				E2BIG,
				"struct %s: byte %zu is set, but this library knows the first "
				"%zu bytes only",
				name, at, size);
	memcpy(known, attr, xrdma_lesser(sz, size));
	return 0;
}

void xrdma_attr_write(void *attr, const void *known, size_t size)
{
	size_t sz = sz_of(attr), copied = xrdma_lesser(sz, size);

	memcpy((char *)attr + sizeof(sz), (const char *)known + sizeof(sz), copied - sizeof(sz));
	memset((char *)attr + copied, 0, sz - copied);
}
