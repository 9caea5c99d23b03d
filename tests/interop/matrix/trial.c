// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xrdma/wr.h>

enum { ERROR = sizeof(((struct trial_outcome *)0)->error), GUARD = 64, WORD = 8 };

bool trial_is_atomic(const struct trial *trial)
{
	return trial->opcode == XRDMA_WR_ATOMIC_CMP_AND_SWP ||
	       trial->opcode == XRDMA_WR_ATOMIC_FETCH_AND_ADD;
}

bool trial_has_imm(const struct trial *trial)
{
	return trial->opcode == XRDMA_WR_RDMA_WRITE_WITH_IMM ||
	       trial->opcode == XRDMA_WR_SEND_WITH_IMM;
}

static bool is_send(const struct trial *trial)
{
	return trial->opcode == XRDMA_WR_SEND || trial->opcode == XRDMA_WR_SEND_WITH_IMM ||
	       trial->opcode == XRDMA_WR_SEND_WITH_INV;
}

bool trial_takes_receives(const struct trial *trial)
{
	return is_send(trial) || trial->opcode == XRDMA_WR_RDMA_WRITE_WITH_IMM;
}

bool trial_is_remote(const struct trial *trial)
{
	return !is_send(trial);
}

__u32 trial_seconds(const struct trial *trial)
{
	return TRIAL_SECONDS + trial->count * (trial->len / trial->mtu) / TRIAL_PACKETS;
}

/* The two places differ in their alignment to words, except those of atomics. */
__u32 trial_at(const struct trial *trial, bool asker, __u32 n)
{
	const __u32 stride = (trial->len + 2 * GUARD - 1) / GUARD * GUARD;
	const __u32 shift = n * (asker ? 3 : 5) % WORD;

	if (!trial_is_atomic(trial))
		return GUARD + n * stride + shift;
	return GUARD + (asker ? n * WORD : 0);
}

enum kind { IN_TARGET, IN_ASKER, IMM, ADD, SWAP };

