// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "held_call.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "test.h"

struct holding {
	void (*run)(void *data);
	void *data;
	const struct held_call *held;
	sem_t installed;
	int fd; /* reports the calls; or -errno: there is no filter */
};

/*
 * Install a filter in the calling thread. Returns the descriptor that reports the calls, or -errno.
 */
static int install(const struct held_call *held)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, held->number, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, args) + held->arg * sizeof(__u64)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, held->value, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = { sizeof(steps) / sizeof(*steps), steps };

	int fd = -1;

	if (!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
			     &filter);
	return fd < 0 ? -errno : fd;
}

static void *run_filtered(void *arg)
{
	struct holding *holding = arg;

	holding->fd = install(holding->held);
	sem_post(&holding->installed);
	if (holding->fd >= 0)
		holding->run(holding->data);
	return NULL;
}

/* Wait for the next call. Returns false if the thread and its children have ended instead. */
static bool is_next(int fd, struct seccomp_notif *call)
{
	struct pollfd calls = { .fd = fd, .events = POLLIN };

	expect_int(poll(&calls, 1, -1), ==, 1);
	if (!(calls.revents & POLLIN))
		return false;
	memset(call, 0, sizeof(*call));
	expect_int(ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, call), ==, 0);
	return true;
}

static void continue_call(int fd, const struct seccomp_notif *call)
{
	struct seccomp_notif_resp response = {
		.id = call->id,
		.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE,
	};

	expect_int(ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &response), ==, 0);
}

void run_held(void (*run)(void *data), void *data, const struct held_call *held,
	      void (*meanwhile)(void))
{
	struct holding holding = { .run = run, .data = data, .held = held };
	struct seccomp_notif call;
	pthread_t thread;
	int count;

	sem_init(&holding.installed, 0, 0);
	expect_int(pthread_create(&thread, NULL, run_filtered, &holding), ==, 0);
	while (sem_wait(&holding.installed))
		;
	expect_msg(holding.fd >= 0, "no filter: %s", strerror(-holding.fd));
	for (count = 0; is_next(holding.fd, &call); count++) {
		if (!count)
			meanwhile();
		continue_call(holding.fd, &call);
	}
	pthread_join(thread, NULL);
	close(holding.fd);
	expect(count > 0);
}
