/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A trial: requests of one kind between two ends, one of which is another implementation. Both ends
 * know the contents of each memory before and after.
 */
#ifndef XRDMA_TESTS_TRIAL_H
#define XRDMA_TESTS_TRIAL_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

enum {
	TRIAL_REQUESTS_MAX = 16,
	TRIAL_LEN_MAX = 1 << 20,				 /* bytes of a request */
	TRIAL_BYTES = TRIAL_REQUESTS_MAX * TRIAL_LEN_MAX + 8192, /* bytes of memory of each end */
	TRIAL_SECONDS = 60,					 /* time for the requests, and */
	TRIAL_PACKETS = 400, /* one second more for each so many packets */
};

struct trial {
	__u32 opcode; /* XRDMA_WR_*, as ibv_wr_opcode numbers them */
	__u32 len;    /* bytes of each request */
	__u32 count;  /* number of requests, all in flight at once */
	__u32 mtu;
	__u32 ip_version;
	__u32 they_ask;
	__u64 seed; /* seed of all contents */
};

/* Description of one end for the other. */
struct trial_end {
	__u64 addr; /* address of its memory under KEY */
	__u32 key;
	__u32 qpn;
	__u32 psn; /* PSN of its first request */
	__u32 reserved;
	__u32 windows[TRIAL_REQUESTS_MAX]; /* keys that the requester invalidates */
};

/* Steps of an end, in order. */
enum trial_step {
	TRIAL_CREATE,  /* create a queue pair */
	TRIAL_CONNECT, /* connect it to that of the other end */
	TRIAL_PREPARE, /* fill the memory and post receives */
	TRIAL_ASK,     /* post the requests; only the requester does this */
	TRIAL_FINISH,  /* check completions and memory */
};

struct trial_order {
	__u32 step;
	__u32 reserved;
	struct trial trial;
	struct trial_end other;
};

struct trial_outcome {
	char error[160]; /* "" if there is none */
	struct trial_end own;
};

/* A completion, for any library. */
struct trial_completion {
	__u64 wr_id;
	__u32 status;
	__u32 opcode; /* XRDMA_WC_* */
	__u32 byte_len;
	__u32 imm; /* or the invalidated key */
};

bool trial_takes_receives(const struct trial *trial);
bool trial_is_atomic(const struct trial *trial);
bool trial_is_remote(const struct trial *trial); /* requests access the target's memory */
bool trial_has_imm(const struct trial *trial);

/*
 * Returns the time in seconds that the requests may take. For each lost packet Soft-RoCE waits for
 * a timer of about 90 ms when it is the requester.
 */
__u32 trial_seconds(const struct trial *trial);

/* Returns the offset of request N's bytes in the memory of the requester or the target. */
__u32 trial_at(const struct trial *trial, bool asker, __u32 n);

__u32 trial_imm(const struct trial *trial, __u32 n);

/* Operands of atomic request N: the value to add or compare, and the value to swap in. */
__u64 trial_compare_add(const struct trial *trial, __u32 n);
__u64 trial_swap(const struct trial *trial, __u32 n);

/* Fill an end's memory of TRIAL_BYTES with its initial bytes. */
void trial_fill(const struct trial *trial, bool asker, __u8 *memory);

/*
 * Check the memory, or the completion of request or receive N. ERROR becomes a message if something
 * is wrong.
 */
void trial_check_memory(const struct trial *trial, bool asker, const __u8 *memory, char *error);
void trial_check_request(const struct trial *trial, __u32 n, const struct trial_completion *done,
			 char *error);
void trial_check_receive(const struct trial *trial, __u32 n, const struct trial_completion *done,
			 const struct trial_end *target, char *error);

#endif
