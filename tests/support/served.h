/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A packet of each opcode that is served, with which nothing is wrong. */
#ifndef XRDMA_TESTS_SERVED_H
#define XRDMA_TESTS_SERVED_H

#include "case.h"

enum {
	SERVED = 35,	  /* opcodes */
	SERVED_LEN = 64,  /* of what is shorter than the MTU */
	SERVED_DONE = 16, /* of its message, before a packet that continues one */
};

extern const __u8 served_opcodes[SERVED];

/* What an opcode is. */
enum served_kinds {
	SERVED_ANY = 0,
	SERVED_OF_RC = 1 << 0,
	SERVED_SEND = 1 << 1,
	SERVED_WRITE = 1 << 2,
	SERVED_READ = 1 << 3,
	SERVED_ATOMIC = 1 << 4,
	SERVED_RD_ATOMIC = 1 << 5, /* either */
	SERVED_REMOTE = 1 << 6,	   /* these, and WRITE: the packet names memory of ours */
	SERVED_MESSAGE = 1 << 7,   /* SEND or WRITE */
	SERVED_REQUEST = 1 << 8,
	SERVED_RESPONSE = 1 << 9, /* an acknowledgement, too */
	SERVED_PARTS = 1 << 10,	  /* of a READ, the response */
	SERVED_RESULT = 1 << 11,  /* these, and the result of an atomic */
	SERVED_FIRST = 1 << 12,
	SERVED_LATER = 1 << 13, /* not the first */
	SERVED_LAST = 1 << 14,
	SERVED_MORE = 1 << 15, /* not the last */
	SERVED_TAKES_RECEIVE = 1 << 16,
	SERVED_COMPLETES = 1 << 17, /* it */
	SERVED_INVALIDATES = 1 << 18,
	SERVED_HEADERS = 1 << 19, /* more than the BTH */
	SERVED_RETH = 1 << 20,
	SERVED_AETH = 1 << 21,
	SERVED_FULL = 1 << 22,	 /* its payload is as long as the MTU */
	SERVED_SOME = 1 << 23,	 /* it is not empty */
	SERVED_EMPTY = 1 << 24,	 /* it has none */
	SERVED_MEMORY = 1 << 25, /* it is checked against a key of ours */
	SERVED_ACK = 1 << 26,
	SERVED_ANNOUNCES = 1 << 27, /* a WRITE of several packets */
};

/* Whether OPCODE is of all these KINDS. */
bool served_is(__u8 opcode, unsigned int kinds);

/*
 * Check a packet of OPCODE by case_check(), if the opcode is of all KINDS. SET makes the packet
 * wrong, or is NULL. VERDICT is the verdict for a request to memory. A wrong key of a receive, or
 * of the memory for a response, has another verdict: served_check() expects that one.
 */
void served_check(__u8 opcode, unsigned int kinds, enum xrdma_verdict verdict,
		  void (*set)(struct run *));

/*
 * OPCODE_CASE(name, VERDICT, KINDS) { ... } defines a CASE for each opcode that is of all KINDS.
 * Its body changes the run R, whose packet has the opcode.
 */
#define OPCODE_CASE(name, verdict, kinds)                                                 \
	static void set_up_##name(struct run *r);                                         \
	Tests(CASE_STAGE, name, SERVED)                                                   \
	{                                                                                 \
		served_check(served_opcodes[i], kinds, XRDMA_V_##verdict, set_up_##name); \
	}                                                                                 \
	static void set_up_##name(struct run *r __attribute__((unused)))

/*
 * The packet of R, a SEND's or a WRITE's, has LEN bytes, and its message LACK more that have not
 * come.
 */
void served_set_lengths(struct run *r, __u32 len, __u32 lack);

#endif
