// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Locks of devices. tests/net/device.sh runs it. No device is loaded, because a lock belongs to a
 * directory.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dev/pin.h"
#include "support/owner.h"
#include "support/test.h"

enum { A_WHILE_US = 100000 };

/* A process that locks DEVICE, reports that, and unlocks it, or reports the error. */
struct taker {
	pid_t pid;
	int report;
};

static struct taker start_taker(const char *device, enum xrdma_pin_mode hold)
{
	struct taker taker;
	int report[2], lock;

	expect_int(pipe(report), ==, 0);
	taker.pid = fork();
	if (!taker.pid) {
		lock = xrdma_pin_lock(device, hold);
		_exit(write(report[1], &lock, sizeof(lock)) < 0);
	}
	close(report[1]);
	taker.report = report[0];
	return taker;
}

/* Wait for the taker's report, and return it. */
static int end_taker(struct taker taker)
{
	int lock = 0;

	expect_int(read(taker.report, &lock, sizeof(lock)), ==, sizeof(lock));
	close(taker.report);
	waitpid(taker.pid, NULL, 0);
	return lock;
}

static void expect_waiting(struct taker taker)
{
	usleep(A_WHILE_US);
	expect_int(waitpid(taker.pid, NULL, WNOHANG), ==, 0);
}

Test(pin, lock_of_what_is_not_there)
{
	expect_error(xrdma_pin_lock("none", XRDMA_PIN_SHARED), ENOENT, "xrdma load none");
	expect_error(xrdma_pin_lock("none", XRDMA_PIN_EXCLUSIVE), ENOENT, "xrdma load none");
	expect_error(xrdma_pin_lock("../x", XRDMA_PIN_CREATE), EINVAL, "not the name");
}

Test(pin, shared_locks_exclude_only_others)
{
	int lock = xrdma_pin_lock("one", XRDMA_PIN_CREATE);
	struct taker shared = start_taker("one", XRDMA_PIN_SHARED), exclusive;

	expect_waiting(shared);
	xrdma_pin_unlock(lock);
	expect_int(end_taker(shared), >=, 0);

	lock = xrdma_pin_lock("one", XRDMA_PIN_SHARED);
	expect_int(end_taker(start_taker("one", XRDMA_PIN_SHARED)), >=, 0);
	exclusive = start_taker("one", XRDMA_PIN_EXCLUSIVE);
	expect_waiting(exclusive);
	xrdma_pin_drop("one"); /* as if it had been unloaded in the meantime */
	xrdma_pin_unlock(lock);
	expect_int(end_taker(exclusive), ==, -ENOENT);
}

Test(pin, a_lock_for_each_device)
{
	int lock = xrdma_pin_lock("one", XRDMA_PIN_CREATE);

	expect_int(end_taker(start_taker("two", XRDMA_PIN_CREATE)), >=, 0);
	xrdma_pin_drop("two");
	xrdma_pin_drop("one");
	xrdma_pin_unlock(lock);
}

/*
 * A loader that has waited for the end of an unload gets the lock of a new directory, not that of
 * the removed one.
 */
Test(pin, what_was_waited_for_is_gone)
{
	int lock = xrdma_pin_lock("one", XRDMA_PIN_CREATE);
	struct taker loads = start_taker("one", XRDMA_PIN_CREATE);

	expect_waiting(loads);
	xrdma_pin_drop("one");
	xrdma_pin_unlock(lock);
	expect_int(end_taker(loads), >=, 0);
	lock = xrdma_pin_lock("one", XRDMA_PIN_EXCLUSIVE);
	expect_int(lock, >=, 0);
	xrdma_pin_drop("one");
	xrdma_pin_unlock(lock);
}

/* If a child is forked while the lock is held, unlocking it in the parent is enough. */
Test(pin, unlock_after_a_fork)
{
	int lock = xrdma_pin_lock("one", XRDMA_PIN_CREATE);
	pid_t child = fork();

	if (!child) {
		pause();
		_exit(0);
	}
	xrdma_pin_unlock(lock);
	lock = xrdma_pin_lock("one", XRDMA_PIN_EXCLUSIVE);
	expect_int(lock, >=, 0);
	xrdma_pin_drop("one");
	xrdma_pin_unlock(lock);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* If the parent is killed, the child does not keep the lock. */
Test(pin, child_of_who_was_killed)
{
	int lives[2], lock;
	pid_t holder, child;

	expect_int(pipe(lives), ==, 0);
	holder = fork();
	if (!holder) {
		xrdma_pin_lock("one", XRDMA_PIN_CREATE);
		child = fork();
		if (child)
			_exit(write(lives[1], &child, sizeof(child)) < 0);
		pause();
	}
	expect_int(read(lives[0], &child, sizeof(child)), ==, sizeof(child));
	waitpid(holder, NULL, 0);
	lock = xrdma_pin_lock("one", XRDMA_PIN_EXCLUSIVE);
	expect_int(lock, >=, 0);
	xrdma_pin_drop("one");
	xrdma_pin_unlock(lock);
	expect_int(kill(child, SIGKILL), ==, 0);
}

/* The directory of a device with pins is not removed. */
Test(pin, drop_of_what_has_pins)
{
	char path[PATH_MAX];
	int lock = xrdma_pin_lock("one", XRDMA_PIN_CREATE);
	int map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "pinned", 4, 4, 1, NULL);

	expect_int(xrdma_pin_path(path, "one", "pinned"), ==, 0);
	expect_int(bpf_obj_pin(map, path), ==, 0);
	xrdma_pin_drop("one");
	expect_int(access(path, F_OK), ==, 0);
	expect_int(xrdma_pin_clear("one"), ==, 0);
	xrdma_pin_drop("one");
	expect_int(access(path, F_OK), !=, 0);
	xrdma_pin_unlock(lock);
}
