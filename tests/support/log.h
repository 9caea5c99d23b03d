/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Logs of the programs whose traffic was captured, with a JSON object in each line. */
#ifndef XRDMA_TESTS_SUPPORT_LOG_H
#define XRDMA_TESTS_SUPPORT_LOG_H

#include <json-c/json.h>
#include <linux/types.h>
#include <stdio.h>

#define CAPTURES "../shared/captures"

enum role { SERVER, CLIENT, ROLES };

/* Open the log of one end's program. Returns NULL if there is none. */
FILE *log_of(const char *name, enum role role);

/* Returns the number FIELD of OBJECT, or of the first line of the server's log that has it. */
__u64 log_number(struct json_object *object, const char *field);
__u64 logged(const char *name, const char *field);

#endif
