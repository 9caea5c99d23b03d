// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "sandbox_qp.h"

#include <string.h>
#include <wchar.h>

#include "test.h"

enum {
	FIRST_KEY = 17, /* rows */
	FIRST_ENTRY = 8,
	GUARD = 512, /* bytes between two places */
	BYTES = SANDBOX_LIST * (SANDBOX_REGION + GUARD) + GUARD,
	FIRST_BYTE = XRDMA_HEAP_ELEMENT - 3 * SANDBOX_REGION - 192,
	SPANS_MAX = 64,
	ENTRIES = 4,
	ENTRY_LEN = 640, /* and the distance between two entries */
};

static const struct place {
	__u32 pd;
	__u16 rights;
	__u8 kind;
	__u8 state;
	bool of_one; /* only for one queue pair */
} places[SANDBOX_PLACES] = {
	[SANDBOX_WRITABLE] = { SANDBOX_PD, XRDMA_ACCESS_REMOTE_WRITE, XRDMA_MKEY_KIND_MR,
			       XRDMA_MKEY_STATE_VALID },
	[SANDBOX_READABLE] = { SANDBOX_PD, XRDMA_ACCESS_REMOTE_READ, XRDMA_MKEY_KIND_MR,
			       XRDMA_MKEY_STATE_VALID },
	[SANDBOX_ATOMIC] = { SANDBOX_PD, XRDMA_ACCESS_REMOTE_ATOMIC, XRDMA_MKEY_KIND_MR,
			     XRDMA_MKEY_STATE_VALID },
	[SANDBOX_ALL] = { SANDBOX_PD, SANDBOX_ANY_REMOTE, XRDMA_MKEY_KIND_MR,
			  XRDMA_MKEY_STATE_VALID },
	[SANDBOX_RECEIVE] = { SANDBOX_PD, XRDMA_ACCESS_RECV, XRDMA_MKEY_KIND_MR,
			      XRDMA_MKEY_STATE_VALID },
	[SANDBOX_RESULT] = { SANDBOX_PD, XRDMA_ACCESS_READ, XRDMA_MKEY_KIND_MR,
			     XRDMA_MKEY_STATE_VALID },
	[SANDBOX_OF_OTHER_PD] = { SANDBOX_OTHER, SANDBOX_ANY_REMOTE, XRDMA_MKEY_KIND_MR,
				  XRDMA_MKEY_STATE_VALID },
	[SANDBOX_INVALID] = { SANDBOX_PD, SANDBOX_ANY_REMOTE, XRDMA_MKEY_KIND_MR,
			      XRDMA_MKEY_STATE_INVALID },
	[SANDBOX_WINDOW] = { SANDBOX_PD, SANDBOX_ANY_REMOTE | XRDMA_ACCESS_REMOTE_INVALIDATE,
			     XRDMA_MKEY_KIND_MW2B, XRDMA_MKEY_STATE_VALID, true },
	[SANDBOX_LISTED] = { SANDBOX_PD, XRDMA_ACCESS_LOCAL, XRDMA_MKEY_KIND_MR,
			     XRDMA_MKEY_STATE_VALID },
	[SANDBOX_LIST] = { SANDBOX_PD, XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ,
			   XRDMA_MKEY_KIND_LIST, XRDMA_MKEY_STATE_VALID },
	[SANDBOX_PATTERN] = { SANDBOX_PD, SANDBOX_ANY_REMOTE, XRDMA_MKEY_KIND_INTERLEAVED,
			      XRDMA_MKEY_STATE_VALID },
};

/* Bytes with the same rights. */
static struct span {
	__u32 at; /* in the heap */
	__u32 len;
	__u16 rights;
	__u32 pd;
	__u32 qpn; /* 0: any */
	enum sandbox_place place;
} spans[SPANS_MAX];
static int span_count;

struct target sandbox_target;
unsigned long long sandbox_changed[SANDBOX_PLACES];
_Alignas(wchar_t) static __u8 shadow[BYTES];
static struct xrdma_mkey_row keys[TARGET_ROWS];
static struct xrdma_sge segments[TARGET_RECEIVE_ROWS];
static struct xrdma_layout_row layouts[TARGET_LAYOUT_ROWS];

static __u32 place_at(enum sandbox_place place)
{
	return FIRST_BYTE + GUARD + place * (SANDBOX_REGION + GUARD);
}

