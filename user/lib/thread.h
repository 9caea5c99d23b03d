/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Threads of the library. They block signals, which belong to the application. */
#ifndef XRDMA_USER_LIB_THREAD_H
#define XRDMA_USER_LIB_THREAD_H

#include <pthread.h>

/* Start a thread, as pthread_create(3) does. Returns 0 or -errno. */
int xrdma_thread_start(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
		       void *arg);

#endif
