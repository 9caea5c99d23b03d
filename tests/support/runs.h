/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A run of the program of device xb, in network namespace b, on another CPU. */
#ifndef XRDMA_TESTS_RUNS_H
#define XRDMA_TESTS_RUNS_H

/*
 * ACT, in a thread of its own, begins while such a run is under way, which found what it found
 * before, and does not end until that run does. What stands for the run is an addition to the
 * device's epochs.
 */
void runs_expect_waited_for(void (*act)(void));

#endif
