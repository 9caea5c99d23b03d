// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "dev/quiet.h"

#include <bpf/libbpf.h>
#include <xdp/libxdp.h>

#include "dev/verifier.h"
#include "lib/order.h"

static __thread int depth; /* calls of xrdma_quiet_begin() that have not ended */

/* Print functions of the program. They are NULL if the program wants nothing printed. */
static libbpf_print_fn_t print_libbpf;
static libxdp_print_fn_t print_libxdp;

static int log_libbpf(enum libbpf_print_level level, const char *format, va_list args)
{
	libbpf_print_fn_t print = XRDMA_READ(print_libbpf);

	if (depth)
		return xrdma_verifier_print(level, format, args);
	return print ? print(level, format, args) : 0;
}

static int log_libxdp(enum libxdp_print_level level, const char *format, va_list args)
{
	libxdp_print_fn_t print = XRDMA_READ(print_libxdp);

	return depth || !print ? 0 : print(level, format, args);
}

void xrdma_quiet_begin(void)
{
	libbpf_print_fn_t of_libbpf;
	libxdp_print_fn_t of_libxdp;

	if (depth++)
		return;
	of_libbpf = libbpf_set_print(log_libbpf);
	if (of_libbpf != log_libbpf)
		XRDMA_WRITE(print_libbpf, of_libbpf);
	of_libxdp = libxdp_set_print(log_libxdp);
	if (of_libxdp != log_libxdp)
		XRDMA_WRITE(print_libxdp, of_libxdp);
}

void xrdma_quiet_end(void)
{
	depth--;
}
