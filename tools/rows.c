// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "rows.h"

#include <arpa/inet.h>
#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xrdma/abi/device.h>

#include "lib/addr.h"
#include "json.h"
#include "xrdma.skel.h"

#define X(symbol, ...) #symbol,
static const char *const context_states[] = { XRDMA_CONTEXT_STATES(X) };
static const char *const mkey_kinds[] = { XRDMA_MKEY_KINDS(X) };
static const char *const queue_kinds[] = { XRDMA_QUEUE_KINDS(X) };
static const char *const mkey_states[] = { XRDMA_MKEY_STATES(X) };
static const char *const qp_states[] = { XRDMA_QP_STATES(X) };
#undef X
#define X(number, symbol, ...) #symbol,
static const char *const verdicts[] = { XRDMA_VERDICTS(X) };
#undef X
static const char *const transports[] = { "RC", "UC", "RD", "UD", "CNP", "XRC" };

/* Names for values, with the struct and the member that contain them. */
static const struct {
	const char *type, *field;
	const char *const *names;
	__u32 count;
} named[] = {
#define NAMES(names) names, sizeof(names) / sizeof(names[0])
	{ "xrdma_context_row", "state", NAMES(context_states) },
	{ "xrdma_mkey_row", "kind", NAMES(mkey_kinds) },
	{ "xrdma_mkey_row", "state", NAMES(mkey_states) },
	{ "xrdma_queue_row", "kind", NAMES(queue_kinds) },
	{ "xrdma_qp_row", "state", NAMES(qp_states) },
	{ "xrdma_qp_row", "transport", NAMES(transports) },
	{ "xrdma_responder", "error", NAMES(verdicts) },
	{ "xrdma_requester", "error", NAMES(verdicts) },
#undef NAMES
};

/* Members that are printed in hexadecimal. */
static const char *const hexadecimal[] = { "ack_icrc", "base",	   "key",    "offset", "parent",
					   "pkey",     "user_key", "secret", "va" };

/* Names for the bits of "access" and "rights". */
static const struct {
	__u32 bit;
	const char *name;
} rights[] = {
#define RIGHT(name)                        \
	{                                  \
		XRDMA_ACCESS_##name, #name \
	}
	RIGHT(LOCAL_WRITE), RIGHT(REMOTE_WRITE), RIGHT(REMOTE_READ), RIGHT(REMOTE_ATOMIC),
	RIGHT(MW_BIND),	    RIGHT(ZERO_BASED),	 RIGHT(READ),	     RIGHT(WRITE),
	RIGHT(RECV),	    RIGHT(SEND),	 RIGHT(LOCAL_READ),  RIGHT(REMOTE_INVALIDATE),
#undef RIGHT
};

/* Add the names of the bits that are set. Other bits are added as a number. */
static void add_rights(struct json_object *object, const char *field, __u64 value)
{
	struct json_object *names = json_object_new_array();
	char text[24];

	for (size_t i = 0; i < sizeof(rights) / sizeof(rights[0]); i++) {
		if (value & rights[i].bit)
			json_object_array_add(names, json_object_new_string(rights[i].name));
		value &= ~(__u64)rights[i].bit;
	}
	if (value) {
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
		json_object_array_add(names, json_object_new_string(text));
	}
	json_object_object_add(object, field, names);
}

static void add_number(struct json_object *object, const char *type, const char *field, __u64 value,
		       __u32 size)
{
	if (!strcmp(field, "access") || !strcmp(field, "rights")) {
		add_rights(object, field, value);
		return;
	}
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		if (!strcmp(named[i].type, type) && !strcmp(named[i].field, field) &&
		    value < named[i].count) {
			json_add_string(object, field, named[i].names[value]);
			return;
		}
	for (size_t i = 0; i < sizeof(hexadecimal) / sizeof(hexadecimal[0]); i++)
		if (!strcmp(hexadecimal[i], field)) {
			json_add_hex(object, field, 2 * size, value);
			return;
		}
	json_add_int(object, field, value);
}

static __u64 read_number(const void *data, __u32 size)
{
	__u64 value = 0;

	/* Numbers are little-endian. */
	memcpy(&value, data, size < sizeof(value) ? size : sizeof(value));
	return value;
}

static int add_struct(struct json_object *object, const struct btf *btf, __u32 id,
		      const void *data);

/*
 * Add a member of a row. Arrays of four numbers are addresses. READs, atomics and resources are
 * left out: use bpftool for them.
 */
static int add_field(struct json_object *object, const struct btf *btf, const char *type,
		     const struct btf_member *member, const void *data)
{
	const char *field = btf__name_by_offset(btf, member->name_off);
	int id = btf__resolve_type(btf, member->type), err;
	const struct btf_type *is = btf__type_by_id(btf, id);
	struct json_object *inner;
	char text[INET6_ADDRSTRLEN];

	if (!is || !strncmp(field, "reserved", 8))
		return is ? 0 : -EINVAL;
	switch (btf_kind(is)) {
	case BTF_KIND_INT:
		add_number(object, type, field, read_number(data, is->size), is->size);
		return 0;
	case BTF_KIND_ARRAY:
		if (btf_array(is)->nelems == 4)
			json_add_string(object, field, xrdma_addr_print(data, text));
		return 0;
	case BTF_KIND_STRUCT:
		inner = json_object_new_object();
		err = add_struct(inner, btf, id, data);
		json_object_object_add(object, field, inner);
		return err;
	}
	return -EINVAL;
}

static int add_struct(struct json_object *object, const struct btf *btf, __u32 id, const void *data)
{
	const struct btf_type *type = btf__type_by_id(btf, id);
	const struct btf_member *member = btf_members(type);
	int err = 0;

	for (int i = 0; !err && i < btf_vlen(type); i++, member++)
		err = add_field(object, btf, btf__name_by_offset(btf, type->name_off), member,
				data + member->offset / 8);
	return err;
}

int rows_add(struct json_object *object, const char *type, const void *data)
{
	static struct xrdma_bpf *bpf; /* never closed: needed as long as the tool runs */
	const struct btf *btf;
	int id;

	if (!bpf)
		bpf = xrdma_bpf__open();
	if (!bpf)
		return -errno;
	btf = bpf_object__btf(bpf->obj);
	id = btf__find_by_name_kind(btf, type, BTF_KIND_STRUCT);
	return id < 0 ? id : add_struct(object, btf, id, data);
}
