/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A simulated run of the XDP program of device xb, in network namespace b, on another CPU. */
#ifndef XRDMA_TESTS_XDP_RUN_H
#define XRDMA_TESTS_XDP_RUN_H

/*
 * Begin a run, call ACT in a thread of its own, and check that ACT does not return before the run
 * ends. The run is simulated by an entry in the device's epochs.
 */
void xdp_run_expect_waited_for(void (*act)(void));

#endif
