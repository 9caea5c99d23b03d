// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* xrdma show ctx|mr|mw|mkey|qp|cq|srq [DEVICE] [-j]: show rows of contexts. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <xrdma/device.h>

#include "cmd.h"
#include "lib/error.h"
#include "dev/inspect.h"
#include "json.h"
#include "usage.h"
#include "obj/access.h"
#include "rows.h"
#include <xrdma/abi/device.h>

/*
 * Returns whether a row is that of a region. A list may be a region of several buffers, or an mkey.
 */
static bool is_mr(const void *row)
{
	const struct xrdma_mkey_row *key = row;

	return key->pd && (key->kind == XRDMA_MKEY_KIND_MR ||
			   (key->kind == XRDMA_MKEY_KIND_LIST && key->parent));
}

static bool is_mw(const void *row)
{
	const struct xrdma_mkey_row *key = row;

	return key->pd && key->kind >= XRDMA_MKEY_KIND_MW1 && key->kind <= XRDMA_MKEY_KIND_MW2B;
}

static bool is_mkey(const void *row)
{
	const struct xrdma_mkey_row *key = row;

	return key->pd && xrdma_mkey_is_indirect(key->kind) && !is_mr(row);
}

static bool is_cq(const void *row)
{
	return ((const struct xrdma_queue_row *)row)->kind == XRDMA_QUEUE_CQ;
}

static bool is_srq(const void *row)
{
	const struct xrdma_queue_row *queue = row;

	return queue->kind == XRDMA_QUEUE_RQ && queue->ring;
}

/* Kinds of rows, and the map of each. */
static const struct kind {
	const char *name, *map;
	bool (*is)(const void *row); /* selects rows; NULL: all */
} kinds[] = {
	{ "ctx", "xrdma_contexts", NULL }, { "mr", "xrdma_mkeys", is_mr },
	{ "mw", "xrdma_mkeys", is_mw },	   { "mkey", "xrdma_mkeys", is_mkey },
	{ "qp", "xrdma_qps", NULL },	   { "cq", "xrdma_queues", is_cq },
	{ "srq", "xrdma_queues", is_srq },
};

/* Returns the name of the struct of MAP's rows. */
static const char *type_of(const char *map)
{
#define X(table, outer, row)      \
	if (!strcmp(map, #outer)) \
		return #row;
	XRDMA_CONTEXT_TABLES(X)
#undef X
	return "xrdma_context_row";
}

struct listing {
	const struct kind *kind;
	const char *device;
	bool json;
	unsigned int printed;
};

static int show_row(const struct xrdma_inspected *row, void *arg)
{
	struct listing *listing = arg;
	struct json_object *object;
	int err;

	if (listing->kind->is && !listing->kind->is(row->row))
		return 0;
	object = json_object_new_object();
	json_add_string(object, "device", listing->device);
	json_add_int(object, "slot", row->slot);
	if (strcmp(listing->kind->name, "ctx")) {
		json_add_int(object, "process", row->owner);
		json_add_int(object, "row", row->index);
	}
	err = rows_add(object, type_of(listing->kind->map), row->row);
	if (err)
		xrdma_fail(-err, "cannot read the rows: %s", strerror(-err));
	else if (listing->json)
		json_print_element(object, listing->printed);
	else
		json_print_line(object);
	listing->printed++;
	json_object_put(object);
	return err;
}

static int show_device(const char *name, void *arg)
{
	struct listing *listing = arg;

	listing->device = name;
	return xrdma_inspect(name, listing->kind->map, show_row, listing);
}

/*
 * Show the device NAME. A device that is gone now, or that another version has loaded, is left out.
 */
static int show_any(const char *name, void *arg)
{
	int err = show_device(name, arg);

	return err == -ENOENT || err == -EPROTO ? 0 : err;
}

int cmd_show(int argc, char **argv)
{
	struct listing listing = { 0 };
	int option, err;

	while ((option = getopt(argc, argv, "j")) != -1) {
		if (option != 'j')
			return usage_error(NULL);
		listing.json = true;
	}
	for (size_t i = 0; optind < argc && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(argv[optind], kinds[i].name))
			listing.kind = &kinds[i];
	if (!listing.kind || optind < argc - 2)
		return usage_error(NULL);
	if (listing.json)
		putchar('[');
	if (optind + 1 < argc)
		err = show_device(argv[optind + 1], &listing);
	else
		err = xrdma_device_each(show_any, &listing);
	if (listing.json)
		puts("]");
	if (err)
		fprintf(stderr, "xrdma show: %s\n", xrdma_error());
	return err ? 1 : 0;
}
