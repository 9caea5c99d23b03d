/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Every call that can fail returns 0 or a negative error number, and leaves a message.
 *
 * A struct whose first field is sz may grow: sz is sizeof() it, which the caller sets. Fields that
 * the caller's version lacks are 0 to the library. A call that is given one returns -EINVAL where
 * sz is not set, and -E2BIG where a field is not 0 that the library does not have.
 */
#ifndef XRDMA_ERROR_H
#define XRDMA_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/* Error numbers of libfabric's (fi_errno(3)), which errno.h has not. */
enum {
	XRDMA_ETOOSMALL = 257, /* a buffer is too small */
	XRDMA_EAVAIL = 259,    /* an error is to be read */
	XRDMA_EBADFLAGS = 260, /* flags are not supported */
	XRDMA_ENOKEY = 266,    /* the requested key is in use */
};

#define XRDMA_API __attribute__((visibility("default")))

/* Describe the last error that a call returned in this thread, and what to do about it. */
XRDMA_API const char *xrdma_error(void);

#ifdef __cplusplus
}
#endif
#endif
