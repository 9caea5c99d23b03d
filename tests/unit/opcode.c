// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Compare the table of opcodes with IBA 9.2.1 table 38 (headers after the BTH), and with names of
 * tshark.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/opcode.h"
#include "support/test.h"

static const struct {
	__u8 opcode;
	unsigned int headers;
	unsigned int bytes;
} rules[] = {
	{ 0x03, XRDMA_HDR_IMMDT, 4 },
	{ 0x06, XRDMA_HDR_RETH, 16 },
	{ 0x07, 0, 0 },
	{ 0x0a, XRDMA_HDR_RETH, 16 },
	{ 0x0b, XRDMA_HDR_RETH | XRDMA_HDR_IMMDT, 20 },
	{ 0x0c, XRDMA_HDR_RETH, 16 },
	{ 0x0e, 0, 0 },
	{ 0x11, XRDMA_HDR_AETH, 4 },
	{ 0x12, XRDMA_HDR_AETH | XRDMA_HDR_ATOMICACKETH, 12 },
	{ 0x13, XRDMA_HDR_ATOMICETH, 28 },
	{ 0x14, XRDMA_HDR_ATOMICETH, 28 },
	{ 0x17, XRDMA_HDR_IETH, 4 },
	{ 0x1c, XRDMA_HDR_FETH | XRDMA_HDR_RETH, 20 },
	{ 0x65, XRDMA_HDR_DETH | XRDMA_HDR_IMMDT, 12 },
};

Test(opcode, headers_follow_the_table_of_the_specification)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		const struct xrdma_opcode_info *info = xrdma_opcode_info(rules[i].opcode);

		expect_msg(info->headers == rules[i].headers, "opcode 0x%02x", rules[i].opcode);
		expect_msg(info->headers_len == rules[i].bytes, "opcode 0x%02x", rules[i].opcode);
	}
}

/* UC has SEND and WRITE with the numbers of RC plus 0x20 (table 38), and with the same headers. */
Test(opcode, unreliable_connection_mirrors_reliable)
{
	for (unsigned int rc = XRDMA_RC_SEND_FIRST; rc <= XRDMA_RC_WRITE_ONLY_IMM; rc++) {
		struct xrdma_opcode_info uc = *xrdma_opcode_info(rc + 0x20);

		uc.counter = xrdma_opcode_info(rc)->counter;
		expect(!memcmp(&uc, xrdma_opcode_info(rc), sizeof(uc)));
	}
}

Test(opcode, a_message_has_one_first_and_one_last_packet)
{
	expect_int(xrdma_opcode_info(XRDMA_RC_WRITE_FIRST)->position, ==, XRDMA_POSITION_FIRST);
	expect_int(xrdma_opcode_info(XRDMA_RC_WRITE_MIDDLE)->position, ==, XRDMA_POSITION_MIDDLE);
	expect_int(xrdma_opcode_info(XRDMA_RC_WRITE_LAST)->position, ==, XRDMA_POSITION_LAST);
	expect_int(xrdma_opcode_info(XRDMA_RC_WRITE_ONLY)->position, ==,
		   XRDMA_POSITION_FIRST | XRDMA_POSITION_LAST);
}

Test(opcode, numbers_that_are_not_assigned_are_none)
{
	expect_int(xrdma_opcode_info(0x15)->op, ==, XRDMA_OP_NONE);
	expect_int(xrdma_opcode_info(0x40)->op, ==, XRDMA_OP_NONE);
	expect_int(xrdma_opcode_info(0xff)->op, ==, XRDMA_OP_NONE);
	expect(!xrdma_opcode_name(0x15));
}

static const char *transport_of(const char *tshark)
{
	if (!strncmp(tshark, "Reliable Connection", 19))
		return "RC";
	if (!strncmp(tshark, "Unreliable Connection", 21))
		return "UC";
	if (!strncmp(tshark, "Unreliable Datagram", 19))
		return "UD";
	return NULL;
}

/*
 * Compare a line of tshark: "V <field> <number> Reliable Connection (RC) - SEND First", separated
 * by tabs.
 */
static int compare_with_tshark(char *line)
{
	char *save, *number, *text, expected[128];
	const char *transport, *name;
	unsigned int opcode;

	strtok_r(line, "\t\n", &save);
	strtok_r(NULL, "\t\n", &save);
	number = strtok_r(NULL, "\t\n", &save);
	text = strtok_r(NULL, "\t\n", &save);
	if (!number || !text || !(transport = transport_of(text)) || strstr(text, "Reserved"))
		return 0;
	opcode = strtoul(number, NULL, 0);
	snprintf(expected, sizeof(expected), "%s %s", transport, strstr(text, " - ") + 3);
	name = xrdma_opcode_name(opcode);
	expect(name);
	if (name)
		expect(!strcmp(name, expected));
	return 1;
}

Test(opcode, names_are_those_of_tshark)
{
	FILE *tshark = popen("tshark -G values 2>/dev/null", "r");
	char line[512];
	int seen = 0;

	expect(tshark);
	while (fgets(line, sizeof(line), tshark))
		if (!strncmp(line, "V\tinfiniband.bth.opcode\t", 24))
			seen += compare_with_tshark(line);
	pclose(tshark);
	expect_msg(seen == 37, "RC 23, UC 12 and UD 2 opcodes, not %d", seen);
}
