// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "life.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct life *life;

/* xorshift64* */
__u32 below(__u32 end)
{
	life->random ^= life->random >> 12;
	life->random ^= life->random << 25;
	life->random ^= life->random >> 27;
	return (life->random * 0x2545f4914f6cdd1dULL >> 32) % end;
}

void trace(const char *what, size_t first, size_t count)
{
	if (getenv("XRDMA_TRACE"))
		fprintf(stderr, "%d, step %d (%s): %s %zu-%zu\n", getpid(), life->step, life->name,
			what, first, first + count - 1);
}

void life_fail(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (!life->wrong[0])
		vsnprintf(life->wrong, sizeof(life->wrong), format, arguments);
	va_end(arguments);
	_exit(1);
}
