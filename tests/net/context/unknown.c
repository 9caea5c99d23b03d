// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The kernel may refuse to tell which network namespace this is, or which programs are on a netdev,
 * for want of memory or file descriptors. Then the library must not assume that this is another
 * namespace than the device's, or that the netdev has no programs. The tests run in namespace a,
 * where xa is loaded; tests/net/context.sh runs them.
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <xdp/libxdp.h>
#include <xrdma/device.h>

#include "support/owner.h"
#include "support/test.h"

enum what { NOTHING, NAMESPACE, PROGRAMS };

static enum what refused;
static int refusals; /* number of refused calls */

static bool is_refused(enum what what)
{
	if (__atomic_load_n(&refused, __ATOMIC_SEQ_CST) != what)
		return false;
	__atomic_add_fetch(&refusals, 1, __ATOMIC_SEQ_CST);
	return true;
}

static void refuse(enum what what)
{
	__atomic_store_n(&refusals, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&refused, what, __ATOMIC_SEQ_CST);
}

/* Replacement for the C library's function. The library calls this one. */
int getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	if (level == SOL_SOCKET && name == SO_NETNS_COOKIE && is_refused(NAMESPACE)) {
		errno = ENOMEM;
		return -1;
	}
	return syscall(SYS_getsockopt, fd, level, name, value, len);
}

/* Replacement for libxdp's function. The library calls this one. */
struct xdp_multiprog *xdp_multiprog__get_from_ifindex(int ifindex)
{
	struct xdp_multiprog *(*get)(int ifindex) = dlsym(RTLD_NEXT, __func__);

	return is_refused(PROGRAMS) ? (void *)(long)-ENOMEM : get(ifindex);
}

static int compare(const __be32 addr[4], void *sought)
{
	return addr[3] == inet_addr(sought);
}

/* Returns whether CALL becomes true within ten seconds. */
#define COMES(call)                                                                     \
	({                                                                              \
		int left = 1000;                                                        \
		while (!(call) && --left)                                               \
			nanosleep(&(struct timespec){ .tv_nsec = 10 * 1000000 }, NULL); \
		left > 0;                                                               \
	})

/* A context stays alive, and its device gets the netdev's new address later. */
Test(unknown, while_addresses_change)
{
	struct owner owner;

	owner_open(&owner, "xa");
	expect(!xrdma_device_each_addr("xa", compare, "10.66.9.9"));
	refuse(NAMESPACE);
	expect_int(system("ip addr add 10.66.9.9/32 dev xa"), ==, 0);
	expect(COMES(__atomic_load_n(&refusals, __ATOMIC_SEQ_CST)));
	refuse(NOTHING);
	expect(COMES(xrdma_device_each_addr("xa", compare, "10.66.9.9") == 1));
	expect_msg(!xrdma_context_enter(owner.context), "%s", xrdma_error());
	expect_int(system("ip addr del 10.66.9.9/32 dev xa"), ==, 0);
	owner_close(&owner);
}

static void expect_attached(void)
{
	struct xrdma_device_status status = { .sz = sizeof(status) };

	refuse(NOTHING);
	expect_msg(!xrdma_device_query("xa", &status), "%s", xrdma_error());
	expect_int(status.state, ==, XRDMA_DEVICE_ATTACHED);
}

/* The device cannot be unloaded, and is not shown as another namespace's. */
Test(unknown, which_namespace)
{
	const struct xrdma_load_attr load = { .sz = sizeof(load) };
	struct xrdma_device_status status = { .sz = sizeof(status) };
	const char text[] = "cannot find out which network namespace this is";

	refuse(NAMESPACE);
	expect_error(xrdma_device_query("xa", &status), ENOMEM, text);
	expect_error(xrdma_device_load("xa", &load), ENOMEM, text);
	expect_error(xrdma_device_unload("xa", true), ENOMEM, text);
	expect_attached();
}

static int ignore(const struct xrdma_program_before *program, void *unused)
{
	(void)program, (void)unused;
	return 0;
}

/* The program at tc stays, too, if the XDP program cannot be looked for. */
Test(unknown, which_programs)
{
	const struct xrdma_load_attr native = { .sz = sizeof(native), .mode = XRDMA_MODE_NATIVE };
	const struct xrdma_load_attr tc = { .sz = sizeof(tc), .mode = XRDMA_MODE_TC };
	struct xrdma_device_status status = { .sz = sizeof(status) };

	for (int i = 0; i < 2; i++) {
		expect_int(xrdma_device_unload("xa", false), ==, 0);
		expect_int(xrdma_device_load("xa", i ? &tc : &native), ==, 0);
		refuse(PROGRAMS);
		if (!i)
			expect_error(xrdma_device_query("xa", &status), ENOMEM,
				     "cannot find out which programs are on xa");
		expect_error(xrdma_device_each_before("xa", ignore, NULL), ENOMEM,
			     i ? "before xa" : "on xa");
		expect_error(xrdma_device_unload("xa", true), ENOMEM, "cannot detach from xa");
		expect_attached();
	}
}
