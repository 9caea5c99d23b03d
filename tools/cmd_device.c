// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* xrdma load, unload and status. */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <xrdma/device.h>

#include "cmd.h"
#include "json.h"
#include "usage.h"

static const char *const mode_name[] = {
	[XRDMA_MODE_AUTO] = "auto",
	[XRDMA_MODE_NATIVE] = "native",
	[XRDMA_MODE_TC] = "tc",
};
static const char *const reason_name[] = {
	[XRDMA_REASON_ASKED_FOR] = "asked for",
	[XRDMA_REASON_PROVED] = "a neighbour answered what XDP sent",
	[XRDMA_REASON_VETH] = "veth",
	[XRDMA_REASON_NO_NATIVE] = "the driver has no native XDP for it",
	[XRDMA_REASON_OTHER_XDP] = "another XDP program is attached",
	[XRDMA_REASON_TAGS] = "the driver takes VLAN tags off",
	[XRDMA_REASON_NO_NEIGHBOUR] = "no IPv4 neighbour known to try native XDP with",
	[XRDMA_REASON_UNANSWERED] = "no neighbour answered what XDP sent",
	[XRDMA_REASON_VETH_ASKED_FOR] =
		"asked for; its replies arrive if the veth at the other end has an XDP program too",
	[XRDMA_REASON_NO_ETHERNET] = "no Ethernet frames",
};
static const char *const state_name[] = {
	[XRDMA_DEVICE_ATTACHED] = "attached",
	[XRDMA_DEVICE_DETACHED] = "detached",
	[XRDMA_DEVICE_ELSEWHERE] = "in another network namespace",
	[XRDMA_DEVICE_FOREIGN] = "loaded by another version",
};

static const char *const hook_name[] = {
	[XRDMA_HOOK_XDP] = "xdp",
	[XRDMA_HOOK_TC] = "tc",
};

static int fail(const char *command)
{
	fprintf(stderr, "xrdma %s: %s\n", command, xrdma_error());
	return 1;
}

static bool parse_mode(const char *text, enum xrdma_mode *mode)
{
	for (unsigned int i = 0; i < sizeof(mode_name) / sizeof(mode_name[0]); i++)
		if (!strcmp(text, mode_name[i])) {
			*mode = i;
			return true;
		}
	usage_error("there is no mode %s: native, tc or auto", text);
	return false;
}

int cmd_load(int argc, char **argv)
{
	static const struct option options[] = { { "mode", required_argument, NULL, 'm' }, { 0 } };
	struct xrdma_load_attr attr = { .sz = sizeof(attr) };
	struct xrdma_device_status status = { .sz = sizeof(status) };
	int option;

	while ((option = getopt_long(argc, argv, "m:", options, NULL)) != -1)
		if (option != 'm')
			return usage_error(NULL);
		else if (!parse_mode(optarg, &attr.mode))
			return EXIT_USAGE;
	if (optind != argc - 1)
		return usage_error(NULL);
	if (xrdma_device_load(argv[optind], &attr) || xrdma_device_query(argv[optind], &status))
		return fail("load");
	printf("%s: loaded in %s mode (%s)\n", status.name, mode_name[status.mode],
	       reason_name[status.reason]);
	return 0;
}

int cmd_unload(int argc, char **argv)
{
	bool force = false;
	int option;

	while ((option = getopt(argc, argv, "f")) != -1) {
		if (option != 'f')
			return usage_error(NULL);
		force = true;
	}
	if (optind != argc - 1)
		return usage_error(NULL);
	return xrdma_device_unload(argv[optind], force) ? fail("unload") : 0;
}

static int add_addr(const __be32 addr[4], void *arg)
{
	struct json_object *addrs = arg;
	char text[INET6_ADDRSTRLEN];

	if (IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)addr))
		inet_ntop(AF_INET, &addr[3], text, sizeof(text));
	else
		inet_ntop(AF_INET6, addr, text, sizeof(text));
	json_object_array_add(addrs, json_object_new_string(text));
	return 0;
}

static void add_addrs(struct json_object *object, const char *name)
{
	struct json_object *addrs = json_object_new_array();

	xrdma_device_each_addr(name, add_addr, addrs);
	json_object_object_add(object, "addrs", addrs);
}

static int add_program(const struct xrdma_program_before *program, void *arg)
{
	struct json_object *programs = arg, *object = json_object_new_object();

	json_add_string(object, "name", program->name);
	json_add_int(object, "id", program->id);
	json_add_string(object, "hook", hook_name[program->hook]);
	json_add_string(object, "netdev", program->netdev);
	json_object_array_add(programs, object);
	return 0;
}

static void add_before(struct json_object *object, const char *name)
{
	struct json_object *programs = json_object_new_array();

	xrdma_device_each_before(name, add_program, programs);
	json_object_object_add(object, "before", programs);
}

static struct json_object *describe(const struct xrdma_device_status *status)
{
	struct json_object *object = json_object_new_object();

	json_add_string(object, "device", status->name);
	json_add_string(object, "state", state_name[status->state]);
	json_add_hex(object, "abi_version", 8, status->abi_version);
	if (status->state == XRDMA_DEVICE_FOREIGN)
		return object;
	json_add_int(object, "ifindex", status->ifindex);
	json_add_string(object, "mode", mode_name[status->mode]);
	json_add_string(object, "reason", reason_name[status->reason]);
	json_add_int(object, "contexts", status->contexts);
	add_addrs(object, status->name);
	add_before(object, status->name);
	return object;
}

struct listing {
	bool json;
	unsigned int printed;
};

static int show(const char *name, void *arg)
{
	struct listing *listing = arg;
	struct xrdma_device_status status = { .sz = sizeof(status) };
	struct json_object *object;
	int err = xrdma_device_query(name, &status);

	if (err)
		return err;
	object = describe(&status);
	if (listing->json)
		json_print_element(object, listing->printed);
	else
		json_print_line(object);
	listing->printed++;
	json_object_put(object);
	return 0;
}

/* Print the device NAME. A device that is gone now, or was never complete, is left out. */
static int list(const char *name, void *arg)
{
	int err = show(name, arg);

	return err == -ENOENT ? 0 : err;
}

int cmd_status(int argc, char **argv)
{
	struct listing listing = { 0 };
	int option, err;

	while ((option = getopt(argc, argv, "j")) != -1) {
		if (option != 'j')
			return usage_error(NULL);
		listing.json = true;
	}
	if (optind < argc - 1)
		return usage_error(NULL);
	if (listing.json)
		putchar('[');
	if (optind < argc)
		err = show(argv[optind], &listing);
	else
		err = xrdma_device_each(list, &listing);
	if (listing.json)
		puts("]");
	else if (!err && !listing.printed)
		fprintf(stderr, "no device is loaded: xrdma load DEVICE loads one\n");
	return err ? fail("status") : 0;
}
