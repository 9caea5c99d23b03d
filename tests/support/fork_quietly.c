// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "fork_quietly.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "test.h"

/*
 * Returns whether thread TID of this process sleeps, according to proc_pid_stat(5). A thread that
 * has ended counts as asleep.
 */
static bool sleeps(int tid)
{
	char path[64], state = 'S';
	FILE *stat;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	stat = fopen(path, "re");
	if (!stat)
		return true;
	if (fscanf(stat, "%*d (%*[^)]) %c", &state) != 1)
		state = 'S'; /* it has ended */
	fclose(stat);
	return state == 'S';
}

static bool others_sleep(void)
{
	DIR *tasks = opendir("/proc/self/task");
	const struct dirent *task;
	bool all = true;
	int tid;

	expect(tasks != NULL);
	while ((task = readdir(tasks))) {
		tid = atoi(task->d_name); /* 0: this is . or .. */
		if (tid && tid != gettid() && !sleeps(tid))
			all = false;
	}
	closedir(tasks);
	return all;
}

pid_t fork_quietly(void)
{
	while (!others_sleep())
		usleep(100);
	return fork();
}
