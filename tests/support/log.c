// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "support/log.h"

#include <stdbool.h>
#include <stdlib.h>

#include "support/test.h"

FILE *log_of(const char *name, enum role role)
{
	char path[128];

	snprintf(path, sizeof(path), CAPTURES "/%s.%s.jsonl", name,
		 role == SERVER ? "server" : "client");
	return fopen(path, "r");
}

__u64 log_number(struct json_object *object, const char *field)
{
	struct json_object *value;

	expect_msg(json_object_object_get_ex(object, field, &value), "no %s", field);
	return strtoull(json_object_get_string(value), NULL, 0);
}

__u64 logged(const char *name, const char *field)
{
	FILE *file = log_of(name, SERVER);
	struct json_object *object, *value;
	char line[512];
	bool found = false;
	__u64 number = 0;

	expect_msg(file, "%s has no log", name);
	while (!found && fgets(line, sizeof(line), file)) {
		object = json_tokener_parse(line);
		found = json_object_object_get_ex(object, field, &value);
		if (found)
			number = log_number(object, field);
		json_object_put(object);
	}
	fclose(file);
	expect_msg(found, "%s: no %s", name, field);
	return number;
}
