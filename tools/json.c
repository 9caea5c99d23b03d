// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "json.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "colour.h"

void json_add_int(struct json_object *object, const char *name, __u64 value)
{
	json_object_object_add(object, name, json_object_new_uint64(value));
}

void json_add_string(struct json_object *object, const char *name, const char *value)
{
	json_object_object_add(object, name, json_object_new_string(value));
}

void json_add_hex(struct json_object *object, const char *name, int digits, __u64 value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%0*llx", digits, (unsigned long long)value);
	json_add_string(object, name, text);
}

void json_add_flag(struct json_object *object, const char *name, bool value)
{
	json_object_object_add(object, name, json_object_new_boolean(value));
}

static void print_element(struct json_object *element)
{
	const char *between = "";

	if (!json_object_is_type(element, json_type_object)) {
		printf("%s", json_object_get_string(element));
		return;
	}
	json_object_object_foreach(element, key, value)
	{
		(void)key;
		printf("%s%s", between, json_object_get_string(value));
		between = " ";
	}
}

static void print_array(const struct json_object *array)
{
	for (size_t i = 0; i < json_object_array_length(array); i++) {
		printf("%s", i ? "," : "");
		print_element(json_object_array_get_idx(array, i));
	}
}

/* Returns whether VALUE is printed. Empty arrays, and flags that are not set, are not. */
static bool is_shown(struct json_object *value)
{
	if (json_object_is_type(value, json_type_array))
		return json_object_array_length(value);
	return !json_object_is_type(value, json_type_boolean) || json_object_get_boolean(value);
}

static enum colour colour_of(const char *key, const char *value, bool is_first)
{
	static const char *const good[] = { "attached", "ALIVE", "RTS", "VALID" };

	if (is_first)
		return COLOUR_NAME;
	if (strcmp(key, "state"))
		return COLOUR_NONE;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (!strcmp(value, good[i]))
			return COLOUR_GOOD;
	return !strcmp(value, "detached") || !strcmp(value, "ERR") ? COLOUR_BAD : COLOUR_NONE;
}

static void print_value(const char *key, const char *value, bool is_first)
{
	const enum colour its = colour_of(key, value, is_first);

	if (its == COLOUR_NONE)
		printf("%s", value);
	else
		printf("%s%s%s", colour(its), value, colour(COLOUR_NONE));
}

void json_print_line(struct json_object *object)
{
	bool first = true;

	json_object_object_foreach(object, key, value)
	{
		bool flag = json_object_is_type(value, json_type_boolean);

		if (!is_shown(value))
			continue;
		printf("%s", first ? "" : "  ");
		if (!first && strcmp(key, "name"))
			printf("%s", key);
		if (!flag && !first && strcmp(key, "name"))
			putchar(' ');
		if (json_object_is_type(value, json_type_array))
			print_array(value);
		else if (!flag)
			print_value(key, json_object_get_string(value), first);
		first = false;
	}
	putchar('\n');
}

void json_print_element(struct json_object *object, unsigned int printed)
{
	printf("%s%s", printed ? ",\n" : "",
	       json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN));
}
