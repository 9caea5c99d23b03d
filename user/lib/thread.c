// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "lib/thread.h"

#include <signal.h>

int xrdma_thread_start(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
		       void *arg)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = -pthread_create(thread, attr, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}
