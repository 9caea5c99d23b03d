/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What the packets of a capture are in sum: by opcode, by NAK, by connection. */
#ifndef XRDMA_TOOLS_SUMMARY_H
#define XRDMA_TOOLS_SUMMARY_H

#include "describe.h"

struct summary;

/* NULL: no memory. */
struct summary *summary_create(void);
void summary_free(struct summary *summary);

/* Returns 0 or -ENOMEM. */
int summary_add(struct summary *summary, const struct packet *packet);

void summary_print(const struct summary *summary, bool json);

#endif
