/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Write a capture and decode it with xrdma pcap, one at a time. */
#ifndef XRDMA_TESTS_CAPTURE_H
#define XRDMA_TESTS_CAPTURE_H

#include <json-c/json.h>
#include <linux/types.h>
#include <zlib.h>

#include "support/packet.h"

enum { CAPTURE_ETH_LEN = 14, CAPTURE_FRAME_MAX = 2048 };

extern const struct packet capture_packet; /* a WRITE of 100 bytes */
extern gzFile capture_file;
extern __u32
	/* Limit of the length of captured frames. capture_begin() sets it to all bytes. */
	capture_snaplen;
extern char capture_complaint[256]; /* standard error of the tool */

/*
 * Begin a capture. MODE is that of gzopen(3); "wT" means uncompressed. For pcapng, which is
 * appended to, there is no file header yet.
 */
void capture_begin(const char *mode);
void capture_add(const __u8 *frame, __u32 len);

/* End the capture. Returns the output of the tool in JSON, with further OPTIONS. */
struct json_object *capture_decode(const char *options);

/* Returns a member of OBJECT, or NULL, 0 or "" if there is none of this name. */
struct json_object *json_member(struct json_object *object, const char *name);
__u64 json_number(struct json_object *object, const char *name);
const char *json_text(struct json_object *object, const char *name);

#define EXPECT_TEXT(object, name, expected)                                                        \
	expect_msg(!strcmp(json_text(object, name), expected), "%s is '%s' instead of '%s'", name, \
		   json_text(object, name), expected)

#endif
