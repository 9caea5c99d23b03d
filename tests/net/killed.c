// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * A process that is killed while it loads a device leaves nothing that cannot be unloaded.
 * tests/net/device.sh runs this in the network namespace of xa.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/bpf.h>
#include <net/if.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xrdma/device.h>

#include "dev/tc.h"
#include "dev/xdp.h"
#include "net/netdev.h"
#include "support/owner.h"
#include "support/test.h"

/* Returns whether to kill the process now, before or after a call of bpf(2). NULL: never. */
static bool (*ends_at)(int command, const union bpf_attr *attr);
static bool is_before;

/* Replacement for the C library's function. libbpf calls this one. */
__attribute__((visibility("default"))) long syscall(long number, ...)
{
	long (*real)(long number, ...) = dlsym(RTLD_NEXT, "syscall");
	long arg[6], result;
	va_list args;
	bool ends;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		arg[i] = va_arg(args, long);
	va_end(args);
	ends = number == SYS_bpf && ends_at && ends_at(arg[0], (void *)arg[1]);
	if (ends && is_before)
		raise(SIGKILL);
	result = real(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
	if (ends && result >= 0)
		raise(SIGKILL);
	return result;
}

static bool pins(int command, const union bpf_attr *attr, const char *name)
{
	const char *path = (const char *)(uintptr_t)attr->pathname;

	return command == BPF_OBJ_PIN && !strcmp(strrchr(path, '/') + 1, name);
}

static bool at_the_first_pin(int command, const union bpf_attr *attr)
{
	(void)attr;
	return command == BPF_OBJ_PIN;
}

/* Stop when the netdev no longer removes VLAN tags. */
static bool at_the_xdp_program(int command, const union bpf_attr *attr)
{
	return command == BPF_PROG_LOAD && !strcmp(attr->prog_name, "xrdma");
}

/* Stop when the XDP program is attached. */
static bool at_the_pin_of_xdp(int command, const union bpf_attr *attr)
{
	return pins(command, attr, "xrdma");
}

static bool at_the_pin_at_tc(int command, const union bpf_attr *attr)
{
	return pins(command, attr, "xrdma_tc");
}

static bool at_the_last_pin(int command, const union bpf_attr *attr)
{
	return pins(command, attr, xrdma_tc_pins[XRDMA_TC_AT_LO]);
}

static const struct {
	bool (*ends_at)(int command, const union bpf_attr *attr);
	bool is_before;
} ends[] = {
	{ at_the_first_pin, true },  { at_the_first_pin, false },  { at_the_xdp_program, false },
	{ at_the_pin_of_xdp, true }, { at_the_pin_of_xdp, false }, { at_the_pin_at_tc, true },
	{ at_the_last_pin, true },
};

/* Load the device in a child. Returns the signal that has killed the child, or 0. */
static int load_in_child(void)
{
	const struct xrdma_load_attr load = { sizeof(load), XRDMA_MODE_NATIVE };
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(xrdma_device_load("xa", &load) != 0);
	expect_int(waitpid(pid, &status, 0), ==, pid);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

Tests(killed, leaves_what_can_be_unloaded, sizeof(ends) / sizeof(ends[0]))
{
	const int xa = if_nametoindex("xa");
	int err;

	expect(xrdma_netdev_takes_tags("xa"));
	ends_at = ends[i].ends_at;
	is_before = ends[i].is_before;
	err = load_in_child();
	ends_at = NULL;
	if (!err) {
		expect_int(xrdma_device_unload("xa", false), ==, 0);
		SKIP("this kernel takes another way here");
	}
	expect_int(err, ==, SIGKILL);
	err = xrdma_device_unload("xa", false);
	expect_msg(!err || err == -ENOENT, "%s", xrdma_error());
	expect(!xrdma_xdp_is_ours(xa));
	expect(xrdma_netdev_takes_tags("xa"));
}

Test(killed, can_be_loaded_again)
{
	const struct xrdma_load_attr load = { sizeof(load), XRDMA_MODE_NATIVE };

	ends_at = at_the_pin_at_tc;
	is_before = true;
	expect_int(load_in_child(), ==, SIGKILL);
	ends_at = NULL;
	expect_msg(!xrdma_device_load("xa", &load), "%s", xrdma_error());
	expect_int(xrdma_device_unload("xa", false), ==, 0);
}
