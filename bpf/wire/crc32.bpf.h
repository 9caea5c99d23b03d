/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The CRC-32 of Ethernet in BPF, by Chorba (K. Kadatch et al., arXiv 2412.16398). A multiple of the
 * polynomial with five terms, x^300 + x^211 + x^183 + x^145 + 1 with bit 0 first, carries each
 * 64-bit word into the four words after it, by shifts alone. Another multiple has eight terms:
 * x^185 + x^178 + x^157 + x^122 + x^93 + x^74 + x^64 + 1. It carries each word into the three words
 * after it, by a few more shifts. The last three words go through tables.
 *
 * In characteristic 2 the eighth power of a sum is the sum of the eighth powers. So the same is
 * true for x^8, in whole bytes. In a long packet, each word therefore takes up the words 145, 183,
 * 211 and 300 bytes before it, by loads alone. The last 304 bytes are left then.
 */
#ifndef XRDMA_WIRE_CRC32_BPF_H
#define XRDMA_WIRE_CRC32_BPF_H

#include "lib/bounds.bpf.h"
#include "wire/icrc.h"
#include "wire/packet.h"

enum {
	XRDMA_CRC_WORD = sizeof(__u64),
	XRDMA_CRC_CARRIED = 5, /* words: reach of one word */
	XRDMA_CRC_LAST = 3,    /* words that go through tables */
	XRDMA_CRC_STRIDE = XRDMA_CRC_CARRIED * XRDMA_CRC_WORD,
	XRDMA_CRC_FAR = 304,  /* bytes, in words: reach of a word in a long packet */
	XRDMA_CRC_LONG = 512, /* bytes: packets from this length on are long */
};

/*
 * [k][b]: the CRC of byte b and k zero bytes. The library fills it in before it loads the program.
 */
const volatile __u32 xrdma_crc_tables[XRDMA_CRC_WORD][256];

/* CRC of the last BYTES of a word; its lowest byte comes first. */
static __always_inline __u32 xrdma_crc_bytes(__u64 word, int bytes)
{
	const volatile __u32(*tables)[256] = xrdma_crc_tables;
	__u32 crc = 0;

	asm volatile("" : "+r"(tables)); /* otherwise clang loads the address for each byte */
#pragma unroll
	for (int i = 0; i < bytes; i++)
		crc ^= tables[i][(word >> 8 * (bytes - 1 - i)) & 0xff];
	return crc;
}

static __always_inline __u32 xrdma_crc_word(__u64 word)
{
	return xrdma_crc_bytes(word, XRDMA_CRC_WORD);
}

/*
 * Bytes of the packet that are not carried yet: LEFT bytes before END, an offset from BYTES. None
 * is beyond LIMIT.
 */
struct xrdma_crc_source {
	const void *bytes;
	const void *limit;
	__u32 end;
	__u64 left;
};

/*
 * Return the next LEN bytes, or NULL if some are missing. LEFT is opaque. Otherwise clang would
 * compute it from a loop counter, and the verifier does not follow that.
 */
static __always_inline const void *xrdma_crc_next(struct xrdma_crc_source *from, __u32 len)
{
	__u64 at = from->end - from->left;
	const void *next;

	if (!XRDMA_WITHIN(at, XRDMA_FRAME_MAX - len))
		return NULL;
	next = from->bytes + at;
	from->left = XRDMA_OPAQUE(from->left - len);
	return next + len > from->limit ? NULL : next;
}

/* Contribution of the words so far to the next word and the four after it. */
struct xrdma_crc_carry {
	__u64 next0, next1, next2, next3, next4;
};

/* Carry a word on, by 145, 183, 211 and 300 bits. */
static __always_inline void xrdma_crc_step(__u64 word, struct xrdma_crc_carry *carry)
{
	word ^= carry->next0;
	carry->next0 = carry->next1;
	carry->next1 = carry->next2 ^ word << 17 ^ word << 55;
	carry->next2 = carry->next3 ^ word >> 47 ^ word >> 9 ^ word << 19;
	carry->next3 = carry->next4 ^ word >> 45 ^ word << 44;
	carry->next4 = word >> 20;
}

/*
 * Carry HEAD and all of FROM but its last 40 to 47 bytes into the 40 bytes that follow, which
 * become HEAD. After five steps each value is in its register again, so five steps in a row move
 * none.
 */
