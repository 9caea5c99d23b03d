// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "net/ipsec.h"

#include <errno.h>
#include <linux/xfrm.h>
#include <stdbool.h>
#include <xrdma/abi/wire.h>

#include "lib/addr.h"
#include "lib/error.h"
#include "net/netlink.h"

enum { DIRECTIONS = 2 }; /* XFRM_POLICY_IN and XFRM_POLICY_OUT */

/* Policy found so far for the packets of one direction. */
struct rule {
	bool is_found;
	bool is_plain; /* packets are not protected */
	__u32 priority;
};

struct rules {
	const struct xrdma_ipsec_path *path;
	struct rule of[DIRECTIONS];
};

static bool is_within(const __be32 addr[4], const xfrm_address_t *net, int family, __u8 bits)
{
	const __u8 *bytes = (const __u8 *)(family == AF_INET ? &addr[3] : addr);
	const __u8 *of_net = (const __u8 *)net;
	const __u8 last = 0xff << (8 - bits % 8);

	return !memcmp(bytes, of_net, bits / 8) &&
	       (bits % 8 == 0 || !((bytes[bits / 8] ^ of_net[bits / 8]) & last));
}

/*
 * Returns whether SELECTOR matches packets of PATH in direction DIR, if source ports are ignored.
 */
static bool is_matched(const struct xfrm_selector *selector, const struct xrdma_ipsec_path *path,
		       int dir)
{
	const int family = xrdma_addr_is_ipv4(path->peer) ? AF_INET : AF_INET6;
	const __be32 *to = dir == XFRM_POLICY_OUT ? path->peer : path->ours;
	const __be32 *from = dir == XFRM_POLICY_OUT ? path->ours : path->peer;
	const __u8 most = family == AF_INET ? 32 : 128;

	return selector->family == family && selector->prefixlen_d <= most &&
	       selector->prefixlen_s <= most &&
	       is_within(to, &selector->daddr, family, selector->prefixlen_d) &&
	       is_within(from, &selector->saddr, family, selector->prefixlen_s) &&
	       !((selector->dport ^ htons(XRDMA_UDP_PORT)) & selector->dport_mask) &&
	       (!selector->proto || selector->proto == IPPROTO_UDP) &&
	       (!selector->ifindex || selector->ifindex == (int)path->ifindex);
}

/* Facts about a policy from the attributes of its netlink message. */
struct extra {
	bool is_protecting; /* it has a template */
	bool is_elsewhere;  /* it applies only to packets with a mark, or of an xfrm interface */
};

static struct extra read_extra(const struct nlmsghdr *message)
{
	struct extra extra = { 0 };
	const struct nlattr *attr;
	const struct xfrm_mark *mark;

	mnl_attr_for_each(attr, message, sizeof(struct xfrm_userpolicy_info))
	{
		const __u16 len = mnl_attr_get_payload_len(attr);

		mark = mnl_attr_get_payload(attr);
		switch (mnl_attr_get_type(attr)) {
		case XFRMA_TMPL:
			extra.is_protecting |= len > 0;
			break;
		case XFRMA_MARK:
			extra.is_elsewhere |= len >= sizeof(*mark) && mark->v;
			break;
		case XFRMA_IF_ID:
			extra.is_elsewhere |= len >= sizeof(__u32) && mnl_attr_get_u32(attr);
			break;
		}
	}
	return extra;
}

/*
 * Apply a policy of the kernel's list to the rules ARG. If two policies have the same priority, the
 * kernel takes the older one, but the list has no ages. Therefore a policy that protects wins here.
 * The peer's source ports are not known yet, so a policy for some source ports counts only if it
 * protects.
 */