__u32 sandbox_key(enum sandbox_place place)
{
	return 0x5ab000 << XRDMA_KEY_INDEX_SHIFT | (FIRST_KEY + place) << XRDMA_KEY_INDEX_SHIFT |
	       (0x30 + place);
}

__u64 sandbox_address(enum sandbox_place place)
{
	return place >= SANDBOX_LIST ? 0 : 0x7f0000001100 + ((__u64)place << 20);
}

static const struct sandbox_piece pattern[] = { { ENTRY_LEN, 128 }, { ENTRY_LEN + 201, 63 } };

/* Returns the number of bytes in a round of an mkey. */
static __u32 round_of(enum sandbox_place place)
{
	return place == SANDBOX_LIST ? ENTRIES * ENTRY_LEN : pattern[0].len + pattern[1].len;
}

__u32 sandbox_len(enum sandbox_place place)
{
	if (place < SANDBOX_LIST)
		return SANDBOX_REGION;
	return round_of(place) * (place == SANDBOX_LIST ? 1 : ENTRIES);
}

/* Add a range at AT. No byte between the end of the last range and AT may change. */
static void add_span(__u32 at, __u32 len, enum sandbox_place number)
{
	const struct place *place = &places[number];
	const struct span *last = span_count ? &spans[span_count - 1] : NULL;
	__u32 end = last ? last->at + last->len : FIRST_BYTE;

	if (at > end)
		spans[span_count++] = (struct span){ .at = end, .len = at - end };
	spans[span_count++] = (struct span){
		.at = at,
		.len = len,
		.rights = place->rights,
		.pd = place->pd,
		.qpn = place->of_one ? sandbox_qpn(SANDBOX_MTU_1024) : 0,
		.place = number,
	};
}

static void add_spans(__u32 at, const struct sandbox_piece *some, enum sandbox_place place)
{
	for (int p = 0; p < SANDBOX_PIECES; p++)
		add_span(at + some[p].at, some[p].len, place);
}

static void open_spans(void)
{
	__u32 at;

	span_count = 0;
	for (enum sandbox_place i = 0; i < SANDBOX_LISTED; i++) {
		if (i == SANDBOX_RECEIVE || i == SANDBOX_RESULT)
			add_spans(place_at(i), sandbox_pieces, i);
		else if (places[i].state == XRDMA_MKEY_STATE_VALID)
			add_span(place_at(i), SANDBOX_REGION, i);
	}
	for (int e = 0; e < ENTRIES; e++) {
		at = place_at(SANDBOX_LISTED) + 2 * e * ENTRY_LEN;
		add_span(at, ENTRY_LEN, SANDBOX_LIST);
		add_spans(at, pattern, SANDBOX_PATTERN);
	}
	add_span(FIRST_BYTE + BYTES, 0, SANDBOX_INVALID);
}

/* Set entry NUMBER of an mkey to PIECE of the memory in the list. */
static void set_entry(struct xrdma_mkey_row *row, int number, const struct sandbox_piece *piece)
{
	struct xrdma_layout_entry *entry =
		&sandbox_target.layouts[row->layout_first].entries[number];

	*entry = (struct xrdma_layout_entry){
		.addr = sandbox_address(SANDBOX_LISTED) + piece->at,
		.at = number ? entry[-1].at + entry[-1].length : 0,
		.length = piece->len,
		.skip = 2 * ENTRY_LEN - piece->len,
		.lkey = sandbox_key(SANDBOX_LISTED),
	};
	row->layout_count = number + 1;
}

static void open_layouts(void)
{
	struct xrdma_mkey_row *list = &sandbox_target.mkeys[FIRST_KEY + SANDBOX_LIST];

	for (enum sandbox_place i = SANDBOX_LIST; i < SANDBOX_PLACES; i++) {
		list[i - SANDBOX_LIST].layout_first = FIRST_ENTRY + i - SANDBOX_LIST;
		list[i - SANDBOX_LIST].round = round_of(i);
	}
	for (int e = 0; e < ENTRIES; e++)
		set_entry(list, e, &(struct sandbox_piece){ 2 * e * ENTRY_LEN, ENTRY_LEN });
	for (int e = 0; e < SANDBOX_PIECES; e++)
		set_entry(list + 1, e, &pattern[e]);
}

