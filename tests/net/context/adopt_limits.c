// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Registration in place in a process without free file descriptors, in one whose main() has ended,
 * in one to which the kernel does not tell everything, and in one that unmaps memory while it
 * forks. The tests run in namespace a, where xa is loaded; tests/net/context.sh runs it.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mem/mappings.h"
#include "support/mapped.h"
#include "support/fork_quietly.h"
#include "support/refuse.h"
#include "support/slot_view.h"
#include "support/test.h"
#include "support/unchanged.h"

/* Large thread-local variable. The library's threads must have room for it, too. */
static __thread volatile __u8 of_thread[300 << 10];

static void start(void)
{
	owner_open(&mapped.owner, "xa");
	mapped_start();
	of_thread[0] = 1;
}

static void stop(void)
{
	mapped_stop();
	owner_close(&mapped.owner);
}

TestSuite(adopt_limits, .init = start, .fini = stop);

static void expect_child_has_it(void)
{
	expect_in_child(mapped.memory, mapped.before, MAPPED_BYTES);
}

static void expect_own(void)
{
	expect_apart(mapped.owner.context, mapped.memory, mapped.before, MAPPED_BYTES);
}

enum { DESCRIPTORS = 200 };

/* All file descriptors that the process can still open. */
static struct {
	int fds[DESCRIPTORS], count;
} taken;

static int count_descriptors(void)
{
	DIR *list = opendir("/proc/self/fd");
	int count = 0;

	while (readdir(list))
		count++;
	closedir(list);
	return count;
}

static void take_descriptors(void)
{
	const struct rlimit few = { DESCRIPTORS, DESCRIPTORS };
	int fd;

	expect_int(setrlimit(RLIMIT_NOFILE, &few), ==, 0);
	while ((fd = dup(0)) >= 0)
		taken.fds[taken.count++] = fd;
	expect_int(errno, ==, EMFILE);
}

static void free_descriptors(int count)
{
	while (count--)
		close(taken.fds[--taken.count]);
}

Test(adopt_limits, without_descriptors)
{
	struct xrdma_mr *mr = mapped_reg(mapped.memory, MAPPED_BYTES), *second;

	take_descriptors();
	expect_child_has_it();
	second = mapped_reg(mapped.memory, PAGE);
	expect_int(*mapped_reached(second), ==, *mapped.before);
	mapped_end(mr);
	mapped_end(second);
	expect_own();
	free_descriptors(taken.count);
}

/* The first registration fails without descriptors, and no attempt leaves a descriptor open. */
Test(adopt_limits, first_without_descriptors)
{
	const int before = count_descriptors();
	struct xrdma_mr *mr;

	take_descriptors();
	for (int few = 0; few < 4; few++) {
		expect_error(xrdma_mr_reg(mapped.owner.pd, mapped.memory, PAGE, 0, &mr), EMFILE,
			     "userfaultfd(2): Too many open files");
		free_descriptors(1);
	}
	expect_own();
	free_descriptors(taken.count);
	expect_int(count_descriptors(), ==, before);
	mapped_end(mapped_reg(mapped.memory, PAGE));
}

/*
 * Another thread moves the page with the errno of the calling thread. If the calling thread moved
 * it, a system call that fails meanwhile would write errno and wait for the page for ever. Here
 * of_thread[] lies between errno and the thread's control block.
 */
Test(adopt_limits, errno_of_the_thread)
{
	void *page = (void *)((uintptr_t)&errno & -(uintptr_t)PAGE);

	expect((uintptr_t)pthread_self() - (uintptr_t)page > sizeof(of_thread));
	mapped_end(mapped_reg(page, PAGE));
	refuse_call(SYS_mmap, 3, MAP_SHARED | MAP_FIXED, ENOMEM);
	mapped_end(mapped_reg(page, PAGE));
}

static void wait_for_main_to_end(void)
{
	char byte;
	ssize_t got = 1;

	while (got > 0) {
		FILE *maps = fopen("/proc/self/maps", "re");

		got = fread(&byte, 1, 1, maps);
		fclose(maps);
	}
}

