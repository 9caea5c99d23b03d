/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Read captures with libpcap. Unlike libpcap alone, this reads compressed captures, and captures
 * that have interfaces of several types.
 */
#ifndef XRDMA_TOOLS_CAPTURE_H
#define XRDMA_TOOLS_CAPTURE_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Open the capture PATH, which may be compressed by gzip, for pcap_fopen_offline(). In pcapng,
 * packets of interfaces that are not Ethernet become empty frames. Returns NULL, with errno set, on
 * error.
 */
FILE *capture_open(const char *path);

/* Interfaces in the last capture that are not Ethernet. */
struct capture_others {
	unsigned int interfaces, packets;
	bool ethernet; /* an interface is Ethernet, or all are */
};
struct capture_others capture_others(void);

#endif
