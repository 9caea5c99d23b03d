// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* xrdma stat [DEVICE] [-i SECONDS [-c COUNT]] [-j]: count packets by verdict and by opcode. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xrdma/device.h>

#include "cmd.h"
#include "colour.h"
#include "json.h"
#include "usage.h"

/* All counters, with their place in the struct, their name, and their meaning. */
static const struct counter {
	size_t at;
	const char *name, *text;
} verdicts[] = {
#define X(number, symbol, action, syndrome, text) \
	{ offsetof(struct xrdma_counters, verdicts.symbol), #symbol, text },
	XRDMA_VERDICTS(X)
#undef X
}, opcodes[] = {
	{ offsetof(struct xrdma_counters, opcodes.UNASSIGNED), "unassigned",
	  "opcode that nobody has assigned" },
#define X(symbol, number, text, ...) \
	{ offsetof(struct xrdma_counters, opcodes.symbol), #symbol, text },
	XRDMA_OPCODES(X)
#undef X
};

#define COUNT(list) (sizeof(list) / sizeof(list[0]))

/* A device with its counters at the last look. */
struct seen {
	char name[16];
	struct xrdma_counters counters;
	struct seen *next;
};

struct stat {
	const char *device; /* NULL: all */
	bool json;
	double interval; /* seconds; 0: totals */
	unsigned int printed;
	struct seen *seen;
};

static __u64 value_of(const struct xrdma_counters *counters, const struct counter *counter)
{
	__u64 value;

	memcpy(&value, (const char *)counters + counter->at, sizeof(value));
	return value;
}

/*
 * Returns the increase of COUNTER since BEFORE, or its total if BEFORE is NULL. With an interval
 * the increase is divided by its length in seconds.
 */
static double rate(const struct stat *stat, const struct counter *counter,
		   const struct xrdma_counters *now, const struct xrdma_counters *before)
{
	__u64 value = value_of(now, counter) - (before ? value_of(before, counter) : 0);

	return stat->interval > 0 ? value / stat->interval : value;
}

static void print_list(const struct stat *stat, const char *what, const struct counter *list,
		       size_t count, const struct xrdma_counters *now,
		       const struct xrdma_counters *before)
{
	for (size_t i = 0; i < count; i++) {
		double value = rate(stat, &list[i], now, before);

		if (value > 0)
			printf("  %-7s %14.0f%s  %-16s %s\n", what, value,
			       stat->interval > 0 ? "/s" : "", list[i].name, list[i].text);
	}
}

static struct json_object *describe_list(const struct stat *stat, const struct counter *list,
					 size_t count, const struct xrdma_counters *now,
					 const struct xrdma_counters *before)
{
	struct json_object *object = json_object_new_object();

	for (size_t i = 0; i < count; i++)
		if (stat->interval > 0)
			json_object_object_add(
				object, list[i].name,
				json_object_new_double(rate(stat, &list[i], now, before)));
		else
			json_add_int(object, list[i].name, value_of(now, &list[i]));
	return object;
}

static void print(struct stat *stat, const char *name, const struct xrdma_counters *now,
		  const struct xrdma_counters *before)
{
	struct json_object *object;

	if (!stat->json) {
		printf("%s%s%s\n", colour(COLOUR_NAME), name, colour(COLOUR_NONE));
		print_list(stat, "verdict", verdicts, COUNT(verdicts), now, before);
		print_list(stat, "opcode", opcodes, COUNT(opcodes), now, before);
		return;
	}
	object = json_object_new_object();
	json_add_string(object, "device", name);
	if (stat->interval > 0)
		json_object_object_add(object, "seconds", json_object_new_double(stat->interval));
	json_object_object_add(object, "verdicts",
			       describe_list(stat, verdicts, COUNT(verdicts), now, before));
	json_object_object_add(object, "opcodes",
			       describe_list(stat, opcodes, COUNT(opcodes), now, before));
	json_print_element(object, stat->printed++);
	json_object_put(object);
}

/*
 * Find the last counters of the device NAME. Set *FRESH if there are none: counting begins with its
 * present counters. Returns NULL if there is no memory.
 */
static struct seen *find_seen(struct stat *stat, const char *name, bool *fresh)
{
	struct seen *seen = stat->seen;

	while (seen && strcmp(seen->name, name))
		seen = seen->next;
	*fresh = !seen;
	if (seen)
		return seen;
	seen = calloc(1, sizeof(*seen));
	if (!seen)
		return NULL;
	strncpy(seen->name, name, sizeof(seen->name) - 1);
	seen->next = stat->seen;
	stat->seen = seen;
	return seen;
}

static int look(const char *name, void *arg)
{
	struct stat *stat = arg;
	struct xrdma_counters now;
	struct seen *seen;
	bool fresh;
	int err = xrdma_device_counters(name, &now, sizeof(now));

	if (err)
		return err;
	if (stat->interval <= 0) {
		print(stat, name, &now, NULL);
		return 0;
	}
	seen = find_seen(stat, name, &fresh);
	if (!seen)
		return -ENOMEM;
	if (!fresh)
		print(stat, name, &now, &seen->counters);
	seen->counters = now;
	return 0;
}

static int look_at_any(const char *name, void *arg)
{
	int err = look(name, arg);

	return err == -ENOENT || err == -EPROTO ? 0 : err;
}

static int look_at_all(struct stat *stat)
{
	return stat->device ? look(stat->device, stat) : xrdma_device_each(look_at_any, stat);
}

static void wait_for(double seconds)
{
	struct timespec left = { .tv_sec = seconds };

	left.tv_nsec = (seconds - left.tv_sec) * 1e9;
	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

/* Print COUNT intervals, or go on for ever if COUNT is 0. */
static int follow(struct stat *stat, unsigned long count)
{
	int err = look_at_all(stat);

	for (unsigned long i = 0; !err && (!count || i < count); i++) {
		wait_for(stat->interval);
		err = look_at_all(stat);
		fflush(stdout);
	}
	return err;
}

static int run(struct stat *stat, unsigned long count)
{
	int err;

	if (stat->json)
		putchar('[');
	err = stat->interval > 0 ? follow(stat, count) : look_at_all(stat);
	if (stat->json)
		puts("]");
	if (err)
		fprintf(stderr, "xrdma stat: %s\n", xrdma_error());
	return err ? 1 : 0;
}

int cmd_stat(int argc, char **argv)
{
	struct stat stat = { 0 };
	unsigned long count = 0;
	char *end = "";
	int option;

	while ((option = getopt(argc, argv, "c:i:j")) != -1) {
		if (option == 'j')
			stat.json = true;
		else if (option == 'i')
			stat.interval = strtod(optarg, &end);
		else if (option == 'c')
			count = strtoul(optarg, &end, 10);
		else
			return usage_error(NULL);
		if (*end || (option == 'i' && !(stat.interval >= 0.001 && stat.interval <= 86400)))
			return usage_error("-%c %s: %s", option, optarg,
					   option == 'i' ? "0.001 to 86400 seconds" : "a number");
	}
	if (optind < argc - 1)
		return usage_error(NULL);
	if (count && stat.interval <= 0)
		return usage_error("-c COUNT counts intervals: -i SECONDS is missing");
	stat.device = argv[optind];
	return run(&stat, count);
}