static int read_policy(const struct nlmsghdr *message, void *arg)
{
	struct xfrm_userpolicy_info policy; /* it may be unaligned in the message */
	struct rules *rules = arg;
	struct rule *rule;
	struct extra extra;
	bool is_plain;

	if (message->nlmsg_type != XFRM_MSG_NEWPOLICY ||
	    mnl_nlmsg_get_payload_len(message) < sizeof(policy))
		return MNL_CB_OK;
	memcpy(&policy, mnl_nlmsg_get_payload(message), sizeof(policy));
	if (policy.dir >= DIRECTIONS || !is_matched(&policy.sel, rules->path, policy.dir))
		return MNL_CB_OK;
	rule = &rules->of[policy.dir];
	extra = read_extra(message);
	is_plain = policy.action == XFRM_POLICY_ALLOW && !extra.is_protecting;
	if (extra.is_elsewhere || (is_plain && policy.sel.sport_mask) ||
	    (rule->is_found && rule->priority < policy.priority))
		return MNL_CB_OK;
	if (rule->is_found && rule->priority == policy.priority)
		is_plain &= rule->is_plain;
	*rule = (struct rule){ true, is_plain, policy.priority };
	return MNL_CB_OK;
}

/* Read the default, which applies to packets that no policy matches. */
static int read_default(const struct nlmsghdr *message, void *arg)
{
	const struct xfrm_userpolicy_default *policy = mnl_nlmsg_get_payload(message);
	struct rules *rules = arg;

	if (message->nlmsg_type != XFRM_MSG_GETDEFAULT ||
	    mnl_nlmsg_get_payload_len(message) < sizeof(*policy))
		return MNL_CB_OK;
	if (!rules->of[XFRM_POLICY_IN].is_found)
		rules->of[XFRM_POLICY_IN].is_plain = policy->in != XFRM_USERPOLICY_BLOCK;
	if (!rules->of[XFRM_POLICY_OUT].is_found)
		rules->of[XFRM_POLICY_OUT].is_plain = policy->out != XFRM_USERPOLICY_BLOCK;
	return MNL_CB_OK;
}

static int ask_policies(struct rules *rules)
{
	char buffer[64];
	struct nlmsghdr *request = mnl_nlmsg_put_header(buffer);

	request->nlmsg_type = XFRM_MSG_GETPOLICY;
	request->nlmsg_flags = NLM_F_DUMP;
	for (int i = 0; i < DIRECTIONS; i++)
		rules->of[i] = (struct rule){ .is_plain = true };
	return xrdma_netlink_request(NETLINK_XFRM, request, read_policy, rules);
}

/* Read the default policy. Kernels before 5.15 have none. */
static int ask_default(struct rules *rules)
{
	char buffer[64];
	struct nlmsghdr *request = mnl_nlmsg_put_header(buffer);
	int err;

	request->nlmsg_type = XFRM_MSG_GETDEFAULT;
	mnl_nlmsg_put_extra_header(request, sizeof(struct xfrm_userpolicy_default));
	err = xrdma_netlink_request(NETLINK_XFRM, request, read_default, rules);
	return err == -EINVAL ? 0 : err;
}

int xrdma_ipsec_check(const struct xrdma_ipsec_path *path)
{
	char ours[INET6_ADDRSTRLEN], peer[INET6_ADDRSTRLEN];
	struct rules rules = { .path = path };
	int err;

	do /* the list may change while it is read */
		err = ask_policies(&rules);
	while (err == -EINTR);
	if (!err)
		err = ask_default(&rules);
	if (err == -EPERM || err == -EPROTONOSUPPORT)
		return 0;
	if (err)
		return xrdma_fail(-err, "cannot request IPsec policies: %s", strerror(-err));
	if (rules.of[XFRM_POLICY_IN].is_plain && rules.of[XFRM_POLICY_OUT].is_plain)
		return 0;
	return xrdma_fail(EACCES,
			  "an IPsec policy blocks or protects UDP packets between %s and %s, which "
			  "RoCE packets would evade: see ip xfrm policy",
			  xrdma_addr_print(path->ours, ours), xrdma_addr_print(path->peer, peer));
}