static void *outlive_main(void *of)
{
	struct xrdma_mr *mr = of;

	wait_for_main_to_end();
	expect_child_has_it();
	mapped_end(mr);
	expect_own();
	mr = mapped_reg(mapped.memory + PAGE, PAGE);
	expect_int(*mapped_reached(mr), ==, mapped.before[PAGE]);
	mapped_end(mr);
	_exit(0);
}

/* When main() has ended by pthread_exit(3), /proc/self/maps of the process is empty. */
Test(adopt_limits, main_ended)
{
	pid_t child = fork_quietly();
	pthread_t thread;
	int status;

	if (!child) {
		owner_open(&mapped.owner, "xa");
		pthread_create(&thread, NULL, outlive_main,
			       mapped_reg(mapped.memory, MAPPED_BYTES));
		pthread_exit(NULL);
	}
	expect_int(waitpid(child, &status, 0), ==, child);
	expect_int(status, ==, 0);
}

/* Returns how many of COUNT mappings have a name, and moves them to the front. */
static int drop_unnamed(struct xrdma_mapping *mappings, int count)
{
	int named = 0;

	for (int i = 0; i < count; i++)
		if (*mappings[i].name)
			mappings[named++] = mappings[i];
	return named;
}

/*
 * Kernels before Linux 6.11 do not have PROCMAP_QUERY. There the library reads proc_pid_maps(5),
 * and finds the same mappings.
 */
Test(adopt_limits, listed_by_text)
{
	struct xrdma_mr *mr = mapped_reg(mapped.memory, MAPPED_BYTES);
	struct xrdma_mapping *asked, *read;
	int count = xrdma_mappings_list(0, ~0ULL, &asked), all;

	count = drop_unnamed(asked, count);
	expect(count > 10);
	refuse_mapping_queries();
	all = xrdma_mappings_list(0, ~0ULL, &read);
	expect_int(drop_unnamed(read, all), >=, count);
	for (int i = 0; i < count; i++) {
		expect_int(read[i].start, ==, asked[i].start);
		expect_int(read[i].end, ==, asked[i].end);
		expect_int(read[i].offset, ==, asked[i].offset);
		expect_int(read[i].inode, ==, asked[i].inode);
		expect(!strcmp(read[i].flags, asked[i].flags));
		expect(!strcmp(read[i].name, asked[i].name));
	}
	free(asked);
	free(read);
	expect_child_has_it();
	mapped_end(mr);
	expect_own();
}

static void drop(int capability)
{
	struct __user_cap_header_struct self = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3];

	expect_int(syscall(SYS_capget, &self, caps), ==, 0);
	caps[0].effective &= ~(1U << capability);
	expect_int(syscall(SYS_capset, &self, caps), ==, 0);
}

/*
 * The first region is closed when its addresses belong to a second region, as in the test
 * adopt.mapped_anew_for_another_context. Here the library needs its own records: without
 * CAP_SYS_ADMIN, the kernel does not tell a process which frame is at an address.
 */
