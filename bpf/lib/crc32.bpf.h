/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The CRC-32 of Ethernet in BPF, by Chorba (K. Kadatch et al., arXiv 2412.16398): a multiple of the polynomial
 * with five terms, x^300 + x^211 + x^183 + x^145 + 1 with bit 0 first, moves each 64-bit word forward into the
 * four that follow, which costs shifts only. What is left at the end, 40 to 47 bytes, goes through tables.
 */
#ifndef XRDMA_LIB_CRC32_BPF_H
#define XRDMA_LIB_CRC32_BPF_H

#include "lib/bounds.bpf.h"
#include "pkt.bpf.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "words are read with their first byte lowest: this needs a little-endian machine"
#endif

enum {
	XRDMA_CRC_WORD = 8,
	XRDMA_CRC_CARRIED = 5 * XRDMA_CRC_WORD, /* how far a word reaches */
};

/* [k][b]: the CRC of byte b and k zero bytes. Filled in before the program is loaded. */
const volatile __u32 xrdma_crc_tables[XRDMA_CRC_WORD][256];

static __always_inline __u32 xrdma_crc_word(__u64 word)
{
	__u32 crc = 0;

#pragma unroll
	for (int i = 0; i < XRDMA_CRC_WORD; i++)
		crc ^= xrdma_crc_tables[XRDMA_CRC_WORD - 1 - i][(word >> 8 * i) & 0xff];
	return crc;
}

/* What Chorba leaves: five words with what was carried into them, and up to seven bytes. */
struct xrdma_crc_rest {
	__u64 words[XRDMA_CRC_CARRIED / XRDMA_CRC_WORD];
	__u8 bytes[XRDMA_CRC_WORD];
};

/* A global function, so that it is verified once. */
__noinline __u32 xrdma_crc32_rest(const struct xrdma_crc_rest *rest, __u32 bytes)
{
	__u32 crc = 0;

	if (!rest)
		return 0;
#pragma unroll
	for (int i = 0; i < XRDMA_CRC_CARRIED / XRDMA_CRC_WORD; i++)
		crc = xrdma_crc_word(rest->words[i] ^ crc);
	for (__u32 i = 0; i < XRDMA_CRC_WORD && i < bytes; i++)
		crc = crc >> 8 ^ xrdma_crc_tables[0][(rest->bytes[i] ^ crc) & 0xff];
	return ~crc;
}

/* What the words so far add to the next one and to the four after it. */
struct xrdma_crc_carry {
	__u64 next0, next1, next2, next3, next4;
};

/* Carries the word at AT on. Two shifts by the same distance are one, of the word and its copy 38 bits away. */
static __always_inline void xrdma_crc_step(const __u64 *at, struct xrdma_crc_carry *carry)
{
	__u64 word = *at ^ carry->next0;

	carry->next0 = carry->next1;
	carry->next1 = carry->next2 ^ (word ^ word << 38) << 17;
	carry->next2 = carry->next3 ^ (word ^ word >> 38) >> 9 ^ word << 19;
	carry->next3 = carry->next4 ^ word >> 45 ^ word << 44;
	carry->next4 = word >> 20;
}

/*
 * The CRC-32 of LEN >= XRDMA_CRC_CARRIED bytes of FRAME from FROM on. 0 when they are not within FRAME, which the
 * parser rules out. After five steps each value is back in its register, so that five in a row move none.
 */
__noinline __u32 xrdma_crc32(const struct xrdma_frame *frame, __u32 from, __u32 len)
{
	struct xrdma_crc_carry carry = { .next0 = 0xffffffff };
	const __u64 *words;
	struct xrdma_crc_rest rest;
	__u64 at = from;

	if (!frame)
		return 0;
	for (int i = 0; i < XRDMA_FRAME_MAX / XRDMA_CRC_CARRIED; i++) {
		if (len < 2 * XRDMA_CRC_CARRIED)
			break;
		at = XRDMA_BOUNDED(at);
		if (at > XRDMA_FRAME_MAX - XRDMA_CRC_CARRIED)
			return 0;
		words = (const __u64 *)(frame->bytes + at);
		xrdma_crc_step(words, &carry);
		xrdma_crc_step(words + 1, &carry);
		xrdma_crc_step(words + 2, &carry);
		xrdma_crc_step(words + 3, &carry);
		xrdma_crc_step(words + 4, &carry);
		at += XRDMA_CRC_CARRIED;
		len -= XRDMA_CRC_CARRIED;
	}
	for (int i = 0; i < XRDMA_CRC_CARRIED / XRDMA_CRC_WORD; i++) {
		if (len < XRDMA_CRC_CARRIED + XRDMA_CRC_WORD)
			break;
		at = XRDMA_BOUNDED(at);
		if (at > XRDMA_FRAME_MAX - XRDMA_CRC_WORD)
			return 0;
		xrdma_crc_step((const __u64 *)(frame->bytes + at), &carry);
		at += XRDMA_CRC_WORD;
		len -= XRDMA_CRC_WORD;
	}
	at = XRDMA_BOUNDED(at);
	if (at > XRDMA_FRAME_MAX - XRDMA_CRC_CARRIED || len < XRDMA_CRC_CARRIED)
		return 0;
	words = (const __u64 *)(frame->bytes + at);
	rest.words[0] = words[0] ^ carry.next0;
	rest.words[1] = words[1] ^ carry.next1;
	rest.words[2] = words[2] ^ carry.next2;
	rest.words[3] = words[3] ^ carry.next3;
	rest.words[4] = words[4] ^ carry.next4;
	*(__u64 *)rest.bytes = words[5];
	return xrdma_crc32_rest(&rest, len - XRDMA_CRC_CARRIED);
}

#endif
