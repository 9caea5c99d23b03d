// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * xrdma perf DEVICE: a server. xrdma perf DEVICE HOST: latency and bandwidth of requests to the
 * server on HOST.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "json.h"
#include "usage.h"
#include "perf_client.h"
#include "perf_server.h"

#define COUNT(list) (sizeof(list) / sizeof(list[0]))

enum { SIZES_MAX = 32, ATOMIC_BYTES = 8 };

static const struct operation {
	const char *name;
	enum xrdma_wr_opcode opcode;
} operations[] = {
	{ "write", XRDMA_WR_RDMA_WRITE },
	{ "read", XRDMA_WR_RDMA_READ },
	{ "send", XRDMA_WR_SEND },
	{ "atomic", XRDMA_WR_ATOMIC_FETCH_AND_ADD },
};

static const struct {
	const char *name;
	enum xrdma_tx tx;
} txs[] = {
	{ "auto", XRDMA_TX_AUTO },
	{ "udp", XRDMA_TX_UDP },
	{ "xdp", XRDMA_TX_XDP },
};

/* Quantiles to print. */
static const struct {
	const char *name;
	double share;
} quantiles[] = {
	{ "p50", 0.5 },
	{ "p90", 0.9 },
	{ "p99", 0.99 },
	{ "p99.9", 0.999 },
};

struct perf {
	struct perf_client_attr attr;
	bool wanted[COUNT(operations)];
	__u32 sizes[SIZES_MAX];
	unsigned int size_count, printed;
	bool json, once, of_client; /* an option was given that is for clients */
};

static void print_json(struct perf *perf, const struct perf_client *client, const char *name,
		       __u32 bytes, const struct perf_result *result)
{
	struct json_object *object = json_object_new_object();
	struct json_object *ns = json_object_new_object();

	json_add_string(object, "operation", name);
	json_add_int(object, "bytes", bytes);
	json_add_int(object, "qps", client->attr.qps);
	json_add_int(object, "depth", client->attr.depth);
	json_add_int(object, "path_mtu", client->path_mtu);
	json_add_int(ns, "count", result->ns.count);
	json_add_int(ns, "min", result->ns.min);
	for (size_t i = 0; i < COUNT(quantiles); i++)
		json_add_int(ns, quantiles[i].name,
			     spread_quantile(&result->ns, quantiles[i].share));
	json_add_int(ns, "max", result->ns.max);
	json_object_object_add(object, "latency_ns", ns);
	json_add_int(object, "requests", result->done);
	json_object_object_add(object, "seconds", json_object_new_double(result->seconds));
	json_object_object_add(object, "requests_per_s",
			       json_object_new_double(result->done / result->seconds));
	json_object_object_add(
		object, "gbit_per_s",
		json_object_new_double(8e-9 * bytes * result->done / result->seconds));
	json_print_element(object, perf->printed++);
	json_object_put(object);
}

static void print_head(const struct perf_client *client)
{
	printf("to %s: queue pairs: %u, requests under way on each: %u (latency: one in all), "
	       "path MTU %u\n",
	       client->attr.host, client->attr.qps, client->attr.depth, client->path_mtu);
	printf("%-6s %9s %9s", "", "bytes", "min us");
	for (size_t i = 0; i < COUNT(quantiles); i++)
		printf(" %9s", quantiles[i].name);
	printf(" %9s %9s %9s\n", "max", "op/us", "Gbit/s");
}

static void print_line(struct perf *perf, const struct perf_client *client, const char *name,
		       __u32 bytes, const struct perf_result *result)
{
	const double rate = result->done / result->seconds;

	if (!perf->printed++)
		print_head(client);
	printf("%-6s %9u %9.2f", name, bytes, result->ns.min / 1e3);
	for (size_t i = 0; i < COUNT(quantiles); i++)
		printf(" %9.2f", spread_quantile(&result->ns, quantiles[i].share) / 1e3);
	printf(" %9.2f %9.4f %9.3f\n", result->ns.max / 1e3, rate / 1e6, 8e-9 * bytes * rate);
}

static void measure(struct perf *perf, struct perf_client *client,
		    const struct operation *operation, __u32 bytes)
{
	static struct perf_result result;

	perf_measure(client, operation->opcode, operation->name, bytes, &result);
	(perf->json ? print_json : print_line)(perf, client, operation->name, bytes, &result);
	fflush(stdout);
}

static int run_client(struct perf *perf)
{
	static struct perf_client client;

	perf_connect(&client, &perf->attr);
	if (perf->json)
		putchar('[');
	for (size_t i = 0; i < COUNT(operations); i++)
		if (perf->wanted[i] && operations[i].opcode == XRDMA_WR_ATOMIC_FETCH_AND_ADD)
			measure(perf, &client, &operations[i], ATOMIC_BYTES);
		else if (perf->wanted[i])
			for (unsigned int n = 0; n < perf->size_count; n++)
				measure(perf, &client, &operations[i], perf->sizes[n]);
	if (perf->json)
		puts("]");
	perf_leave(&client);
	return 0;
}

/*
 * Read a value from LEAST to GREATEST, which may end in k or M. *TEXT becomes the rest of the text.
 */
