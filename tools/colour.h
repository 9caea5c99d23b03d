/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Colours on standard output, if it is a terminal that has them, and if the environment does not
 * have NO_COLOR (https://no-color.org).
 */
#ifndef XRDMA_TOOLS_COLOUR_H
#define XRDMA_TOOLS_COLOUR_H

/* A colour is named after the text that it is for. */
enum colour {
	COLOUR_NONE, /* ends a colour */
	COLOUR_NAME,
	COLOUR_GOOD,
	COLOUR_BAD,
};

/* Returns what is to be printed for the colour to begin: "" if there are to be none. */
const char *colour(enum colour colour);

#endif
