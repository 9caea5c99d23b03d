// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "netns.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

bool netns_enter(const char *name)
{
	char path[64];
	bool entered;
	int fd;

	snprintf(path, sizeof(path), "/run/netns/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	entered = !setns(fd, CLONE_NEWNET);
	close(fd);
	return entered;
}
