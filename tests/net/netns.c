// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The kernel may refuse to tell which network namespace this is, for want of memory or file
 * descriptors. Then the library does not take it for another one than the device's. These tests run
 * in namespace a, where xa is loaded; tests/net/context.sh runs them.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <xrdma/device.h>

#include "support/owner.h"
#include "support/test.h"

static bool refuse;
static int refused; /* calls */

/* The library calls this function in place of the C library's. */
int getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	if (level == SOL_SOCKET && name == SO_NETNS_COOKIE &&
	    __atomic_load_n(&refuse, __ATOMIC_SEQ_CST)) {
		__atomic_add_fetch(&refused, 1, __ATOMIC_SEQ_CST);
		errno = ENOMEM;
		return -1;
	}
	return syscall(SYS_getsockopt, fd, level, name, value, len);
}

static void set_refuse(bool on)
{
	__atomic_store_n(&refuse, on, __ATOMIC_SEQ_CST);
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

/* A context stays, and learns of the netdev's new address later. */
Test(netns, while_addresses_change)
{
	struct owner owner;

	owner_open(&owner, "xa");
	expect(!xrdma_device_each_addr("xa", compare, "10.66.9.9"));
	set_refuse(true);
	refused = 0;
	expect_int(system("ip addr add 10.66.9.9/32 dev xa"), ==, 0);
	expect(COMES(__atomic_load_n(&refused, __ATOMIC_SEQ_CST)));
	set_refuse(false);
	expect(COMES(xrdma_device_each_addr("xa", compare, "10.66.9.9") == 1));
	expect_msg(!xrdma_context_enter(owner.context), "%s", xrdma_error());
	expect_int(system("ip addr del 10.66.9.9/32 dev xa"), ==, 0);
	owner_close(&owner);
}

/* The device is neither unloaded nor shown as another namespace's. */
Test(netns, while_device_is_changed)
{
	const struct xrdma_load_attr load = { .sz = sizeof(load) };
	struct xrdma_device_status status = { .sz = sizeof(status) };
	const char text[] = "cannot tell which network namespace this is";

	set_refuse(true);
	expect_error(xrdma_device_query("xa", &status), ENOMEM, text);
	expect_error(xrdma_device_load("xa", &load), ENOMEM, text);
	expect_error(xrdma_device_unload("xa", true), ENOMEM, text);
	set_refuse(false);
	expect_int(xrdma_device_query("xa", &status), ==, 0);
	expect_int(status.state, ==, XRDMA_DEVICE_ATTACHED);
}
