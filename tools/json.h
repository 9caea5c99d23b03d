/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Output of commands: JSON objects, or the same as lines of text. */
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
 * Print OBJECT as a line: "1  RC RDMA WRITE Only  dest_qpn 37  psn 512 ...". The first member, and
 * one that is called "name", are printed without their names. A flag that is set is printed as its
 * name. Commas separate the elements of an array. Spaces separate the values of an object in an
 * array.
 */
void json_print_line(struct json_object *object);

/*
 * Print OBJECT as an element of an array that has PRINTED elements already. The caller prints the
 * brackets.
 */
void json_print_element(struct json_object *object, unsigned int printed);

#endif
