/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What a command prints: JSON objects, or the same as lines of text. */
#ifndef XRDMA_TOOLS_JSON_H
#define XRDMA_TOOLS_JSON_H

#include <json-c/json.h>
#include <linux/types.h>
#include <stdbool.h>

void json_add_int(struct json_object *object, const char *name, __u64 value);
void json_add_flag(struct json_object *object, const char *name, bool value);
void json_add_string(struct json_object *object, const char *name, const char *value);
void json_add_hex(struct json_object *object, const char *name, int digits, __u64 value);

/*
 * Prints "1  RC RDMA WRITE Only  dest_qpn 37  psn 512 ...". The first member and one called "name"
 * stand without their names, flags by their names where they are set. The elements of an array are
 * separated by commas, the values of an object that is an element by blanks.
 */
void json_print_line(struct json_object *object);

/*
 * OBJECT as an element of an array that has PRINTED elements already; the brackets are the
 * caller's.
 */
void json_print_element(struct json_object *object, unsigned int printed);

#endif
