// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* A netdev moves to another network namespace. tests/net/moved.sh runs it. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/peer.h"
#include "support/test.h"

TestSuite(moved, .once = peer_open, .init = peer_start, .fini = peer_stop, .end = peer_close);

static void run(const char *command)
{
	expect_msg(!system(command), "%s", command);
}

/* Wait until the context is marked as unloaded, for at most a second. */
static void wait_until_unloaded(void)
{
	struct xrdma_pd *pd;
	int err;

	for (int i = 0; i < 100; i++, usleep(10000)) {
		err = xrdma_pd_alloc(peer.b.owner.context, &pd);
		if (err)
			break;
		xrdma_pd_dealloc(pd);
	}
	expect_error(err, ENODEV, "or its netdev has left: close the context");
}

/*
 * A netdev keeps the programs when it moves, and here it gets the same addresses again. Packets
 * from its wire must still not reach processes of the network namespace that it has left.
 */
Test(moved, serves_nobody_of_the_old_namespace)
{
	const struct peer_asked before = peer_ask(XRDMA_RC_WRITE_ONLY, 0, 64);

	peer_expect_ack(&before);
	run("ip link set xb netns c");
	run("ip -n c addr add 10.66.0.2/24 dev xb && ip -n c link set xb up");
	wait_until_unloaded();
	peer_remember_memory();
	peer_ask(XRDMA_RC_WRITE_ONLY, 64, 64);
	peer_ask_read(0, 64);
	peer_expect_nothing();
	peer_expect_memory();
}
