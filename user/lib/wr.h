/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Properties of each kind of work request. */
#ifndef XRDMA_USER_LIB_WR_H
#define XRDMA_USER_LIB_WR_H

#include <xrdma/abi/context.h>
#include <xrdma/abi/wire.h>
#include <xrdma/wr.h>

enum {
	XRDMA_WRF_INLINE = 1 << 0, /* may be XRDMA_SEND_INLINE */
	XRDMA_WRF_FETCHES =
		1 << 1, /* has data in its response, and counts as outstanding (10.8.3.3) */
	XRDMA_WRF_ATOMIC = 1 << 2, /* has a response of 8 bytes */
	XRDMA_WRF_SOLICITS =
		1 << 3,		  /* completes a receive, with solicited event or without (9.2.3) */
	XRDMA_WRF_LOCAL = 1 << 4, /* has no packets, and is executed in order */
};

struct xrdma_wr_info {
	__u8 packets[4]; /* lower five bits of the opcodes, by enum xrdma_position */
	__u8 completes;	 /* enum xrdma_wc_opcode */
	__u8 flags;	 /* XRDMA_WRF_* */
	__u16 right;	 /* XRDMA_ACCESS_* that its memory needs */
	__u16 services;	 /* 1 << XRDMA_TRANSPORT_* of its services; 0: no such request */
};

/*
 * Arguments of a BIND_MW. They are numbers, because the objects may be gone when the request
 * begins.
 */
struct xrdma_bind {
	__u64 addr;
	__u64 length;
	__u32 region; /* key */
	__u32 window; /* number */
	__u32 access;
};

/* Flags of the attributes that were set. */
enum {
	XRDMA_SETTER_ACCESS = 1 << 0,
	XRDMA_SETTER_LAYOUT = 1 << 1,
	XRDMA_SETTER_SIG = 1 << 2,
	XRDMA_SETTER_NO_SIG = 1 << 3, /* applied first */
	XRDMA_SETTER_CRYPTO = 1 << 4,
};

/* Configuration of an mkey by a request. */
struct xrdma_mkey_conf {
	__u64 round;  /* bytes of all entries */
	__u64 length; /* bytes of all rounds */
	__u32 access;
	__u16 count;  /* of entries */
	__u8 kind;    /* enum xrdma_mkey_kind */
	__u8 setters; /* XRDMA_SETTER_* */
	struct xrdma_layout_entry *entries;
	struct xrdma_transform *transform;
};

/* Return the properties of OPCODE, any number; never NULL. */
const struct xrdma_wr_info *xrdma_wr_info(unsigned int opcode);

/* Return the opcode of a packet at POSITION of such a request, for the service TRANSPORT. */
static inline __u8 xrdma_wr_packet(const struct xrdma_wr_info *info, __u8 transport, __u8 position)
{
	return transport << XRDMA_OPCODE_TRANSPORT_SHIFT | info->packets[position];
}

/*
 * Return the number of packets of a message of LENGTH bytes with MTU: at least one, except for
 * LOCAL.
 */
__u64 xrdma_wr_packets(unsigned int opcode, __u32 length, __u16 mtu);

#endif
