// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* report DEVICE: open a context, print a line, and then the symbol of each event that comes. */
#include <err.h>
#include <stdio.h>
#include <xrdma/xrdma.h>

static const char *symbol_of(enum xrdma_async_kind kind)
{
	switch (kind) {
#define X(symbol, ...)             \
	case XRDMA_ASYNC_##symbol: \
		return #symbol;
		XRDMA_ASYNC_KINDS(X)
#undef X
	}
	return "unknown";
}

int main(int argc, char **argv)
{
	struct xrdma_async_event event;
	struct xrdma_context *context;

	if (argc != 2 || xrdma_context_open(argv[1], NULL, &context))
		errx(1, "%s", xrdma_error());
	setlinebuf(stdout);
	puts("ready");
	while (!xrdma_async_read(context, &event)) {
		puts(symbol_of(event.kind));
		if (xrdma_async_ack(context, &event))
			errx(1, "%s", xrdma_error());
	}
	errx(1, "%s", xrdma_error());
}
