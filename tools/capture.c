// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "capture.h"

#include <byteswap.h>
#include <errno.h>
#include <linux/types.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/*
 * Parts of a pcapng file (draft-ietf-opsawg-pcapng). A block consists of a type, a length, a body,
 * and the length again. All blocks of a section have the byte order of the host that wrote it.
 */
enum {
	SECTION_HEADER = 0x0a0d0d0a,
	INTERFACE = 1,
	OLD_PACKET = 2,
	SIMPLE_PACKET = 3, /* of the section's first interface */
	ENHANCED_PACKET = 6,
	UNKNOWN = 0x0bad,
	ORDER_MAGIC = 0x1a2b3c4d,
	LINKTYPE_ETHERNET = 1,
	INTERFACES_MAX = 256,
	BLOCK_MIN = 12,
	BLOCK_MAX = 16 << 20,
	LINKTYPE_AT = 8,
	SNAPLEN_AT = 12,
	OPTIONS_AT = 16, /* options of an interface */
	INTERFACE_AT = 8,
	CAPTURED_AT = 20,
	LENGTH_AT = 24,
	SIMPLE_LENGTH_AT = 8,
	DATA_AT = 28,
	SIMPLE_DATA_AT = 12,
};

static struct {
	gzFile file;
	bool pcapng, swapped;
	char *block; /* current block of LEN bytes; AT is the next byte to read */
	size_t len, at;
	unsigned int sections;
	unsigned int interfaces; /* number of interfaces in the section */
	__u32 snaplen;		 /* of the section's first interface */
	bool other[INTERFACES_MAX];
	struct capture_others found;
} capture;

static __u32 number(size_t at)
{
	__u32 value;

	memcpy(&value, capture.block + at, sizeof(value));
	return value;
}

static void set_number(size_t at, __u32 value)
{
	memcpy(capture.block + at, &value, sizeof(value));
}

static __u16 short_number(size_t at)
{
	__u16 value;

	memcpy(&value, capture.block + at, sizeof(value));
	return value;
}

/* Swap the SIZE bytes at AT. */
static void swap(size_t at, size_t size)
{
	char *first = capture.block + at, *last = first + size - 1;

	for (; first < last; first++, last--) {
		const char byte = *first;

		*first = *last;
		*last = byte;
	}
}

static void swap_each(size_t at, size_t size, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		swap(at + i * size, size);
}

/*
 * Swap the code and the length of each option of an interface, because libpcap reads them. It reads
 * values only for time stamps, which this tool does not use.
 */
static void swap_options(void)
{
	for (size_t at = OPTIONS_AT; at + 4 <= capture.len - 4;) {
		swap_each(at, 2, 2);
		at += 4 + (short_number(at + 2) + 3) / 4 * 4;
	}
}

/*
 * Convert the whole block to this host's byte order, because libpcap requires one byte order for
 * all sections.
 */
static void swap_block(void)
{
	swap_each(0, 4, 2);
	swap(capture.len - 4, 4);
	switch (number(0)) {
	case SECTION_HEADER:
		swap(8, 4);
		swap_each(12, 2, 2);
		swap(16, 8);
		break;
	case INTERFACE:
		swap_each(LINKTYPE_AT, 2, 2);
		swap(SNAPLEN_AT, 4);
		swap_options();
		break;
	case SIMPLE_PACKET:
		swap(SIMPLE_LENGTH_AT, 4);
		break;
	case OLD_PACKET:
		swap_each(INTERFACE_AT, 2, 2);
		swap_each(12, 4, 4);
		break;
	case ENHANCED_PACKET:
		swap_each(INTERFACE_AT, 4, 5);
		break;
	}
}

/* Returns the minimum size of a block of the given type. */
static size_t least_of(__u32 type)
{
	switch (type) {
	case SECTION_HEADER:
		return 28;
	case INTERFACE:
		return OPTIONS_AT + 4;
	case SIMPLE_PACKET:
		return SIMPLE_DATA_AT + 4;
	case OLD_PACKET:
	case ENHANCED_PACKET:
		return DATA_AT + 4;
	}
	return BLOCK_MIN;
}

static void begin_section(void)
{
	capture.sections++;
	capture.swapped = number(8) != ORDER_MAGIC;
	capture.interfaces = 0;
}

/*
 * Give all interfaces the same type and the snap length 0, which means no limit: libpcap requires
 * that they are equal.
 */
static void take_interface(void)
{
	const __u16 ethernet = LINKTYPE_ETHERNET;
	const bool other = short_number(LINKTYPE_AT) != LINKTYPE_ETHERNET;

	if (capture.interfaces < INTERFACES_MAX)
		capture.other[capture.interfaces] = other;
	if (!capture.interfaces++)
		capture.snaplen = number(SNAPLEN_AT);
	capture.found.ethernet |= !other;
	capture.found.interfaces += other;
	memcpy(capture.block + LINKTYPE_AT, &ethernet, sizeof(ethernet));
	set_number(SNAPLEN_AT, 0);
}

static bool is_of_other(__u32 interface)
{
	return interface < INTERFACES_MAX && capture.other[interface];
}

/*
 * Convert a simple packet block to an enhanced one. In a simple block the captured length follows
 * from the snap length, but this is 0 now. An enhanced block contains the captured length.
 */
static void take_simple(void)
{
	const __u32 all = number(SIMPLE_LENGTH_AT), data = capture.len - SIMPLE_DATA_AT - 4;
	__u32 captured = all < data ? all : data;

	if (is_of_other(0)) {
		capture.found.packets++;
		set_number(0, UNKNOWN);
		return;
	}
	if (capture.snaplen && captured > capture.snaplen)
		captured = capture.snaplen;
	memmove(capture.block + DATA_AT, capture.block + SIMPLE_DATA_AT, data);
	memset(capture.block + INTERFACE_AT, 0, CAPTURED_AT - INTERFACE_AT);
	set_number(CAPTURED_AT, captured);
	set_number(LENGTH_AT, all);
	capture.len = DATA_AT + data + 4;
	set_number(0, ENHANCED_PACKET);
	set_number(4, capture.len);
	set_number(capture.len - 4, capture.len);
}

/*
 * Empty a packet of an interface that is not Ethernet. The packet remains, so that the other
 * packets keep their numbers.
 */
static void take_packet(__u32 interface)
{
	if (!is_of_other(interface))
		return;
	capture.found.packets++;
	set_number(CAPTURED_AT, 0);
}

static void take_block(void)
{
	__u32 type = number(0);

	if (capture.swapped)
		type = bswap_32(type);
	if (capture.len < least_of(type))
		return;
	if (capture.swapped)
		swap_block();
	switch (type) {
	case INTERFACE:
		take_interface();
		break;
	case SIMPLE_PACKET:
		take_simple();
		break;
	case OLD_PACKET:
		take_packet(short_number(INTERFACE_AT));
		break;
	case ENHANCED_PACKET:
		take_packet(number(INTERFACE_AT));
		break;
	}
}

/*
 * Returns the length of the block whose first 12 bytes were read. A section header shows the byte
 * order of its section.
 */
static __u32 block_length(void)
{
	if (number(0) == SECTION_HEADER)
		begin_section();
	return capture.swapped ? bswap_32(number(4)) : number(4);
}

/*
 * Read a block. Whatever is no valid block is passed on unchanged, for libpcap to report. Returns
 * whether there is more.
 */
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
	capture.block = malloc(BLOCK_MAX + DATA_AT - SIMPLE_DATA_AT);
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
