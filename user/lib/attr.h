/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Structs of the interface that may grow. The first field, sz, says how many bytes the program that
 * calls knows of, which may be fewer or more than this library does; as in libbpf's options, and
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

/* Whether what the program wants back can be written: 0 or -EINVAL, as xrdma_attr_read(). */
int xrdma_attr_check(const void *attr, const char *name);

/* Write what KNOWN says, but for sz; fields that this library does not know of become 0. */
void xrdma_attr_write(void *attr, const void *known, size_t size);

#endif
