/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A valid packet of each opcode that the device supports, and cases that make it wrong. */
#ifndef XRDMA_TESTS_OPCODE_CASE_H
#define XRDMA_TESTS_OPCODE_CASE_H

#include "case.h"

enum {
	OPCODE_COUNT = 37,
	OPCODE_LEN = 64,  /* bytes of a payload shorter than the MTU */
	OPCODE_DONE = 16, /* bytes of the message before a packet that continues it */
};

extern const __u8 opcodes_supported[OPCODE_COUNT];

/* Properties of an opcode. */
enum opcode_kinds {
	OPCODE_ANY = 0,
	OPCODE_OF_RC = 1 << 0,
	OPCODE_SEND = 1 << 1,
	OPCODE_WRITE = 1 << 2,
	OPCODE_READ = 1 << 3,
	OPCODE_ATOMIC = 1 << 4,
	OPCODE_RD_ATOMIC = 1 << 5, /* READ or atomic */
	OPCODE_REMOTE = 1 << 6,	   /* READ, atomic or WRITE */
	OPCODE_MESSAGE = 1 << 7,   /* SEND or WRITE */
	OPCODE_REQUEST = 1 << 8,
	OPCODE_RESPONSE = 1 << 9, /* including acknowledgements */
	OPCODE_PARTS = 1 << 10,	  /* response to a READ */
	OPCODE_RESULT = 1 << 11,  /* response to a READ or an atomic */
	OPCODE_FIRST = 1 << 12,
	OPCODE_LATER = 1 << 13, /* not the first packet of its message */
	OPCODE_LAST = 1 << 14,
	OPCODE_MORE = 1 << 15, /* not the last packet of its message */
	OPCODE_TAKES_RECEIVE = 1 << 16,
	OPCODE_COMPLETES = 1 << 17, /* completes a receive */
	OPCODE_INVALIDATES = 1 << 18,
	OPCODE_HEADERS = 1 << 19, /* has headers after the BTH */
	OPCODE_RETH = 1 << 20,
	OPCODE_AETH = 1 << 21,
	OPCODE_FULL = 1 << 22,	 /* payload as long as the MTU */
	OPCODE_SOME = 1 << 23,	 /* payload not empty */
	OPCODE_EMPTY = 1 << 24,	 /* no payload */
	OPCODE_MEMORY = 1 << 25, /* needs a key of ours, for a request or a response */
	OPCODE_ACK = 1 << 26,
	OPCODE_ANNOUNCES = 1 << 27, /* first packet of a long WRITE */
	OPCODE_IN_ORDER = 1 << 28,  /* only the expected PSN is right */
	OPCODE_DATAGRAM = 1 << 29,  /* from any peer, to a receive that begins with the IP header */
	OPCODE_CONNECTED = 1 << 30, /* from one peer */
};

/* Returns whether OPCODE has all these KINDS. */
bool opcode_is(__u8 opcode, unsigned int kinds);

/*
 * Check a packet of OPCODE by case_check(), if the opcode is of all KINDS. SET makes the packet
 * wrong, or is NULL. VERDICT is the verdict for a request to memory. A wrong key of a receive, or
 * of the memory for a response, has another verdict: opcode_check() expects that one.
 */
void opcode_check(__u8 opcode, unsigned int kinds, enum xrdma_verdict verdict,
		  void (*set)(struct run *));

/*
 * OPCODE_CASE(name, VERDICT, KINDS) { ... } defines a CASE for each opcode that is of all KINDS.
 * Its body changes RUN, whose packet has the opcode.
 */
#define OPCODE_CASE(name, verdict, kinds)                                                    \
	CASE_RECORD(name, verdict);                                                          \
	static void set_up_##name(struct run *run);                                          \
	Tests(CASE_STAGE, name, OPCODE_COUNT)                                                \
	{                                                                                    \
		opcode_check(opcodes_supported[i], kinds, XRDMA_V_##verdict, set_up_##name); \
	}                                                                                    \
	static void set_up_##name(struct run *run __attribute__((unused)))

/* Give RUN's SEND or WRITE packet LEN bytes, and let LACK bytes of its message be missing. */
void opcode_set_lengths(struct run *run, __u32 len, __u32 lack);

#endif
