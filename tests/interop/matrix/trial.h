/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * One trial: requests of one kind between two ends, one of which is another implementation's. Both
 * ends know what each of them is to hold before and after.
 */
#ifndef XRDMA_TESTS_TRIAL_H
#define XRDMA_TESTS_TRIAL_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

enum {
	TRIAL_REQUESTS_MAX = 16,
	TRIAL_LEN_MAX = 1 << 20,				 /* bytes of a request */
	TRIAL_BYTES = TRIAL_REQUESTS_MAX * TRIAL_LEN_MAX + 8192, /* of memory of each end */
	TRIAL_SECONDS = 60,					 /* that requests may take, and */
	TRIAL_PACKETS = 400, /* for each so many packets a second more */
};

struct trial {
	__u32 opcode; /* XRDMA_WR_*, as ibv_wr_opcode numbers them */
	__u32 len;    /* bytes of each request */
	__u32 count;  /* of requests, all of which are under way at a time */
	__u32 mtu;
	__u32 ip_version;
	__u32 they_ask;
	__u64 seed; /* of all that the ends hold */
};

/* Description of one end for the other. */
struct trial_end {
	__u64 addr; /* of its memory, as KEY names it */
	__u32 key;
	__u32 qpn;
	__u32 psn; /* of its first request */
	__u32 reserved;
	__u32 windows[TRIAL_REQUESTS_MAX]; /* keys that the asker invalidates */
};

/* Steps of an end, in their order. */
enum trial_step {
	TRIAL_CREATE,  /* a queue pair */
	TRIAL_CONNECT, /* it to the other end's */
	TRIAL_PREPARE, /* memory and receives */
	TRIAL_ASK,     /* the asker alone */
	TRIAL_FINISH,  /* whether it received and holds what it is to */
};

struct trial_order {
	__u32 step;
	__u32 reserved;
	struct trial trial;
	struct trial_end other;
};

struct trial_outcome {
	char error[160]; /* empty: none */
	struct trial_end own;
};

/* A completion, whoever's library it is of. */
struct trial_completion {
	__u64 wr_id;
	__u32 status;
	__u32 opcode; /* XRDMA_WC_* */
	__u32 byte_len;
	__u32 imm; /* or the key that was invalidated */
};

bool trial_takes_receives(const struct trial *trial);
bool trial_is_atomic(const struct trial *trial);
bool trial_is_remote(const struct trial *trial); /* requests name the target's memory */
bool trial_has_imm(const struct trial *trial);

/*
 * Seconds that the requests may take. Soft-RoCE, when it asks, waits for a timer of some 90 ms at
 * each packet that was lost.
 */
__u32 trial_seconds(const struct trial *trial);

/* Where request N's bytes are in memory, the asker's or the target's. */
__u32 trial_at(const struct trial *trial, bool asker, __u32 n);

__u32 trial_imm(const struct trial *trial, __u32 n);

/* Operands of atomic request N: the value to add or compare, and the value to swap in. */
__u64 trial_compare_add(const struct trial *trial, __u32 n);
__u64 trial_swap(const struct trial *trial, __u32 n);

/* Fill an end's memory of TRIAL_BYTES with its initial bytes. */
void trial_fill(const struct trial *trial, bool asker, __u8 *memory);

/*
 * ERROR says what is wrong with memory, or with the completion of request or receive N, if anything
 * is.
 */
void trial_check_memory(const struct trial *trial, bool asker, const __u8 *memory, char *error);
void trial_check_request(const struct trial *trial, __u32 n, const struct trial_completion *done,
			 char *error);
void trial_check_receive(const struct trial *trial, __u32 n, const struct trial_completion *done,
			 const struct trial_end *target, char *error);

#endif
