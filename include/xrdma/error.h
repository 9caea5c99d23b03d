/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Errors. Every call that can fail returns 0 or a negative error number, and leaves a message for
 * xrdma_error().
 *
 * A struct whose first field is sz may grow in later versions. Set sz to its sizeof(). Fields that
 * the caller's version does not have are 0 to the library. A call with such a struct returns
 * -EINVAL if sz is not set, and -E2BIG if a field that the library does not know is not 0.
 */
#ifndef XRDMA_ERROR_H
#define XRDMA_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/* Error numbers of libfabric (fi_errno(3)) that errno.h does not have. */
enum {
	XRDMA_ETOOSMALL = 257, /* a buffer is too small */
	XRDMA_EAVAIL = 259,    /* the next event is an error */
	XRDMA_EBADFLAGS = 260, /* flags are not supported */
	XRDMA_ENOKEY = 266,    /* the user key is in use */
};

#define XRDMA_API __attribute__((visibility("default")))

/*
 * Describe the last error in this thread. Returns the message of the last call that returned an
 * error, with advice on what to do. It is valid until the next call of the library in this thread.
 */
XRDMA_API const char *xrdma_error(void);

#ifdef __cplusplus
}
#endif
#endif
