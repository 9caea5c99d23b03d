// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "support/capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xrdma/opcode.h>

#include "support/test.h"

const struct packet capture_packet = {
	.opcode = XRDMA_RC_WRITE_ONLY,
	.dest_qpn = 0x12,
	.psn = 7,
	.va = 0x1000,
	.key = 0x1234,
	.length = 100,
	.payload_len = 100,
};

gzFile capture_file;
__u32 capture_snaplen;
char capture_complaint[256];

/*
 * Files in memory, so that none remains if a test is killed: the capture, and the output of the
 * tool. The tool inherits both descriptors.
 */
static int capture_fd, said_fd;

void capture_begin(const char *mode)
{
	const __u32 header[] = { 0xa1b2c3d4, 4 << 16 | 2, 0, 0, CAPTURE_FRAME_MAX, 1 };

	capture_fd = memfd_create("capture", 0);
	said_fd = memfd_create("said", 0);
	capture_file = gzdopen(dup(capture_fd), mode);
	capture_snaplen = CAPTURE_FRAME_MAX;
	expect(capture_file != NULL);
	if (*mode == 'w')
		gzwrite(capture_file, header, sizeof(header));
}

void capture_add(const __u8 *frame, __u32 len)
{
	const __u32 record[] = { 0, 0, len < capture_snaplen ? len : capture_snaplen, len };

	gzwrite(capture_file, record, sizeof(record));
	gzwrite(capture_file, frame, record[2]);
}

struct json_object *capture_decode(const char *options)
{
	struct json_object *all;
	char command[256];
	ssize_t len;
	FILE *out;

	gzclose(capture_file);
	snprintf(command, sizeof(command), "build/xrdma pcap -j %s /dev/fd/%d 2>/dev/fd/%d",
		 options, capture_fd, said_fd);
	out = popen(command, "r");
	all = json_object_from_fd(fileno(out));
	expect_msg(pclose(out) == 0, "%s", command);
	len = pread(said_fd, capture_complaint, sizeof(capture_complaint) - 1, 0);
	capture_complaint[len] = '\0';
	close(said_fd);
	close(capture_fd);
	expect(all != NULL);
	return all;
}

struct json_object *json_member(struct json_object *object, const char *name)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(object, name, &value);
	return value;
}

__u64 json_number(struct json_object *object, const char *name)
{
	return json_object_get_int64(json_member(object, name));
}

const char *json_text(struct json_object *object, const char *name)
{
	const char *value = json_object_get_string(json_member(object, name));

	return value ? value : "";
}
