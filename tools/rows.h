/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Rows of the contract (include/xrdma/abi/) as JSON. The names of their fields come from the BTF of
 * the XDP program.
 */
#ifndef XRDMA_TOOLS_ROWS_H
#define XRDMA_TOOLS_ROWS_H

#include <json-c/json.h>

/*
 * Add the fields of the row at DATA, a struct TYPE ("xrdma_qp_row"), to OBJECT. Returns 0 or
 * -errno.
 */
int rows_add(struct json_object *object, const char *type, const void *data);

#endif