static void open_keys(void)
{
	struct xrdma_mkey_row *row;

	for (enum sandbox_place i = 0; i < SANDBOX_PLACES; i++) {
		row = &sandbox_target.mkeys[FIRST_KEY + i];
		*row = (struct xrdma_mkey_row){
			.key = sandbox_key(i),
			.kind = places[i].kind,
			.state = places[i].state,
			.rights = places[i].rights,
			.pd = places[i].pd,
			.qpn = places[i].of_one ? sandbox_qpn(SANDBOX_MTU_1024) : 0,
			.base = sandbox_address(i),
			.len = sandbox_len(i),
			.offset = i < SANDBOX_LIST ? place_at(i) : 0,
		};
	}
	open_layouts();
}

/* Fill the memory, so that any few bytes of it can be recognized. */
static void open_memory(void)
{
	static const char secret[] = "secret";

	for (__u32 at = 0; at < BYTES; at++)
		shadow[at] = secret[at % (sizeof(secret) - 1)];
	for (int i = 0; i < span_count; i++)
		if (spans[i].rights & (XRDMA_ACCESS_REMOTE_READ | XRDMA_ACCESS_REMOTE_ATOMIC))
			memset(shadow + spans[i].at - FIRST_BYTE, 0, spans[i].len);
	memcpy(sandbox_target.heap + FIRST_BYTE, shadow, BYTES);
}

void sandbox_open(void)
{
	target_open(&sandbox_target, SANDBOX_SLOT);
	open_keys();
	sandbox_open_qps();
	open_spans();
	open_memory();
	memcpy(keys, sandbox_target.mkeys, sizeof(keys));
	memcpy(segments, sandbox_target.sges, sizeof(segments));
	memcpy(layouts, sandbox_target.layouts, sizeof(layouts));
}

static const __u8 *bytes_of(const struct span *span)
{
	return sandbox_target.heap + span->at;
}

/*
 * Returns whether memory is unchanged. AddressSanitizer checks each byte for memcmp(), which
 * doubles the time, but it does not check wmemcmp().
 */
static bool is_unchanged(void)
{
	return !wmemcmp((const wchar_t *)(sandbox_target.heap + FIRST_BYTE),
			(const wchar_t *)shadow, BYTES / sizeof(wchar_t));
}

void sandbox_expect_rights(__u32 qpn, unsigned int rights)
{
	bool changed[SANDBOX_PLACES] = { 0 };
	__u8 *was;

	if (is_unchanged())
		return;
	for (int i = 0; i < span_count; i++) {
		was = shadow + spans[i].at - FIRST_BYTE;
		if (!memcmp(bytes_of(&spans[i]), was, spans[i].len))
			continue;
		expect_msg(spans[i].rights & rights, "memory at %u has changed", spans[i].at);
		expect(!qpn || !spans[i].qpn || qpn == spans[i].qpn);
		expect(!qpn || sandbox_pd_of(qpn) == spans[i].pd);
		changed[spans[i].place] = true;
		memcpy(was, bytes_of(&spans[i]), spans[i].len);
	}
	for (enum sandbox_place i = 0; i < SANDBOX_PLACES; i++)
		sandbox_changed[i] += changed[i];
}

void sandbox_expect_secrets(const __u8 *bytes, size_t len)
{
	expect_msg(!memmem(bytes, len, "secret", 6), "a packet has what may not be read");
}

/*
 * Expect that only keys are invalid that a SEND with invalidate may invalidate. Make them valid
 * again.
 */
static void expect_keys(void)
{
	struct xrdma_mkey_row *window = &sandbox_target.mkeys[FIRST_KEY + SANDBOX_WINDOW];

	if (window->state == XRDMA_MKEY_STATE_FREE)
		window->state = XRDMA_MKEY_STATE_VALID;
	expect_msg(!memcmp(keys, sandbox_target.mkeys, sizeof(keys)), "keys have changed");
}

void sandbox_expect_tables(void)
{
	expect_keys();
	expect(!memcmp(segments, sandbox_target.sges, sizeof(segments)));
	expect(!memcmp(layouts, sandbox_target.layouts, sizeof(layouts)));
	sandbox_expect_qps();
}

void sandbox_expect_rest(void)
{
	const __u8 *heap = sandbox_target.heap;

	expect(!heap[0] && !memcmp(heap, heap + 1, FIRST_BYTE - 1));
	heap += FIRST_BYTE + BYTES;
	expect(!heap[0] && !memcmp(heap, heap + 1, TARGET_HEAP - FIRST_BYTE - BYTES - 1));
}
