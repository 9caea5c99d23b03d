// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * hold DEVICE: open a context, print a line, and wait for input. Then print the result of a call.
 */
#include <err.h>
#include <stdio.h>
#include <xrdma/context.h>

int main(int argc, char **argv)
{
	struct xrdma_context *context;
	void *memory;

	if (argc != 2 || xrdma_context_open(argv[1], NULL, &context))
		errx(1, "%s", xrdma_error());
	puts("held");
	fflush(stdout);
	getchar();
	if (xrdma_alloc(context, 64, 64, &memory))
		puts(xrdma_error());
	return xrdma_context_close(context);
}
