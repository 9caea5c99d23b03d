/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The program on a netdev: at tc ingress, and in native mode as an XDP program before that: by
 * libxdp, beside others where its dispatcher works and alone where it does not.
 */
#ifndef XRDMA_USER_DEV_ATTACH_H
#define XRDMA_USER_DEV_ATTACH_H

#include <stdbool.h>

#include "dev/load.h"
#include "dev/tc.h"
#include <xrdma/abi.h>

struct bpf_program;
struct xrdma_netdev;

/* What was loaded for a netdev, before it is pinned. */
struct xrdma_attachment {
	struct xrdma_bpf *bpf;	       /* the maps, and the XDP program if that is attached */
	struct xrdma_tc_bpf *tc;       /* the one at tc */
	struct bpf_program *at_tc;     /* which of that */
	int tc_links[XRDMA_TC_PLACES]; /* what holds it there, or -1 */
	enum xrdma_mode mode;	       /* never AUTO */
	enum xrdma_mode part;	       /* of which: what was attached last, or could not be */
	enum xrdma_mode_reason reason;
	bool took_tags; /* as in the device's row */
};

/*
 * Load the program and attach it to NETDEV in MODE. On success the caller has *TO, for one of the
 * next two. Returns 0 or -errno with xrdma_error() set.
 */
int xrdma_attach(struct xrdma_attachment *to, const struct xrdma_netdev *netdev,
		 enum xrdma_mode mode);

/* The program stays; where a link holds it, as long as that is pinned. */
void xrdma_attachment_close(struct xrdma_attachment *attachment);

/* The program goes. */
void xrdma_attachment_end(struct xrdma_attachment *attachment, const struct xrdma_netdev *netdev);

/* Take the XDP program of file descriptor PROGRAM off the netdev; 0 also when it is not on it. */
int xrdma_detach(int program, int ifindex);

/* Whether it is on it. */
bool xrdma_attached(int program, int ifindex);

#endif
