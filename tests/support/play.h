/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A captured connection (recorded.h) of which B's queue pair (peer.h) takes the place of one end,
 * and the peer plays the other as it was recorded.
 */
#ifndef XRDMA_TESTS_PLAY_H
#define XRDMA_TESTS_PLAY_H

#include "peer.h"
#include "recorded.h"

struct play_script {
	const char *name;
	enum { BOTH, SERVER_ONLY, CLIENT_ONLY } roles; /* that we can play */
	int more;    /* answers of ours: for what fills a gap, or lost before they were captured */
	int skipped; /* packets before the first that is played */
	__u32 receive_len; /* bytes of our receives; 0: what suffices */
	__u8 theirs, ours; /* syndromes of a refusal where we differ */
	bool wrong_key;	   /* is what the client names */
	bool refused;	   /* is all that the client asks for, whatever the key */
};

extern struct play {
	const struct play_script *script;
	enum role role;
	__u32 posted;		  /* the PSN behind the requests that we have posted */
	int requests, receives;	  /* that we have posted */
	__u8 memory[OWNER_BYTES]; /* what ours is to hold */
} play;

void play_begin(const struct play_script *script, enum role role);

/* Recorded packet I is theirs: it is sent. */
void play_theirs(int i);

/* Post our request whose first packet is I. */
void play_post(int i);

#endif
