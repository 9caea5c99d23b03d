/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The steps that move memory of the process into pages of a map, and back. The mover
 * (mem/mover.h) says which thread takes them.
 */
#ifndef XRDMA_USER_MEM_MOVING_H
#define XRDMA_USER_MEM_MOVING_H

#include "mem/hold.h"
#include "mem/move.h"

/*
 * These functions do what xrdma_move_in(), xrdma_move_out() and xrdma_move_unwatch() say, but for
 * the field IN.
 */
int xrdma_moving_in(const struct xrdma_hold *hold, struct xrdma_move *move);
int xrdma_moving_out(const struct xrdma_hold *hold, struct xrdma_move *move);
int xrdma_moving_unwatch(const struct xrdma_hold *hold, struct xrdma_move *move);

#endif
