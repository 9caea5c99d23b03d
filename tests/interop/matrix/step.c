// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "step.h"

#include <stdio.h>
#include <time.h>
#include <xrdma/wr.h>

/* Wait for COUNT completions, in order. ERROR becomes a message if they do not come. */
static void wait_for(const struct step_library *library, const struct trial *trial, int count,
		     struct trial_completion *done, char *error)
{
	const time_t end = time(NULL) + trial_seconds(trial);
	int got = 0, more = 0;

	while (got < count && more >= 0 && time(NULL) < end) {
		more = library->poll(count - got, done + got);
		got += more;
	}
	if (got < count)
		sprintf(error, "%d of %d completions come", got, count);
}

static int bind_window(const struct step_library *library, const struct trial *trial, __u32 n,
		       char *error)
{
	struct trial_completion done = { 0 };
	int err = library->bind_window(n);

	if (err)
		return err;
	wait_for(library, trial, 1, &done, error);
	if (done.status)
		sprintf(error, "window %u: status %u", n, done.status);
	return 0;
}

static int prepare(const struct step_library *library, const struct trial *trial, char *error)
{
	const bool asks = trial->they_ask == library->theirs;
	int err = 0;

	trial_fill(trial, asks, library->memory);
	if (asks || !trial_takes_receives(trial))
		return 0;
	for (__u32 n = 0; !err && n < trial->count; n++) {
		err = library->receive(trial, n);
		if (!err && trial->opcode == XRDMA_WR_SEND_WITH_INV)
			err = bind_window(library, trial, n, error);
	}
	return err;
}

static int ask(const struct step_library *library, const struct trial_order *order, char *error)
{
	const struct trial *trial = &order->trial;
	struct trial_completion done[TRIAL_REQUESTS_MAX];
	int err = 0;

	for (__u32 n = 0; !err && n < trial->count; n++)
		err = library->ask(order, n);
	if (err)
		return err;
	wait_for(library, trial, trial->count, done, error);
	for (__u32 n = 0; !*error && n < trial->count; n++)
		trial_check_request(trial, n, &done[n], error);
	return 0;
}

static void finish(const struct step_library *library, const struct trial *trial, char *error)
{
	const bool asks = trial->they_ask == library->theirs;
	const bool receives = !asks && trial_takes_receives(trial);
	struct trial_completion done[TRIAL_REQUESTS_MAX];

	if (receives)
		wait_for(library, trial, trial->count, done, error);
	for (__u32 n = 0; receives && !*error && n < trial->count; n++)
		trial_check_receive(trial, n, &done[n], library->own, error);
	if (!*error)
		trial_check_memory(trial, asks, library->memory, error);
}

struct trial_outcome step_execute(const struct step_library *library,
				  const struct trial_order *order)
{
	struct trial_outcome outcome = { .error = "" };
	int err = 0;

	switch (order->step) {
	case TRIAL_CREATE:
		err = library->create(order);
		break;
	case TRIAL_CONNECT:
		err = library->connect(order);
		break;
	case TRIAL_PREPARE:
		err = prepare(library, &order->trial, outcome.error);
		break;
	case TRIAL_ASK:
		err = ask(library, order, outcome.error);
		break;
	case TRIAL_FINISH:
		finish(library, &order->trial, outcome.error);
		break;
	}
	if (err)
		snprintf(outcome.error, sizeof(outcome.error), "step %u: %s", order->step,
			 library->text(err));
	outcome.own = *library->own;
	return outcome;
}
