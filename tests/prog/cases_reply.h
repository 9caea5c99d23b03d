/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The cases of what a reply looks like, of all that cases.h has. */
#ifndef XRDMA_TESTS_CASES_REPLY_H
#define XRDMA_TESTS_CASES_REPLY_H

/* clang-format off */
#define REPLY_CASES(X)                                              \
	X(over_ipv6,              OK,           case_set_ipv6, NULL)  \
	X(over_a_vlan,            OK,           set_vlan, NULL)       \
	X(over_two_vlans_ipv6,    OK,           set_vlans_ipv6, NULL) \
	X(with_trailer,           OK,           NULL, bend_trailer)   \
	X(with_udp_checksum,      OK,           NULL, bend_udp_checksum) \
	X(read_with_udp_checksum, OK,           case_set_read, bend_udp_checksum) \
	X(congestion_on_the_way,  OK,           NULL, bend_congestion) \
	X(congestion_over_ipv6,   OK,           case_set_ipv6, bend_congestion_ipv6) \
	X(nak_over_ipv6,          KEY,          set_nak_ipv6, NULL)   \
	X(in_two_buffers,         OK,           set_in_two, NULL)     \
	X(headers_in_two_buffers, OK,           set_headers_in_two, NULL) \
	X(vlans_in_two_buffers,   OK,           set_vlans_in_two, NULL) \
	X(nak_in_two_buffers,     KEY,          set_nak_in_two, NULL) \
	X(no_headroom,            ROOM,         set_no_headroom, NULL) \
	X(link_in_two_buffers,    ROOM,         set_link_in_two, NULL)
/* clang-format on */

#endif
