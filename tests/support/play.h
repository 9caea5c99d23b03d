/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Replay of a captured connection (recorded.h). B's queue pair (peer.h) takes the place of one end.
 * The peer sends the packets of the other end.
 */
#ifndef XRDMA_TESTS_PLAY_H
#define XRDMA_TESTS_PLAY_H

#include "peer.h"
#include "recorded.h"

struct play_script {
	const char *name;
	enum { BOTH, SERVER_ONLY, CLIENT_ONLY } roles; /* ends that can be replaced */
	int more;	   /* responses that only we send: for gaps, or missing in the capture */
	int skipped;	   /* number of packets before the first that is sent */
	__u32 receive_len; /* bytes of our receives; 0: as many as necessary */
	__u8 theirs, ours; /* syndromes of a refusal, if they differ */
	bool wrong_key;	   /* the client names a wrong key */
	bool refused;	   /* all requests of the client are refused, whatever the key */
};

extern struct play {
	const struct play_script *script;
	enum role role;
	__u32 posted;		  /* PSN after the requests that we have posted */
	int requests, receives;	  /* numbers of posted requests and receives */
	__u8 memory[OWNER_BYTES]; /* expected contents of our memory */
} play;

void play_begin(const struct play_script *script, enum role role);

/* Send the peer's packet I of the capture. */
void play_theirs(int i);

/* Post our request whose first packet is I. */
void play_post(int i);

#endif
