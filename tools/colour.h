/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Colours on standard output. They are used if this is a terminal with colours, and if the
 * environment does not contain NO_COLOR (https://no-color.org).
 */
#ifndef XRDMA_TOOLS_COLOUR_H
#define XRDMA_TOOLS_COLOUR_H

/* Colours, named after the text that they are used for. */
enum colour {
	COLOUR_NONE, /* end of a colour */
	COLOUR_NAME,
	COLOUR_GOOD,
	COLOUR_BAD,
};

/* Returns the text that begins COLOUR, or "" if no colours are used. */
const char *colour(enum colour colour);

#endif
