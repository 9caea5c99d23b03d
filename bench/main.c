// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * bench [-q] FILE [PART...]: run the benchmarks of these parts (responder, rtt, context, mr, poll,
 * reg, window, bw, load; default: all). Print a table, and write the figures to FILE as JSON. With
 * -q (quick), each loop has only a few iterations, to show that the benchmarks work. The figures
 * mean nothing then.
 */
#include "bench.h"

#include <err.h>
#include <json-c/json.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts.h"

enum { QUICK = 400 }; /* divisor for the iterations of a quick run */

static struct json_object *figures;
static bool is_quick;
static cpu_set_t cpus; /* CPUs that the program may use */

static void add_number(struct json_object *figure, const char *name, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.3f", value);
	json_object_object_add(figure, name, json_object_new_double_s(value, text));
}

void bench_report(const char *name, const char *unit, double value, double baseline)
{
	struct json_object *figure = json_object_new_object();

	json_object_object_add(figure, "name", json_object_new_string(name));
	json_object_object_add(figure, "unit", json_object_new_string(unit));
	add_number(figure, "value", value);
	add_number(figure, "baseline", baseline);
	add_number(figure, "ratio", value / baseline);
	json_object_array_add(figures, figure);
	printf("%-33s %10.1f %10.1f %8.2f  %s\n", name, value, baseline, value / baseline, unit);
	fflush(stdout);
}

bool bench_is_quick(void)
{
	return is_quick;
}

int bench_rounds(int count)
{
	return is_quick ? count / QUICK + 2 : count;
}

static int compare(const void *a, const void *b)
{
	__u32 left = *(const __u32 *)a, right = *(const __u32 *)b;

	return (left > right) - (left < right);
}

__u32 bench_median(__u32 *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare);
	return values[count / 2];
}

__u32 bench_ns_since(const struct timespec *start)
{
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	return (end.tv_sec - start->tv_sec) * 1000000000 + end.tv_nsec - start->tv_nsec;
}

void bench_pin(int number)
{
	cpu_set_t one;
	int cpu = -1;

	do
		while (++cpu < CPU_SETSIZE && !CPU_ISSET(cpu, &cpus))
			;
	while (number--);
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (cpu == CPU_SETSIZE || sched_setaffinity(0, sizeof(one), &one))
		errx(1, "the benchmarks need 2 CPUs");
}

static const struct part {
	const char *name;
	void (*run)(void);
	bool on_a; /* runs on host a, with xa loaded in tc mode */
} parts[] = {
	{ "responder", bench_responder, false },
	{ "rtt", bench_rtt, false },
	{ "context", bench_context, true },
	{ "mr", bench_mr, true },
	{ "poll", bench_poll, true },
	{ "reg", bench_reg, true },
	{ "window", bench_window, true },
	{ "bw", bench_bw, false },
	{ "load", bench_load, false },
};
enum { PARTS = sizeof(parts) / sizeof(parts[0]) };

/* Run PART. Successive parts share a device. NULL ends the last one. */
static void run_part(const struct part *part)
{
	const bool on_a = part && part->on_a;
	static bool is_loaded;

	if (on_a && !is_loaded)
		hosts_load("a", "xa", XRDMA_MODE_TC);
	else if (!on_a && is_loaded)
		hosts_unload("a", "xa");
	is_loaded = on_a;
	if (part)
		part->run();
}

static const struct part *part_of(const char *name)
{
	for (const struct part *part = parts; part < parts + PARTS; part++)
		if (!strcmp(part->name, name))
			return part;
	errx(2, "no part is called %s", name);
}

int main(int argc, char **argv)
{
	is_quick = argc > 1 && !strcmp(argv[1], "-q");
	argc -= is_quick, argv += is_quick;
	if (argc < 2)
		errx(2, "usage: bench [-q] FILE [PART...]");
	sched_getaffinity(0, sizeof(cpus), &cpus);
	figures = json_object_new_array();
	printf("%-33s %10s %10s %8s  %s\n", "", "value", "baseline", "ratio", "unit");
	for (int i = 2; i < argc; i++)
		run_part(part_of(argv[i]));
	for (int i = 0; argc == 2 && i < PARTS; i++)
		run_part(&parts[i]);
	run_part(NULL);
	if (json_object_to_file_ext(argv[1], figures, JSON_C_TO_STRING_PRETTY))
		errx(1, "cannot write %s: %s", argv[1], json_util_get_last_err());
	json_object_put(figures);
	return 0;
}