static __always_inline bool xrdma_crc_fold(struct xrdma_icrc_head *head,
					   struct xrdma_crc_source *from)
{
	struct xrdma_crc_carry carry = {};
	const __u64 *words;

#pragma unroll
	for (__u32 i = 0; i < XRDMA_ICRC_HEAD_MAX; i++)
		if (i + head->count >= XRDMA_ICRC_HEAD_MAX)
			xrdma_crc_step(head->words[i], &carry);
	while (XRDMA_AT_LEAST(from->left, 2 * XRDMA_CRC_STRIDE)) {
		words = xrdma_crc_next(from, XRDMA_CRC_STRIDE);
		if (!words)
			return false;
		xrdma_crc_step(words[0], &carry);
		xrdma_crc_step(words[1], &carry);
		xrdma_crc_step(words[2], &carry);
		xrdma_crc_step(words[3], &carry);
		xrdma_crc_step(words[4], &carry);
	}
	while (XRDMA_AT_LEAST(from->left, XRDMA_CRC_STRIDE + XRDMA_CRC_WORD)) {
		words = xrdma_crc_next(from, XRDMA_CRC_WORD);
		if (!words)
			return false;
		xrdma_crc_step(words[0], &carry);
	}
	words = xrdma_crc_next(from, XRDMA_CRC_STRIDE);
	if (!words)
		return false;
	head->words[3] = words[0] ^ carry.next0;
	head->words[4] = words[1] ^ carry.next1;
	head->words[5] = words[2] ^ carry.next2;
	head->words[6] = words[3] ^ carry.next3;
	head->words[7] = words[4] ^ carry.next4;
	head->count = XRDMA_CRC_CARRIED;
	/* Less than a word is left. With this, all paths end in one state of the verifier. */
	from->left = XRDMA_OPAQUE(from->left) & (XRDMA_CRC_WORD - 1);
	return true;
}

/* Carry a word, the first of WORDS, into the three others, by 64, 74, 93, 122, ... bits. */
static __always_inline void xrdma_crc_short_step(__u64 *words)
{
	__u64 word = words[0];

	words[1] ^= word ^ word << 10 ^ word << 29 ^ word << 58;
	words[2] ^= word >> 54 ^ word >> 35 ^ word >> 6 ^ word << 29 ^ word << 50 ^ word << 57;
	words[3] ^= word >> 35 ^ word >> 14 ^ word >> 7;
}

/* Carry all words of HEAD, at least XRDMA_CRC_LAST, into its last ones. */
static __always_inline void xrdma_crc_shorten(struct xrdma_icrc_head *head)
{
#pragma unroll
	for (__u32 i = 0; i < XRDMA_ICRC_HEAD_MAX - XRDMA_CRC_LAST; i++)
		if (i + head->count >= XRDMA_ICRC_HEAD_MAX)
			xrdma_crc_short_step(head->words + i);
}

/* Reduced words of one packet, behind zeros, and their remainder. */
struct xrdma_crc_words {
	__u8 rest[XRDMA_CRC_FAR];
	__u8 zeros[XRDMA_CRC_FAR];
	__u8 bytes[XRDMA_FRAME_MAX + XRDMA_CRC_WORD];
	/* xrdma_crc_far() writes these and reads them back, so that the verifier forgets them. */
	__u64 size;
	__u64 left;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct xrdma_crc_words);
} xrdma_crc_words SEC(".maps");

/* Take up COUNT words from FROM on, into those at TO. */
static __always_inline void xrdma_crc_take_up(__u8 *to, const __u8 *from, int count)
{
#pragma unroll
	for (int i = 0; i < count; i++, to += XRDMA_CRC_WORD, from += XRDMA_CRC_WORD)
		*(__u64 *)to = xrdma_word(from) ^ xrdma_word(to - 145) ^ xrdma_word(to - 183) ^
			       xrdma_word(to - 211) ^ xrdma_word(to - 300);
}

/*
 * Take up the words before TO into the last XRDMA_CRC_FAR bytes, at FROM. The result is at REST,
 * which has zeros.
 */
static __always_inline void xrdma_crc_take_up_last(__u8 *rest, const __u8 *to, const __u8 *from)
{
#pragma unroll
	for (int at = 0; at < XRDMA_CRC_FAR; at += XRDMA_CRC_WORD) {
		__u64 word = xrdma_word(from + at) ^ xrdma_word(to + at - 300);

		if (at < 145)
			word ^= xrdma_word(to + at - 145);
		if (at < 183)
			word ^= xrdma_word(to + at - 183);
		if (at < 211)
			word ^= xrdma_word(to + at - 211);
		*(__u64 *)(rest + at) = word;
	}
}

