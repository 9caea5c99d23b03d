// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* The reason in a verifier's log, in the form in which libbpf prints it. */
#include "dev/verifier.h"

#include <pthread.h>
#include <string.h>
#include <xdp/libxdp.h>

#include "dev/quiet.h"
#include "support/test.h"

#define IN_LIBBPF "prog '%s': -- BEGIN PROG LOAD LOG --\n%s-- END PROG LOAD LOG --\n"
#define PROCESSED                                                                  \
	"processed 12 insns (limit 1000000) max_states_per_insn 2 total_states 5 " \
	"peak_states 5 mark_read 3\n"

__attribute__((format(printf, 2, 3))) static void say(enum libbpf_print_level level,
						      const char *format, ...)
{
	va_list args;

	va_start(args, format);
	expect_int(xrdma_verifier_print(level, format, args), ==, 0);
	va_end(args);
}

static const struct {
	const char *log, *kept;
} logs[] = {
	/* Linux 6.1 prints two lines after an instruction. */
	{ "57: (7b) *(u64 *)(r10 -72) = r1\n; return *(const __u64 *)at;\n"
	  "58: (79) r1 = *(u64 *)(r3 +0)\n"
	  "invalid access to map value, value_size=5072 off=65537 size=8\n"
	  "R3 max value is outside of the allowed memory range\n" PROCESSED,
	  "invalid access to map value, value_size=5072 off=65537 size=8 "
	  "R3 max value is outside of the allowed memory range" },
	/* Linux 6.12 */
	{ "from 18 to 19: R0=0\n19: (85) call bpf_xdp_load_bytes#189\n"
	  "R4 invalid zero-sized read: u64=[0,9]\n" PROCESSED,
	  "R4 invalid zero-sized read: u64=[0,9]" },
	/* Linux 7.3, before the first instruction */
	{ "Extension program changes packet data, while original does not\n" PROCESSED,
	  "Extension program changes packet data, while original does not" },
	/*
	 * The log goes on with other paths after the statistics. Then the processed instructions
	 * have no error.
	 */
	{ "R1 is wrong\n" PROCESSED "1: (95) exit\n" PROCESSED, "" },
	{ "1: (95) exit\n" PROCESSED, "" },
	{ "a log that was cut off\n", "" },
	{ "", "" },
};

Test(verifier, keeps_the_last_lines_that_say_what_is_wrong)
{
	for (size_t i = 0; i < sizeof(logs) / sizeof(*logs); i++) {
		say(LIBBPF_WARN, IN_LIBBPF, "xrdma", logs[i].log);
		ck_assert_str_eq(xrdma_verifier_message(), logs[i].kept);
		ck_assert_str_eq(xrdma_verifier_message(), "");
	}
}

Test(verifier, cuts_what_is_long)
{
	static char log[4096];

	snprintf(log, sizeof(log), "%01000d is no number\n" PROCESSED, 0);
	say(LIBBPF_WARN, IN_LIBBPF, "xrdma", log);
	expect_int(strlen(xrdma_verifier_message()), <, 256);
}

Test(verifier, receives_nothing_else)
{
	say(LIBBPF_WARN, "failed to load: %d\n", -13);
	say(LIBBPF_DEBUG, IN_LIBBPF, "xrdma", "R1 is wrong\n" PROCESSED);
	ck_assert_str_eq(xrdma_verifier_message(), "");
}

static int said_to_program;

static int log_libbpf(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level, (void)format, (void)args;
	said_to_program++;
	return 0;
}

static int log_libxdp(enum libxdp_print_level level, const char *format, va_list args)
{
	(void)level, (void)format, (void)args;
	said_to_program++;
	return 0;
}

/* Make libbpf, or libxdp if BY_LIBXDP is not NULL, print that a file does not exist. */
static void *open_nothing(void *by_libxdp)
{
	if (by_libxdp)
		xdp_program__open_file("/nonexistent", "xdp", NULL);
	else
		bpf_object__close(bpf_object__open("/nonexistent"));
	return by_libxdp;
}

/*
 * A thread that has called xrdma_quiet_begin() prints nothing. Messages of other threads, and those
 * after xrdma_quiet_end(), go to the function that the program has set. The messages are from
 * libbpf (0) and libxdp (1).
 */
Tests(verifier, is_quiet_in_the_thread_that_asks_for_it, 2)
{
	void *by_libxdp = i ? &said_to_program : NULL;
	pthread_t thread;
	int others;

	libbpf_set_print(i ? NULL : log_libbpf);
	if (i)
		libxdp_set_print(log_libxdp);
	xrdma_quiet_begin();
	xrdma_quiet_begin();
	xrdma_quiet_end();
	open_nothing(by_libxdp);
	expect_int(said_to_program, ==, 0);
	expect_int(pthread_create(&thread, NULL, open_nothing, by_libxdp), ==, 0);
	pthread_join(thread, NULL);
	others = said_to_program;
	expect_int(others, >, 0);
	xrdma_quiet_end();
	open_nothing(by_libxdp);
	expect_int(said_to_program, ==, 2 * others);
}
