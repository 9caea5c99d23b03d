/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Summary of a capture: packets by opcode, by NAK, and by connection. */
#ifndef XRDMA_TOOLS_SUMMARY_H
#define XRDMA_TOOLS_SUMMARY_H

#include "describe.h"

struct summary;

/* Create an empty summary. Returns NULL if there is no memory. */
struct summary *summary_create(void);
void summary_free(struct summary *summary);

/* Add PACKET. Returns 0 or -ENOMEM. */
int summary_add(struct summary *summary, const struct packet *packet);

void summary_print(const struct summary *summary, bool json);

#endif