/* Reduce HEAD and all of FROM, a long packet, to the last XRDMA_CRC_FAR bytes of FROM. */
static __always_inline bool xrdma_crc_far(struct xrdma_icrc_head *head,
					  struct xrdma_crc_source *from)
{
	struct xrdma_crc_words *words;
	const __u8 *next;
	__u32 zero = 0;
	__u64 at, size;

	words = bpf_map_lookup_elem(&xrdma_crc_words, &zero);
	if (!words)
		return false;
#pragma unroll
	for (int i = 0; i < XRDMA_ICRC_HEAD_MAX; i++)
		*(__u64 *)(words->bytes + i * XRDMA_CRC_WORD) = head->words[i];
	words->size = sizeof(head->words) + from->left;
	if (from->left % XRDMA_CRC_WORD) { /* these bytes reach nothing */
		next = xrdma_crc_next(from, sizeof(__u32));
		if (!next)
			return false;
		*(__u32 *)(words->bytes + sizeof(head->words)) = *(const __u32 *)next;
	}
	/* Without this the verifier goes through the loop once for each kind of head. */
	words->left = from->left;
	XRDMA_FORGET();
	size = words->size;
	from->left = words->left;
	if (!XRDMA_WITHIN(from->left, XRDMA_FRAME_MAX))
		return false;
	while (XRDMA_AT_LEAST(from->left, XRDMA_CRC_FAR + 8 * XRDMA_CRC_WORD)) {
		at = XRDMA_OPAQUE(size - from->left);
		next = xrdma_crc_next(from, 8 * XRDMA_CRC_WORD);
		if (!next || !XRDMA_WITHIN(at, XRDMA_FRAME_MAX - 8 * XRDMA_CRC_WORD))
			return false;
		xrdma_crc_take_up(words->bytes + at, next, 8);
	}
	while (XRDMA_AT_LEAST(from->left, XRDMA_CRC_FAR + XRDMA_CRC_WORD)) {
		at = XRDMA_OPAQUE(size - from->left);
		next = xrdma_crc_next(from, XRDMA_CRC_WORD);
		if (!next || !XRDMA_WITHIN(at, XRDMA_FRAME_MAX))
			return false;
		xrdma_crc_take_up(words->bytes + at, next, 1);
	}
	at = XRDMA_OPAQUE(size - from->left);
	next = xrdma_crc_next(from, XRDMA_CRC_FAR);
	if (!next || !XRDMA_WITHIN(at, XRDMA_FRAME_MAX))
		return false;
	*(__u64 *)(words->bytes + at) = 0;
	xrdma_crc_take_up_last(words->rest, words->bytes + at, next);
	*from = (struct xrdma_crc_source){
		.bytes = words->rest,
		.limit = words->rest + XRDMA_CRC_FAR,
		.end = XRDMA_CRC_FAR,
		.left = XRDMA_CRC_FAR,
	};
	head->count = 0;
	return true;
}

/*
 * Return the CRC-32 of HEAD and the bytes of FROM, a multiple of four. Returns false if some are
 * missing.
 */
static __always_inline bool xrdma_crc32(struct xrdma_icrc_head *head, struct xrdma_crc_source *from,
					__u32 *crc)
{
	const void *next;

	*crc = 0;
	if (!XRDMA_WITHIN(from->left, XRDMA_FRAME_MAX)) /* bounds the loops */
		return false;
	if (XRDMA_AT_LEAST(from->left, XRDMA_CRC_LONG) && !xrdma_crc_far(head, from))
		return false;
	if (from->left >= XRDMA_CRC_STRIDE && !xrdma_crc_fold(head, from))
		return false;
	xrdma_crc_shorten(head);
#pragma unroll
	for (__u32 i = XRDMA_ICRC_HEAD_MAX - XRDMA_CRC_LAST; i < XRDMA_ICRC_HEAD_MAX; i++)
		*crc = xrdma_crc_word(head->words[i] ^ *crc);
	while (XRDMA_AT_LEAST(from->left, XRDMA_CRC_WORD)) {
		next = xrdma_crc_next(from, XRDMA_CRC_WORD);
		if (!next)
			return false;
		*crc = xrdma_crc_word(*(const __u64 *)next ^ *crc);
	}
	if (from->left) {
		next = xrdma_crc_next(from, sizeof(__u32));
		if (!next)
			return false;
		*crc = xrdma_crc_bytes(*(const __u32 *)next ^ *crc, sizeof(__u32));
	}
	*crc = ~*crc;
	return true;
}

#endif
