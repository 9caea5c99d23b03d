/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Protocol of the store and its clients: the table, and the order in which slots are searched for a
 * key.
 */
#ifndef XRDMA_EXAMPLES_ENTRY_H
#define XRDMA_EXAMPLES_ENTRY_H

#include <endian.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { SLOTS = 1024 };

/*
 * An entry of the table. While the store writes an entry, a reader may get parts of two. Then SUM
 * is wrong.
 */
struct entry {
	/*
	 * Followed by zeroes. If it is empty, the slot is free, and the search for a key ends here.
	 */
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

/* Returns the slot for try TRY of the search for KEY, up to SLOTS tries. */
static inline __u32 entry_slot(const char key[64], __u32 try)
{
	return (entry_hash(key, 64) + try) % SLOTS;
}

static inline bool entry_has(const struct entry *entry, const char key[64])
{
	return !memcmp(entry->key, key, sizeof(entry->key));
}

#endif
