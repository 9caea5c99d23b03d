// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "colour.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Select Graphic Rendition (ECMA-48, 8.3.117). Names are cyan, as those of netdevs are in ip(8). */
static const char *const sequences[] = {
	[COLOUR_NONE] = "\033[0m",
	[COLOUR_NAME] = "\033[36m",
	[COLOUR_GOOD] = "\033[32m",
	[COLOUR_BAD] = "\033[31m",
};

static bool are_wanted(void)
{
	const char *terminal = getenv("TERM"), *none = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && terminal && strcmp(terminal, "dumb") && !(none && *none);
}

const char *colour(enum colour colour)
{
	static int wanted = -1;

	if (wanted < 0)
		wanted = are_wanted();
	return wanted ? sequences[colour] : "";
}
