/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Captures as libpcap reads them, and more: compressed ones, and the Ethernet interfaces of those
 * that have others too.
 */
#ifndef XRDMA_TOOLS_CAPTURE_H
#define XRDMA_TOOLS_CAPTURE_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Open the file PATH, which may be compressed by gzip, for pcap_fopen_offline(). In pcapng, packets
 * of interfaces that are not Ethernet's stay as frames of which nothing was captured. NULL, with
 * errno set: it cannot be opened.
 */
FILE *capture_open(const char *path);

/* Interfaces of other types than Ethernet in the last capture that was opened. */
struct capture_others {
	unsigned int interfaces, packets;
	bool ethernet; /* there is one of Ethernet, or none of another kind */
};
struct capture_others capture_others(void);

#endif
