// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* hold DEVICE: opens a context, says so, and keeps it until it is killed. */
#include <err.h>
#include <stdio.h>
#include <unistd.h>
#include <xrdma/context.h>

int main(int argc, char **argv)
{
	struct xrdma_context *context;

	if (argc != 2 || xrdma_context_open(argv[1], NULL, &context))
		errx(1, "%s", xrdma_error());
	puts("held");
	fflush(stdout);
	pause();
	return 0;
}
