// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Kernels that refuse the programs. tests/net/device.sh runs it where xa is. */
#include <dlfcn.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <xrdma/device.h>

#include "support/owner.h"
#include "support/test.h"

/* Returns whether the kernel refuses to load the program. NULL: the kernel does what it does. */
static bool (*refuses)(const union bpf_attr *program);

/* Replacement for the C library's function. libbpf calls this one. */
__attribute__((visibility("default"))) long syscall(long number, ...)
{
	long (*real)(long number, ...) = dlsym(RTLD_NEXT, "syscall");
	long arg[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		arg[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_bpf && arg[0] == BPF_PROG_LOAD && refuses && refuses((void *)arg[1])) {
		errno = EINVAL;
		return -1;
	}
	return real(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}

static void expect_refused(bool (*refusal)(const union bpf_attr *program), const char *text)
{
	for (enum xrdma_mode mode = XRDMA_MODE_NATIVE; mode <= XRDMA_MODE_TC; mode++) {
		const struct xrdma_load_attr load = { sizeof(load), mode };

		refuses = refusal;
		expect_error(xrdma_device_load("xa", &load), EOPNOTSUPP, text);
		refuses = NULL;
		expect_error(xrdma_device_unload("xa", false), ENOENT, "not loaded");
	}
}

/* Refuse programs like a kernel without CONFIG_BPF_EVENTS, which does not know the types. */
static bool is_tracing(const union bpf_attr *program)
{
	return program->prog_type == BPF_PROG_TYPE_RAW_TRACEPOINT ||
	       program->prog_type == BPF_PROG_TYPE_TRACING;
}

Test(refusals, no_tracing)
{
	expect_refused(is_tracing, "has no BPF tracing: one with CONFIG_BPF_EVENTS is needed");
}

static bool is_xrdma(const union bpf_attr *program)
{
	if (strcmp(program->prog_name, "xrdma") && strcmp(program->prog_name, "xrdma_tc"))
		return false;
	if (program->log_level)
		snprintf((char *)program->log_buf, program->log_size,
			 "0: (95) exit\nR0 is not what it says\n"
			 "processed 1 insns (limit 1000000)\n");
	return true;
}

Test(refusals, by_the_verifier)
{
	expect_refused(is_xrdma, "refuses the program: R0 is not what it says");
}
