/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What the store and its clients agree on: the table, and how a key is looked for in it. */
#ifndef XRDMA_EXAMPLES_ENTRY_H
#define XRDMA_EXAMPLES_ENTRY_H

#include <endian.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { SLOTS = 1024 };

/* While the store writes one, a reader may find parts of two, which do not add up to SUM. */
struct entry {
	/* The rest is 0; empty: the slot is free, and no key is behind it that passed by here. */
	char key[64];
	char value[184];
	__be64 sum;
};

static inline __u64 entry_hash(const void *bytes, size_t len) /* FNV-1a */
{
	__u64 hash = 0xcbf29ce484222325;

	for (const unsigned char *at = bytes; len; len--)
		hash = (hash ^ *at++) * 0x100000001b3;
	return hash;
}

static inline __be64 entry_sum(const struct entry *entry)
{
	return htobe64(entry_hash(entry, offsetof(struct entry, sum)));
}

/* Slot number TRY of those where KEY may be, up to SLOTS. */
static inline __u32 entry_slot(const char key[64], __u32 try)
{
	return (entry_hash(key, 64) + try) % SLOTS;
}

static inline bool entry_has(const struct entry *entry, const char key[64])
{
	return !memcmp(entry->key, key, sizeof(entry->key));
}

#endif
