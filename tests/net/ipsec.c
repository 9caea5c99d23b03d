// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Queue pairs whose packets would bypass an IPsec policy for their path. tests/net/two_hosts.sh
 * runs it.
 */
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/pair.h"
#include "support/test.h"

static void run(const char *command)
{
	char all[512];

	snprintf(all, sizeof(all), "ip xfrm policy %s", command);
	pair_enter("a");
	expect_msg(!system(all), "%s", all);
}

static void start(void)
{
	pair_start();
	pair_enter("a");
}

static void stop(void)
{
	run("flush");
	run("setdefault in accept out accept");
	pair_stop();
}

TestSuite(ipsec, .once = pair_open, .init = start, .fini = stop, .end = pair_close);

#define OUT	"src 10.66.0.1/32 dst 10.66.0.2/32 dir out"
#define IN	"src 10.66.0.2/32 dst 10.66.0.1/32 dir in"
#define PROTECT " tmpl proto esp mode transport"

static int to_rtr(void)
{
	side_bring_to(&pair.a, XRDMA_QPS_RESET);
	side_bring_to(&pair.a, XRDMA_QPS_INIT);
	return side_modify(&pair.a, XRDMA_QPS_RTR, TO_RTR);
}

/* Expect a refusal with the policies RULES, a list that NULL ends. */
static void expect_refused(const char *const *rules)
{
	for (; *rules; rules++)
		run(*rules);
	expect_error(to_rtr(), EACCES,
		     "protects UDP packets between 10.66.0.1 and 10.66.0.2, which RoCE packets "
		     "would evade");
	expect_int(side_state(&pair.a), ==, XRDMA_QPS_INIT);
	run("flush");
	run("setdefault in accept out accept");
	expect_int(to_rtr(), ==, 0);
}

static const char *const refused[][5] = {
	{ "add " OUT PROTECT },
	{ "add " IN PROTECT },
	{ "add " OUT " action block" },
	{ "add " IN " action block" },
	{ "add src 0.0.0.0/0 dst 10.66.0.0/29 proto udp dport 4791 dir out" PROTECT },
	{ "add src 0.0.0.0/0 dst 0.0.0.0/0 dev xa dir in" PROTECT },
	/* If two policies match, the one with the lower priority number counts. */
	{ "add " OUT " priority 9", "add src 0.0.0.0/0 dst 0.0.0.0/0 dir out priority 8" PROTECT },
	{ "add src 10.66.0.1/32 dst 10.66.0.2/32 proto udp dir out priority 9",
	  "add " OUT " priority 9" PROTECT },
	/* A policy for one source port does not apply to others. */
	{ "add " OUT " priority 9" PROTECT,
	  "add src 10.66.0.1/32 dst 10.66.0.2/32 proto udp sport 53 dir out priority 8" },
	{ "setdefault in block" },
	{ "setdefault out block" },
	{ "setdefault in block out block", "add " OUT },
};

Tests(ipsec, refuses, sizeof(refused) / sizeof(refused[0]))
{
	expect_refused(refused[i]);
}

/* Policies that do not protect the path, or that are for other packets. */
static const char *const allowed[][5] = {
	{ "add " OUT, "add " IN },
	{ "add src 10.66.0.1/32 dst 10.66.0.3/32 dir out" PROTECT },
	{ "add src 10.66.0.128/25 dst 10.66.0.2/32 dir out" PROTECT },
	{ "add src 10.66.0.1/32 dst 10.66.0.2/32 proto tcp dir out" PROTECT },
	{ "add src 10.66.0.1/32 dst 10.66.0.2/32 proto udp dport 53 dir out" PROTECT },
	{ "add src 10.66.0.1/32 dst 10.66.0.2/32 dev lo dir out" PROTECT },
	{ "add src ::/0 dst ::/0 dir out" PROTECT },
	{ "add " OUT " if_id 7" PROTECT },
	{ "add " OUT " mark 7" PROTECT },
	{ "add src 10.66.0.1/32 dst 10.66.0.2/32 dir fwd" PROTECT },
	{ "add " OUT " priority 8", "add src 0.0.0.0/0 dst 0.0.0.0/0 dir out priority 9" PROTECT },
	{ "setdefault in block out block", "add " OUT, "add " IN },
};

Tests(ipsec, allows, sizeof(allowed) / sizeof(allowed[0]))
{
	for (const char *const *rule = allowed[i]; *rule; rule++)
		run(*rule);
	expect_msg(to_rtr() == 0, "%s", xrdma_error());
}

Test(ipsec, over_ipv6)
{
	run("add src fd66::/65 dst fd66::2/127 dir out" PROTECT);
	expect_int(to_rtr(), ==, 0);
	set_address(pair.a.attr.ah_attr.dest, "fd66::2");
	expect_error(to_rtr(), EACCES, "between fd66::1 and fd66::2");
	run("flush");
	run("add src fd66::/65 dst fd66::4/127 dir out" PROTECT);
	expect_int(to_rtr(), ==, 0);
}

/*
 * Without the capability to change policies a process cannot read them, and queue pairs are not
 * refused.
 */
Test(ipsec, is_not_known_to_all)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct all[2], fewer[2];
	int err;

	run("add " OUT PROTECT);
	expect_int(syscall(SYS_capget, &header, all), ==, 0);
	memcpy(fewer, all, sizeof(fewer));
	fewer[0].effective &= ~(1U << CAP_NET_ADMIN);
	expect_int(syscall(SYS_capset, &header, fewer), ==, 0);
	err = to_rtr();
	expect_int(syscall(SYS_capset, &header, all), ==, 0);
	expect_int(err, ==, 0);
}
