// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * verify [-v]: loads the programs, attaches nothing, and prints what the kernel's verifier took for
 * each, or what it said of the one that it refuses; -v: its whole log, as far as there is room for
 * it.
 */
#include <bpf/libbpf.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dev/load.h"
#include "xrdma.skel.h"

enum { TRACE = 2, STATISTICS = 4, LOG_SIZE = 256 << 20 };

static char *log_of(struct bpf_program *program, int level)
{
	char *log = calloc(1, LOG_SIZE);

	if (!log || bpf_program__set_log_level(program, level) ||
	    bpf_program__set_log_buf(program, log, LOG_SIZE))
		errx(1, "no memory for a log");
	return log;
}

/*
 * "verification time 123 usec\n...processed 456 insns (limit ...": it has no other place that
 * tells.
 */
static void print_statistics(const char *name, const char *log)
{
	const char *time = strstr(log, "verification time "),
		   *processed = strstr(log, "processed ");

	if (time && processed)
		printf("%s: %ld instructions in %ld ms\n", name, atol(processed + 10),
		       atol(time + 18) / 1000);
}

int main(int argc, char **argv)
{
	bool verbose = argc > 1 && !strcmp(argv[1], "-v");
	struct bpf_program *program;
	char *logs[8];
	struct xrdma_bpf *bpf;
	int count = 0, error;

	if (xrdma_open(&bpf))
		errx(1, "cannot open the programs");
	bpf_object__for_each_program(program, bpf->obj) logs[count++] =
		log_of(program, STATISTICS | (verbose ? TRACE : 0));
	error = xrdma_bpf__load(bpf);
	count = 0;
	bpf_object__for_each_program(program, bpf->obj)
	{
		if (verbose)
			fputs(logs[count], stdout);
		print_statistics(bpf_program__name(program), logs[count]);
		free(logs[count++]);
	}
	xrdma_bpf__destroy(bpf);
	if (error)
		puts("refused");
	return error ? EXIT_FAILURE : EXIT_SUCCESS;
}
