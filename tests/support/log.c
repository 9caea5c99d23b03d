// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "support/log.h"

#include <stdbool.h>
#include <stdlib.h>

#include "support/test.h"

FILE *log_of(const char *name)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), CAPTURES "/%s.server.jsonl", name);
	file = fopen(path, "r");
	expect_msg(file, "cannot read %s", path);
	return file;
}

__u64 log_number(struct json_object *object, const char *field)
{
	struct json_object *value;

	expect_msg(json_object_object_get_ex(object, field, &value), "no %s", field);
	return strtoull(json_object_get_string(value), NULL, 0);
}

__u64 logged(const char *name, const char *field)
{
	FILE *file = log_of(name);
	struct json_object *object, *value;
	char line[512];
	bool found = false;
	__u64 number = 0;

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
