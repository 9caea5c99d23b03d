/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Checks of what a case's packet changed for the application: memory, completions, keys, counters,
 * receives, and the results kept for duplicates.
 */
#ifndef XRDMA_TESTS_JUDGE_EFFECTS_H
#define XRDMA_TESTS_JUDGE_EFFECTS_H

#include "case.h"

/*
 * Check memory. Only an executed packet changes it: its payload goes to the place of its key, or
 * the word of an atomic changes and its result is placed. EXPECTED is the region before the packet.
 * A region that is PAGED is at the same place.
 */
void judge_memory(const struct run *run, __u8 *expected, bool done);

/*
 * Check completions. There is one that names the receive if the packet ends a message that uses
 * one, and none otherwise.
 */
void judge_completion(const struct run *run, enum xrdma_verdict verdict, __u32 done);

/*
 * Check the counter. It counts the last packet of a message that has changed memory under the row's
 * key.
 */
void judge_counter(const struct run *run, bool done);

/*
 * Check the claim of a receive. A SEND needs a receive from its first packet on, and a WRITE with
 * immediate when its last packet arrives. A queue pair's own queue moves on when the message is
 * complete. A shared queue moves on when the message claims the receive. The queue pair keeps the
 * claim until a message is complete, even if this packet is refused. BEFORE is the claim that the
 * queue pair had, and NEXT the queue's next entry.
 */
void judge_claim(const struct run *run, __u32 before, __u32 next, bool done);

/* Check that no key changes, except that an executed SEND with invalidate invalidates one. */
void judge_keys(const struct run *run, struct xrdma_mkey_row *before, bool done);

/*
 * Check the responder resources. An executed READ or atomic has a new one. KEPT is the number
 * before the packet.
 */
void judge_results(const struct run *run, struct xrdma_resource *before, __u32 kept, bool done);

#endif
