// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "life.h"
#include "others.h"
#include "plain.h"
#include "regions.h"

enum { SECONDS = 20 }; /* time for one child */

static const struct part all = { 0, PAGES };

/* Part that the next fork unmaps and maps anew. */
static struct {
	struct part unmapped, mapped;
} next;

static void unmap_in_prepare(void)
{
	if (next.unmapped.count)
		plain_unmap(next.unmapped);
}

static void map_in_parent(void)
{
	if (next.mapped.count)
		plain_map(next.mapped);
}

void forks_start(void)
{
	must(!pthread_atfork(unmap_in_prepare, map_in_parent, NULL), "pthread_atfork()");
}

static void wait_for(pid_t child, const char *what)
{
	int status;

	must(child > 0, "fork(): %s", strerror(errno));
	must(waitpid(child, &status, 0) == child, "waitpid(): %s", strerror(errno));
	must(!WIFSIGNALED(status), "%s: signal %d", what, WTERMSIG(status));
	must(!status, "%s: status %d", what, WEXITSTATUS(status));
}

/* Call FUNCTION in a child, which has a copy of the process's memory. */
static void in_child(void (*function)(void), const char *what)
{
	const pid_t child = fork();

	if (child) {
		wait_for(child, what);
		return;
	}
	alarm(SECONDS);
	next.unmapped.count = next.mapped.count = 0;
	if (allowed != FAILED_MOVES) {
		plain_check_child(what);
		plain_forget_regions();
		plain_write(all);
		function();
		plain_check_child(what);
	}
	_exit(0);
}

static void do_nothing(void)
{
}

void fork_child(void)
{
	in_child(do_nothing, "a child");
}

static void fork_again(void)
{
	in_child(do_nothing, "a grandchild");
}

void fork_grandchild(void)
{
	in_child(fork_again, "a child that forks");
}

static void register_and_fork(void)
{
	child_register();
	fork_again();
}

void fork_child_with_context(void)
{
	in_child(register_and_fork, "a child that has a context and forks");
}

void fork_and_unmap(void)
{
	next.unmapped = random_part(16);
	if (below(2))
		next.mapped = next.unmapped;
	fork_child();
	next.unmapped.count = next.mapped.count = 0;
}
