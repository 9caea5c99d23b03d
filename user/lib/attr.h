/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Public structs that may grow. Their first field, sz, is the size that the calling program knows,
 * which may be smaller or larger than that of this library; like the options of libbpf, and
 * copy_struct_from_user() of the kernel.
 */
#ifndef XRDMA_USER_LIB_ATTR_H
#define XRDMA_USER_LIB_ATTR_H

#include <stddef.h>

/*
 * Copy the caller's attributes ATTR to KNOWN, of SIZE bytes. Fields that the caller does not know
 * become 0; all do if ATTR is NULL. NAME is the name of the struct. Returns 0 or, with
 * xrdma_error() set, -EINVAL (sz is not a size of the struct) or -E2BIG (a byte that this library
 * does not know is set).
 */
int xrdma_attr_read(const void *attr, void *known, size_t size, const char *name);

/* Check if attributes can be returned in ATTR. Returns 0 or -EINVAL, like xrdma_attr_read(). */
int xrdma_attr_check(const void *attr, const char *name);

/* Copy KNOWN to ATTR, except for sz. Fields that this library does not know become 0. */
void xrdma_attr_write(void *attr, const void *known, size_t size);

#endif
