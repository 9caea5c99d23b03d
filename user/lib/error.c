// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "lib/error.h"

#include <stdarg.h>
#include <stdio.h>

static __thread char message[XRDMA_ERROR_MAX];

const char *xrdma_error(void)
{
	return message;
}

int xrdma_fail(int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	return -err;
}
