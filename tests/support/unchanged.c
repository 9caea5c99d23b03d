// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "unchanged.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

void expect_in_child(const void *memory, const void *before, size_t size)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(memcmp(memory, before, size) != 0);
	expect_int(waitpid(child, &status, 0), ==, child);
	expect_int(status, ==, 0);
}

void expect_apart(struct xrdma_context *context, const void *memory, const void *before,
		  size_t size)
{
	enum { BLOCK = 64 << 10, MAX = 64 };
	void *blocks[MAX];
	int count = 0;

	while (count < MAX && !xrdma_alloc(context, BLOCK, BLOCK, &blocks[count]))
		memset(blocks[count++], 0x55, BLOCK);
	expect(count > 0);
	expect(!memcmp(memory, before, size));
	while (count)
		xrdma_free(context, blocks[--count]);
}
