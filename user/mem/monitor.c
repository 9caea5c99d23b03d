// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/monitor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/error.h"
#include "mem/cache.h"

enum { USUAL_COUNT = 1024 };

static bool has_hooks;

void xrdma_monitor_has_hooks(void)
{
	has_hooks = true;
}

/*
 * Returns the value of our variable, or of libfabric's if ours is not set. NAME becomes the
 * variable's name.
 */
static const char *get(const char *what, char name[static 32])
{
	const char *value;

	snprintf(name, 32, "XRDMA_MR_CACHE_%s", what);
	value = getenv(name);
	if (value)
		return value;
	snprintf(name, 32, "FI_MR_CACHE_%s", what);
	return getenv(name);
}

static int get_number(const char *what, __u64 *number)
{
	char name[32], *end;
	const char *value = get(what, name);

	if (!value)
		return 0;
	errno = 0;
	*number = strtoull(value, &end, 0);
	if (*value < '0' || *value > '9' || *end || errno)
		return xrdma_fail(EINVAL, "%s=%s: it must be a number", name, value);
	return 0;
}

/* Choose the monitor. If no variable names one, the hooks are used if the process has them. */
static int get_monitor(bool *watched)
{
	char name[32];
	const char *value = get("MONITOR", name);

	*watched = has_hooks;
	if (!value)
		return 0;
	if (!strcmp(value, "disabled"))
		*watched = false;
	else if (!strcmp(value, "userfaultfd"))
		return xrdma_fail(
			EOPNOTSUPP,
			"%s=%s: userfaultfd(2) cannot monitor registered memory, which is a BPF "
			"map: use memhooks",
			name, value);
	else if (strcmp(value, "memhooks"))
		return xrdma_fail(EINVAL, "%s=%s: it must be memhooks or disabled", name, value);
	else if (!has_hooks)
		return xrdma_fail(EOPNOTSUPP,
				  "%s=%s: the program uses other functions than those of "
				  "libxrdma.so: link it with that",
				  name, value);
	return 0;
}

int xrdma_monitor_set(void)
{
	__u64 size = ~0ULL, count = USUAL_COUNT;
	bool watched;
	int err = get_monitor(&watched) ?: get_number("MAX_SIZE", &size)
		  ?: get_number("MAX_COUNT", &count);

	if (!err)
		xrdma_cache_limit(size, watched ? count : 0);
	return err;
}
