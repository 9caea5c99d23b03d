/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The steps of a relocation. The relocator (mem/relocator.h) says which thread takes them.
 */
#ifndef XRDMA_USER_MEM_RELOCATING_H
#define XRDMA_USER_MEM_RELOCATING_H

#include "mem/freeze.h"
#include "mem/relocation.h"

/*
 * Do the work of xrdma_relocate_in(), xrdma_relocate_out() and xrdma_relocation_unwatch(), except
 * for the field IN.
 */
int xrdma_relocating_in(const struct xrdma_freeze *freeze, struct xrdma_relocation *relocation);
int xrdma_relocating_out(const struct xrdma_freeze *freeze, struct xrdma_relocation *relocation);
int xrdma_relocating_unwatch(const struct xrdma_freeze *freeze,
			     struct xrdma_relocation *relocation);

#endif
