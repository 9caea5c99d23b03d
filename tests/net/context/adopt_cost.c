// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The library asks the kernel about the mappings that it registers, and not about all mappings of
 * the process. These tests count its questions. They run in namespace a, where xa is loaded;
 * tests/net/context.sh runs them.
 */
#include <stdarg.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mem/buffer.h"
#include "mem/mappings.h"
#include "support/distant.h"
#include "support/mapped.h"
#include "support/test.h"

TestSuite(adopt_cost, .once = mapped_open, .end = mapped_close, .init = mapped_start,
	  .fini = mapped_stop);

enum { OTHERS = 4000, MISSED = 30, AROUND = 2 << 20, FEW = 10 };

static int questions;

/* Count calls of the library. It calls this function instead of the C library's. */
int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (_IOC_TYPE(request) == 'f' && _IOC_NR(request) == 17) /* PROCMAP_QUERY */
		__atomic_add_fetch(&questions, 1, __ATOMIC_RELAXED);
	return syscall(SYS_ioctl, fd, request, arg);
}

static int ask_for_region(void)
{
	questions = 0;
	mapped_end(mapped_reg(mapped.memory, PAGE));
	return questions;
}

Test(adopt_cost, among_mappings)
{
	const size_t len = OTHERS * (size_t)PAGE;
	int asked;
	__u8 *others;

	if (!xrdma_mappings_are_asked())
		SKIP("kernels before 6.11 answer no questions about mappings");
	others = mmap(NULL, len, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < OTHERS; i += 2)
		mprotect(others + i * (size_t)PAGE, PAGE, PROT_NONE);
	asked = ask_for_region();
	expect_int(asked, >, 0);
	expect_int(asked, <=, FEW);
	munmap(others, len);
}

/* Map the page at AT into BUFFER. */
static int ask_for_missed(struct xrdma_buffer *buffer, __u8 *at)
{
	struct xrdma_range_list old;

	mprotect(at, PAGE, PROT_READ | PROT_WRITE);
	questions = 0;
	expect_int(xrdma_buffer_fill(&mapped.owner.context->heap, buffer, (uintptr_t)at, &old), ==,
		   0);
	xrdma_disown(&old);
	return questions;
}

/*
 * If a page is missing, the library looks at the 2 MiB around it. Each page that is mapped becomes
 * a mapping of the process.
 */
Test(adopt_cost, on_demand)
{
	struct xrdma_heap *heap = &mapped.owner.context->heap;
	const size_t len = MISSED * (size_t)AROUND;
	struct xrdma_buffer buffer;
	int asked = 0;
	__u8 *memory;

	if (!xrdma_mappings_are_asked())
		SKIP("kernels before 6.11 answer no questions about mappings");
	memory = mmap(distant_address(), len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	expect_int(xrdma_buffer_take(heap, (uintptr_t)memory, len, XRDMA_ON_DEMAND, &buffer), ==,
		   0);
	for (int i = 0; i < MISSED; i++)
		asked = ask_for_missed(&buffer, memory + i * (size_t)AROUND);
	expect_int(asked, >, 0);
	expect_int(asked, <=, FEW);
	xrdma_buffer_give(heap, &buffer);
	munmap(memory, len);
}