/* Returns random number NUMBER of a KIND (splitmix64). */
static __u64 random_of(const struct trial *trial, enum kind kind, __u32 number)
{
	__u64 z = trial->seed + (((__u64)kind << 32 | number) + 1) * 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

__u32 trial_imm(const struct trial *trial, __u32 n)
{
	return random_of(trial, IMM, n);
}

/* Returns the number of bytes that are used, and some more. */
static __u32 extent(const struct trial *trial)
{
	const __u32 end = trial_at(trial, true, trial->count - 1) + trial->len + 2 * GUARD;

	return end / WORD * WORD;
}

void trial_fill(const struct trial *trial, bool asker, __u8 *memory)
{
	__u64 word;

	for (__u32 at = 0; at < extent(trial); at += sizeof(word)) {
		word = random_of(trial, asker ? IN_ASKER : IN_TARGET, at);
		memcpy(memory + at, &word, sizeof(word));
	}
}

/*
 * Return the value that atomic request N finds. For N equal to the number of requests: the final
 * value.
 */
static __u64 found(const struct trial *trial, __u64 word, __u32 n)
{
	for (__u32 i = 0; i < n; i++) {
		if (trial->opcode == XRDMA_WR_ATOMIC_FETCH_AND_ADD)
			word += random_of(trial, ADD, i);
		else if (i % 2 == 0)
			word = trial_swap(trial, i);
	}
	return word;
}

static __u64 first_word(const struct trial *trial)
{
	return random_of(trial, IN_TARGET, trial_at(trial, false, 0));
}

/* Returns the first operand of atomic request N. Every other comparison fails. */
__u64 trial_compare_add(const struct trial *trial, __u32 n)
{
	if (trial->opcode == XRDMA_WR_ATOMIC_FETCH_AND_ADD)
		return random_of(trial, ADD, n);
	return found(trial, first_word(trial), n) ^ (n % 2);
}

__u64 trial_swap(const struct trial *trial, __u32 n)
{
	return random_of(trial, SWAP, n);
}

/* Expect the bytes of FROM in MEMORY. If FROM_ASKER, expect those that the requester had. */
static void expect_copied(const struct trial *trial, bool from_asker, const __u8 *from,
			  __u8 *memory)
{
	for (__u32 n = 0; n < trial->count; n++)
		memcpy(memory + trial_at(trial, !from_asker, n),
		       from + trial_at(trial, from_asker, n), trial->len);
}

static void expect_atomics(const struct trial *trial, bool asker, __u8 *memory)
{
	__u64 word = found(trial, first_word(trial), trial->count);

	if (!asker)
		memcpy(memory + trial_at(trial, false, 0), &word, sizeof(word));
	for (__u32 n = 0; asker && n < trial->count; n++) {
		word = found(trial, first_word(trial), n);
		memcpy(memory + trial_at(trial, true, n), &word, sizeof(word));
	}
}

void trial_check_memory(const struct trial *trial, bool asker, const __u8 *memory, char *error)
{
	const bool fetches = trial->opcode == XRDMA_WR_RDMA_READ;
	__u8 *expected = malloc(TRIAL_BYTES), *other = malloc(TRIAL_BYTES);
	__u32 at = 0;

	trial_fill(trial, asker, expected);
	trial_fill(trial, !asker, other);
	if (trial_is_atomic(trial))
		expect_atomics(trial, asker, expected);
	else if (asker == fetches)
		expect_copied(trial, !asker, other, expected);
	while (at < extent(trial) && memory[at] == expected[at])
		at++;
	if (at < extent(trial))
		snprintf(error, ERROR, "byte %u of the %s is %02x, not %02x", at,
			 asker ? "asker" : "target", memory[at], expected[at]);
	free(expected);
	free(other);
}

static void check_completion(const struct trial_completion *done, const char *what, __u32 n,
			     __u32 opcode, char *error)
{
	if (done->status)
		snprintf(error, ERROR, "%s %u: status %u", what, n, done->status);
	else if (done->wr_id != n)
		snprintf(error, ERROR, "%s %u completes in the place of %u", what,
			 (__u32)done->wr_id, n);
	else if (done->opcode != opcode)
		snprintf(error, ERROR, "%s %u completes with opcode %u", what, n, done->opcode);
}

void trial_check_request(const struct trial *trial, __u32 n, const struct trial_completion *done,
			 char *error)
{
	static const __u32 opcodes[] = {
		[XRDMA_WR_RDMA_WRITE] = XRDMA_WC_RDMA_WRITE,
		[XRDMA_WR_RDMA_WRITE_WITH_IMM] = XRDMA_WC_RDMA_WRITE,
		[XRDMA_WR_SEND] = XRDMA_WC_SEND,
		[XRDMA_WR_SEND_WITH_IMM] = XRDMA_WC_SEND,
		[XRDMA_WR_RDMA_READ] = XRDMA_WC_RDMA_READ,
		[XRDMA_WR_ATOMIC_CMP_AND_SWP] = XRDMA_WC_COMP_SWAP,
		[XRDMA_WR_ATOMIC_FETCH_AND_ADD] = XRDMA_WC_FETCH_ADD,
		[XRDMA_WR_SEND_WITH_INV] = XRDMA_WC_SEND,
	};

	check_completion(done, "request", n, opcodes[trial->opcode], error);
}

void trial_check_receive(const struct trial *trial, __u32 n, const struct trial_completion *done,
			 const struct trial_end *target, char *error)
{
	const __u32 opcode = is_send(trial) ? XRDMA_WC_RECV : XRDMA_WC_RECV_RDMA_WITH_IMM;

	check_completion(done, "receive", n, opcode, error);
	if (*error)
		return;
	if (done->byte_len != trial->len)
		snprintf(error, ERROR, "receive %u is of %u bytes", n, done->byte_len);
	else if (trial_has_imm(trial) && done->imm != trial_imm(trial, n))
		snprintf(error, ERROR, "receive %u has the immediate %08x, not %08x", n, done->imm,
			 trial_imm(trial, n));
	else if (trial->opcode == XRDMA_WR_SEND_WITH_INV && done->imm != target->windows[n])
		snprintf(error, ERROR, "receive %u invalidated %08x, not %08x", n, done->imm,
			 target->windows[n]);
}
