// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "capture.h"

#include <byteswap.h>
#include <errno.h>
#include <linux/types.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/*
 * Of pcapng (draft-ietf-opsawg-pcapng): blocks of a type, a length, a body, and the length again.
 */
enum {
	SECTION_HEADER = 0x0a0d0d0a,
	INTERFACE = 1,
	SIMPLE_PACKET = 3, /* of the section's first interface */
	ENHANCED_PACKET = 6,
	UNKNOWN = 0x0bad,
	ORDER_MAGIC = 0x1a2b3c4d,
	LINKTYPE_ETHERNET = 1,
	INTERFACES_MAX = 256,
	BLOCK_MIN = 12,
	BLOCK_MAX = 16 << 20,
	LINKTYPE_AT = 8,
	INTERFACE_AT = 8,
	CAPTURED_AT = 20,
};

static struct {
	gzFile file;
	bool pcapng, swapped;
	char *block; /* what is read next, of LEN bytes, from AT on */
	size_t len, at;
	unsigned int sections;
	unsigned int interfaces; /* of the section */
	bool other[INTERFACES_MAX];
	struct capture_others found;
} capture;

static __u32 number(size_t at)
{
	__u32 value;

	memcpy(&value, capture.block + at, sizeof(value));
	return capture.swapped ? bswap_32(value) : value;
}

static void set_number(size_t at, __u32 value)
{
	if (capture.swapped)
		value = bswap_32(value);
	memcpy(capture.block + at, &value, sizeof(value));
}

static void begin_section(void)
{
	capture.sections++;
	capture.swapped = false;
	capture.swapped = number(8) != ORDER_MAGIC;
	capture.interfaces = 0;
}

/* libpcap wants all interfaces of one type. */
static void take_interface(void)
{
	__u16 linktype;
	bool other;

	memcpy(&linktype, capture.block + LINKTYPE_AT, sizeof(linktype));
	other = (capture.swapped ? bswap_16(linktype) : linktype) != LINKTYPE_ETHERNET;
	if (capture.interfaces < INTERFACES_MAX)
		capture.other[capture.interfaces] = other;
	capture.interfaces++;
	if (!other) {
		capture.found.ethernet = true;
		return;
	}
	capture.found.interfaces++;
	linktype = capture.swapped ? bswap_16(LINKTYPE_ETHERNET) : LINKTYPE_ETHERNET;
	memcpy(capture.block + LINKTYPE_AT, &linktype, sizeof(linktype));
}

static bool is_of_other(__u32 interface)
{
	return interface < INTERFACES_MAX && capture.other[interface];
}

static void take_block(void)
{
	switch (number(0)) {
	case INTERFACE:
		if (capture.len >= LINKTYPE_AT + BLOCK_MIN)
			take_interface();
		break;
	case SIMPLE_PACKET:
		if (!is_of_other(0))
			break;
		capture.found.packets++;
		set_number(0, UNKNOWN);
		break;
	case ENHANCED_PACKET:
		if (capture.len < CAPTURED_AT + BLOCK_MIN || !is_of_other(number(INTERFACE_AT)))
			break;
		capture.found.packets++;
		set_number(CAPTURED_AT, 0);
		break;
	}
}

/*
 * The length of the block whose first 12 bytes are there. A section's header says in which order
 * its bytes are.
 */
static __u32 block_length(void)
{
	if (number(0) == SECTION_HEADER)
		begin_section();
	return number(4);
}

/* What is no block goes on as it is, for libpcap to complain. Returns whether there is more. */
static bool read_block(void)
{
	__u32 len;
	int got = gzread(capture.file, capture.block, BLOCK_MIN);

	capture.at = 0;
	capture.len = got > 0 ? got : 0;
	if (got < BLOCK_MIN)
		return got > 0;
	len = block_length();
	if (!capture.sections || len < BLOCK_MIN || len > BLOCK_MAX) {
		capture.pcapng = false;
		return true;
	}
	got = gzread(capture.file, capture.block + BLOCK_MIN, len - BLOCK_MIN);
	capture.len += got > 0 ? got : 0;
	if (capture.len == len)
		take_block();
	return true;
}

static ssize_t read_some(void *unused, char *into, size_t size)
{
	size_t left;

	(void)unused;
	if (capture.at == capture.len && !capture.pcapng)
		return gzread(capture.file, into, size);
	if (capture.at == capture.len && !read_block())
		return 0;
	left = capture.len - capture.at;
	if (left > size)
		left = size;
	memcpy(into, capture.block + capture.at, left);
	capture.at += left;
	return left;
}

static int close_file(void *unused)
{
	(void)unused;
	free(capture.block);
	return gzclose(capture.file) == Z_OK ? 0 : -1;
}

FILE *capture_open(const char *path)
{
	const cookie_io_functions_t functions = { .read = read_some, .close = close_file };

	memset(&capture, 0, sizeof(capture));
	capture.block = malloc(BLOCK_MAX);
	if (!capture.block)
		return NULL;
	errno = ENOMEM;
	capture.file = gzopen(path, "re");
	if (!capture.file) {
		free(capture.block);
		return NULL;
	}
	capture.pcapng = true;
	return fopencookie(NULL, "r", functions);
}

struct capture_others capture_others(void)
{
	struct capture_others found = capture.found;

	found.ethernet = found.ethernet || !found.interfaces;
	return found;
}
