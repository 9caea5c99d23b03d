// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * verify [-v]: load the programs without attaching them. Print the cost of verifying each program,
 * or the verifier's reason for refusing it. With -v, print the whole log, as far as it fits into
 * the buffer.
 */
#include <bpf/libbpf.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dev/load.h"
#include "xrdma.skel.h"
#include "xrdma_tc.skel.h"

enum { TRACE = 2, STATISTICS = 4, LOG_SIZE = 256 << 20, PROGRAMS = 8 };

/* Cost of verifying a program. */
struct effort {
	long instructions, ms;
};

static char *log_of(struct bpf_program *program, int level)
{
	char *log = calloc(1, LOG_SIZE);

	if (!log || bpf_program__set_log_level(program, level) ||
	    bpf_program__set_log_buf(program, log, LOG_SIZE))
		errx(1, "no memory for a log");
	return log;
}

/*
 * Returns the cost from the log: "verification time 123 usec
 * ...processed 456 insns (limit ...". The kernel reports it only there.
 */
static struct effort effort_of(const char *log)
{
	const char *time = strstr(log, "verification time "),
		   *processed = strstr(log, "processed ");

	if (!time || !processed)
		return (struct effort){ 0 };
	return (struct effort){ atol(processed + 10), atol(time + 18) / 1000 };
}

static void listen(struct bpf_object *object, bool verbose, char *logs[PROGRAMS])
{
	struct bpf_program *program;
	int count = 0;

	bpf_object__for_each_program(program, object) logs[count++] =
		log_of(program, STATISTICS | (verbose ? TRACE : 0));
}

/* Print the cost of each program. Returns that of the most expensive one. */
static struct effort measure(struct bpf_object *object, bool verbose, char *logs[PROGRAMS])
{
	struct bpf_program *program;
	struct effort effort, most = { 0 };
	int count = 0;

	bpf_object__for_each_program(program, object)
	{
		if (verbose)
			fputs(logs[count], stdout);
		effort = effort_of(logs[count]);
		printf("%s: %ld instructions in %ld ms\n", bpf_program__name(program),
		       effort.instructions, effort.ms);
		if (effort.instructions > most.instructions)
			most = effort;
		free(logs[count++]);
	}
	return most;
}

static int verify_tc(const struct xrdma_bpf *maps, bool verbose, struct effort *effort)
{
	const struct xrdma_tc_settings alone = { .local = 1 };
	char *logs[PROGRAMS];
	struct xrdma_tc_bpf *tc;
	int error;

	if (xrdma_open_tc(maps, &alone, &tc))
		errx(1, "cannot open the program for tc");
	listen(tc->obj, verbose, logs);
	error = xrdma_tc_bpf__load(tc);
	*effort = measure(tc->obj, verbose, logs);
	xrdma_tc_bpf__destroy(tc);
	return error;
}

int main(int argc, char **argv)
{
	bool verbose = argc > 1 && !strcmp(argv[1], "-v");
	char *logs[PROGRAMS];
	struct xrdma_bpf *bpf;
	struct effort xdp, tc;
	int error;

	if (xrdma_open(&bpf))
		errx(1, "cannot open the programs");
	listen(bpf->obj, verbose, logs);
	error = xrdma_bpf__load(bpf);
	xdp = measure(bpf->obj, verbose, logs);
	if (!error)
		error = verify_tc(bpf, verbose, &tc);
	xrdma_bpf__destroy(bpf);
	if (error)
		puts("refused");
	else
		printf("xdp %ld instructions %ld ms, tc %ld instructions %ld ms\n",
		       xdp.instructions, xdp.ms, tc.instructions, tc.ms);
	return error ? EXIT_FAILURE : EXIT_SUCCESS;
}