Test(adopt_limits, mapped_anew_without_frames)
{
	struct xrdma_mr *mr, *second;
	struct owner other;

	owner_open(&other, "xa");
	drop(CAP_SYS_ADMIN);
	mr = mapped_reg(mapped.memory, MAPPED_BYTES);
	munmap(mapped.memory, MAPPED_BYTES);
	expect(mmap(mapped.memory, MAPPED_BYTES, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == mapped.memory);
	memcpy(mapped.memory, mapped.before, MAPPED_BYTES);
	expect_int(xrdma_mr_reg(other.pd, mapped.memory, MAPPED_BYTES, 0, &second), ==, 0);
	mapped.memory[0] = ++mapped.before[0];
	expect_child_has_it();
	mapped_end(mr);
	expect(!memcmp(mapped.memory, mapped.before, MAPPED_BYTES));
	mapped_end(second);
	expect_own();
	owner_close(&other);
}

static bool may_call_userfaultfd(void)
{
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

Test(adopt_limits, by_the_device_of_userfaultfd)
{
	drop(CAP_SYS_PTRACE);
	if (may_call_userfaultfd() || access("/dev/userfaultfd", R_OK | W_OK))
		SKIP("userfaultfd(2) is for everyone, or there is no device");
	mapped_end(mapped_reg(mapped.memory, MAPPED_BYTES));
	expect_own();
}

Test(adopt_limits, without_userfaultfd)
{
	struct xrdma_mr *mr;

	drop(CAP_SYS_PTRACE);
	if (may_call_userfaultfd())
		SKIP("userfaultfd(2) is for everyone");
	if (!access("/dev/userfaultfd", F_OK)) {
		expect_int(unshare(CLONE_NEWNS), ==, 0);
		expect_int(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), ==, 0);
		expect_int(mount("/dev/null", "/dev/userfaultfd", NULL, MS_BIND, NULL), ==, 0);
	}
	expect_error(xrdma_mr_reg(mapped.owner.pd, mapped.memory, PAGE, 0, &mr), EPERM,
		     "access to /dev/userfaultfd is needed");
	expect_own();
}

/*
 * The next fork unmaps the SIZE bytes at AT, when the library has prepared for the fork. Then it
 * maps the pages OWN, where the kernel has room for them.
 */
static struct {
	void *at;
	size_t size;
	__u8 *own[64];
} in_fork;

static void unmap(void)
{
	if (!in_fork.size)
		return;
	munmap(in_fork.at, in_fork.size);
	in_fork.size = 0;
	for (int i = 0; i < 64; i++) {
		in_fork.own[i] = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		*in_fork.own[i] = i;
	}
}

/*
 * Register unmap() before the library registers its handlers. Handlers that prepare for a fork run
 * in the reverse order (pthread_atfork(3)), so unmap() runs after the library's.
 */
__attribute__((constructor)) static void unmap_when_forking(void)
{
	pthread_atfork(unmap, NULL, NULL);
}

static void fork_and_unmap(int page, int count)
{
	pid_t child;

	in_fork.at = mapped.memory + page * PAGE;
	in_fork.size = count * PAGE;
	child = fork();
	if (!child)
		_exit(0);
	expect_int(waitpid(child, NULL, 0), ==, child);
	expect_int(slot_look(mapped.owner.context->slot).row.state, ==, XRDMA_CONTEXT_ALIVE);
}

/* The pages that the program mapped during the fork are still mapped, with their contents. */
static void expect_own_mappings(void)
{
	for (int i = 0; i < 64; i++) {
		expect_int(count_mappings(in_fork.own[i], PAGE), ==, 1);
		expect_int(*in_fork.own[i], ==, i);
		munmap(in_fork.own[i], PAGE);
	}
}

/* Peers can access the rest of the region as before, and other regions, too. */
Test(adopt_limits, part_unmapped_while_forking)
{
	struct xrdma_mr *mr = mapped_reg(mapped.memory, 8 * PAGE),
			*other = mapped_reg(mapped.memory + 20 * PAGE, PAGE);

	fork_and_unmap(2, 3);
	for (int page = 0; page < 8; page++)
		if (page < 2 || page >= 5) {
			mapped_reached(mr)[page * PAGE] = ++mapped.before[page * PAGE];
			expect_int(mapped.memory[page * PAGE], ==, mapped.before[page * PAGE]);
		}
	mapped_reached(other)[1] = ++mapped.before[20 * PAGE + 1];
	mapped_end(mr);
	mapped_end(other);
	expect_int(count_mappings(mapped.memory + 2 * PAGE, 3 * PAGE), ==, 0);
	expect(!memcmp(mapped.memory, mapped.before, 2 * PAGE));
	expect(!memcmp(mapped.memory + 5 * PAGE, mapped.before + 5 * PAGE,
		       MAPPED_BYTES - 5 * PAGE));
	expect_own_mappings();
}

Test(adopt_limits, unmapped_while_forking)
{
	struct xrdma_mr *mr = mapped_reg(mapped.memory, 8 * PAGE);

	fork_and_unmap(0, 8);
	mapped_end(mr);
	expect_own_mappings();
}