static bool take_number(char **text, unsigned long least, unsigned long greatest, __u32 *number)
{
	char *end;
	unsigned long value = strtoul(*text, &end, 10);

	if (end == *text || **text == '-' || value > greatest)
		return false;
	if (*end == 'k' || *end == 'M')
		value <<= *end++ == 'k' ? 10 : 20;
	*text = end;
	*number = value;
	return value >= least && value <= greatest;
}

static bool parse_number(int option, char *text, unsigned long least, unsigned long greatest,
			 __u32 *number)
{
	char *end = text;

	if (take_number(&end, least, greatest, number) && !*end)
		return true;
	usage_error("-%c %s: a number from %lu to %lu is needed", option, text, least, greatest);
	return false;
}

static bool take_sizes(struct perf *perf, char *text)
{
	for (perf->size_count = 0; perf->size_count < SIZES_MAX; text++) {
		if (!take_number(&text, 0, PERF_BYTES_MAX, &perf->sizes[perf->size_count++]))
			return false;
		if (*text != ',')
			return !*text;
	}
	return false;
}

static bool parse_sizes(struct perf *perf, char *text)
{
	if (take_sizes(perf, text))
		return true;
	usage_error("-s %s: up to %d sizes from 0 to %dM, with commas between them, are needed",
		    text, SIZES_MAX, PERF_BYTES_MAX >> 20);
	return false;
}

static bool parse_seconds(const char *text, double *seconds)
{
	char *end;

	*seconds = strtod(text, &end);
	if (end != text && !*end && *seconds >= 0.001 && *seconds <= 86400)
		return true;
	usage_error("-t %s: a number from 0.001 to 86400 is needed", text);
	return false;
}

static bool parse_mtu(char *text, __u16 *path_mtu)
{
	__u32 mtu;

	if (!parse_number('m', text, XRDMA_MTU_MIN, XRDMA_MTU_MAX, &mtu))
		return false;
	*path_mtu = mtu;
	return true;
}

static bool parse_tx(const char *text, enum xrdma_tx *tx)
{
	for (size_t i = 0; i < COUNT(txs); i++)
		if (!strcmp(text, txs[i].name)) {
			*tx = txs[i].tx;
			return true;
		}
	usage_error("--tx %s: auto, udp or xdp is needed", text);
	return false;
}

/* Parse one option. If it is wrong, print the reason and return false. */
static bool parse_option(struct perf *perf, int option)
{
	struct perf_client_attr *attr = &perf->attr;

	switch (option) {
	case 'p':
		attr->port = optarg;
		return true;
	case '1':
		return perf->once = true;
	}
	perf->of_client = true;
	switch (option) {
	case 'd':
		return parse_number('d', optarg, 1, PERF_DEPTH_MAX, &attr->depth);
	case 'j':
		return perf->json = true;
	case 'm':
		return parse_mtu(optarg, &attr->path_mtu);
	case 'q':
		return parse_number('q', optarg, 1, PERF_QPS_MAX, &attr->qps);
	case 's':
		return parse_sizes(perf, optarg);
	case 't':
		return parse_seconds(optarg, &attr->seconds);
	case 'x':
		return parse_tx(optarg, &attr->tx);
	}
	usage_error(NULL);
	return false;
}

/* Parse the names of operations. Without names, all operations are measured. */
static bool parse_operations(struct perf *perf, char **names, int count)
{
	for (int i = 0; i < count; i++) {
		size_t at = 0;

		while (at < COUNT(operations) && strcmp(names[i], operations[at].name))
			at++;
		if (at == COUNT(operations)) {
			usage_error("there is no operation %s: write, read, send or atomic",
				    names[i]);
			return false;
		}
		perf->wanted[at] = true;
	}
	for (size_t at = 0; !count && at < COUNT(operations); at++)
		perf->wanted[at] = true;
	return true;
}

/* Return the length of the longest request, including atomics. */
static __u32 longest(const struct perf *perf)
{
	__u32 bytes = ATOMIC_BYTES;

	for (unsigned int i = 0; i < perf->size_count; i++)
		if (perf->sizes[i] > bytes)
			bytes = perf->sizes[i];
	return bytes;
}

int cmd_perf(int argc, char **argv)
{
	static const struct option options[] = { { "tx", required_argument, NULL, 'x' }, { 0 } };
	struct perf perf = {
		.attr = { .port = PERF_PORT, .qps = 1, .depth = 64, .seconds = 1 },
		.sizes = { 64, 4096, 65536, 1 << 20 },
		.size_count = 4,
	};
	int option, given;

	while ((option = getopt_long(argc, argv, "1d:jm:p:q:s:t:", options, NULL)) != -1)
		if (!parse_option(&perf, option))
			return EXIT_USAGE;
	given = argc - optind;
	if (given == 1 && !perf.of_client)
		return perf_serve(argv[optind], perf.attr.port, perf.once);
	if (given < 2)
		return usage_error(given ? "a server has no option but -p and -1: HOST is missing"
					 : "DEVICE is missing");
	if (perf.once)
		return usage_error("-1 is for a server, which has no HOST");
	if (!parse_operations(&perf, &argv[optind + 2], given - 2))
		return EXIT_USAGE;
	perf.attr.device = argv[optind];
	perf.attr.host = argv[optind + 1];
	perf.attr.bytes = longest(&perf);
	return run_client(&perf);
}
