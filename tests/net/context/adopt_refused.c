// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Memory that cannot be registered where it is. These tests run in namespace a, where xa is loaded;
 * tests/net/context.sh runs them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/mapped.h"
#include "support/test.h"

TestSuite(adopt_refused, .once = mapped_open, .end = mapped_close, .init = mapped_start,
	  .fini = mapped_stop);

/* Kinds of memory that cannot be registered, with the error text for each. */
static const struct refusal {
	int err, prot, flags;
	const char *file, *text;
} refusals[] = {
	{ EOPNOTSUPP, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, NULL, "/dev/zero" },
	{ EOPNOTSUPP, PROT_READ | PROT_WRITE, MAP_SHARED, "/tmp", "it is shared" },
	{ EOPNOTSUPP, PROT_READ | PROT_WRITE, MAP_PRIVATE, "/tmp", "it is of a file" },
	{ EOPNOTSUPP, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, NULL,
	  "it is executable" },
	{ EFAULT, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, NULL,
	  "it must be readable and writable" },
	{ EFAULT, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, NULL,
	  "it must be readable and writable" },
};

/* Expect a refusal that changes nothing, even if the memory before it could be registered. */
static void expect_refused(const struct refusal *refusal)
{
	struct xrdma_mr *mr;
	char address[32];
	int fd = -1;

	if (refusal->file) {
		fd = open(refusal->file, O_TMPFILE | O_RDWR, 0600);
		expect_int(ftruncate(fd, PAGE), ==, 0);
	}
	expect(mmap(mapped.memory + 8 * PAGE, PAGE, refusal->prot, refusal->flags | MAP_FIXED, fd,
		    0) != MAP_FAILED);
	snprintf(address, sizeof(address), "%llx-",
		 (unsigned long long)(uintptr_t)mapped.memory + 8 * PAGE);
	expect_error(xrdma_mr_reg(mapped.owner.pd, mapped.memory + 7 * PAGE, 2 * PAGE, 0, &mr),
		     refusal->err, refusal->text);
	expect(strstr(xrdma_error(), address));
	expect(!memcmp(mapped.memory, mapped.before, 8 * PAGE));
	expect_int(count_mappings(mapped.memory, 10 * PAGE), ==, 3);
	if (fd >= 0)
		close(fd);
}

Tests(adopt_refused, refusals, sizeof(refusals) / sizeof(*refusals))
{
	expect_refused(&refusals[i]);
}

/* Memory of a file is refused even if the file's name is longer than the library can show. */
Test(adopt_refused, of_a_file_with_a_long_name)
{
	char path[600] = "/mnt/xrdma.XXXXXX", *end; /* net.sh removes it */
	struct xrdma_mr *mr;
	__u8 *memory;
	int fd;

	expect(mkdtemp(path));
	end = path + strlen(path);
	snprintf(end, 255, "/%0200d", 0);
	expect_int(mkdir(path, 0700), ==, 0);
	snprintf(end + 201, 255, "/%0200d", 0);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	expect_int(ftruncate(fd, PAGE), ==, 0);
	memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	unlink(path);
	end[201] = '\0';
	rmdir(path);
	*end = '\0';
	rmdir(path);
	expect_error(xrdma_mr_reg(mapped.owner.pd, memory, PAGE, 0, &mr), EOPNOTSUPP,
		     "it is of a file");
	munmap(memory, PAGE);
	close(fd);
}

Test(adopt_refused, nothing_there)
{
	struct xrdma_mr *mr, *others = mapped_reg(mapped.memory + 4 * PAGE, 1);

	munmap(mapped.memory + 8 * PAGE, PAGE);
	expect_error(xrdma_mr_reg(mapped.owner.pd, mapped.memory, MAPPED_BYTES, 0, &mr), EFAULT,
		     "there is no memory at");
	expect_error(xrdma_mr_reg(mapped.owner.pd, NULL, 1, 0, &mr), EFAULT,
		     "there is no memory at 0");
	expect_error(xrdma_mr_reg(mapped.owner.pd, mapped.memory, 0, 0, &mr), EINVAL, "0 bytes");
	expect_error(xrdma_mr_reg(mapped.owner.pd, mapped.memory, (size_t)-1, 0, &mr), EINVAL,
		     "beyond the end of the address space");
	expect_error(
		xrdma_mr_reg(mapped.owner.pd, mapped.memory, -(uintptr_t)mapped.memory, 0, &mr),
		EINVAL, "beyond the end of the address space");
	mapped_end(others);
	expect(!memcmp(mapped.memory, mapped.before, 8 * PAGE));
	expect_int(count_mappings(mapped.memory, MAPPED_BYTES), ==, 2);
}

/* Memory that is registered with one context cannot be registered with a second one. */
Test(adopt_refused, of_two_contexts)
{
	struct xrdma_mr *mr = mapped_reg(mapped.memory + PAGE, PAGE), *second;
	struct owner other;

	owner_open(&other, "xa");
	expect_error(xrdma_mr_reg(other.pd, mapped.memory, MAPPED_BYTES, 0, &second), EBUSY,
		     "another context");
	expect_error(xrdma_mr_reg(other.pd, mapped.owner.memory, 64, 0, &second), EOPNOTSUPP,
		     "bpf-map");
	expect(!memcmp(mapped.memory, mapped.before, MAPPED_BYTES));
	mapped_end(mr);
	expect_int(xrdma_mr_reg(other.pd, mapped.memory, MAPPED_BYTES, 0, &second), ==, 0);
	mapped_end(second);
	expect(!memcmp(mapped.memory, mapped.before, MAPPED_BYTES));
	owner_close(&other);
}

/* Registered memory cannot be registered again after the process has protected it. */
Test(adopt_refused, protected_since)
{
	struct xrdma_mr *mr = mapped_reg(mapped.memory, 2 * PAGE), *again;

	expect_int(mprotect(mapped.memory, PAGE, PROT_READ), ==, 0);
	expect_error(xrdma_mr_reg(mapped.owner.pd, mapped.memory, 2 * PAGE, 0, &again), EFAULT,
		     "it must be readable and writable");
	expect_error(xrdma_mr_refresh(mr, NULL, 0, 0), EFAULT, "it must be readable and writable");
	mapped_end(mapped_reg(mapped.memory + PAGE, PAGE));
	mapped_end(mr);
	expect(!memcmp(mapped.memory, mapped.before, 2 * PAGE));
	expect_int(mprotect(mapped.memory, PAGE, PROT_READ | PROT_WRITE), ==, 0);
	mapped_end(mapped_reg(mapped.memory, 2 * PAGE));
}
