// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "run/transition.h"

#include <errno.h>

#include "lib/error.h"
#include "lib/capability.h"
#include "queue/qp.h"

enum {
	RC = 1 << XRDMA_TRANSPORT_RC,
	UC = 1 << XRDMA_TRANSPORT_UC,
	UD = 1 << XRDMA_TRANSPORT_UD,
	CONNECTED = RC | UC,
	UNRELIABLE = UC | UD,
	ALL = RC | UC | UD,
};

/*
 * Transitions between states, with the attributes that each requires, and those that it allows: the
 * tables of ibv_modify_qp(3).
 */
static const struct transition {
	unsigned int services; /* 1 << XRDMA_TRANSPORT_* of each service that has this transition */
	enum xrdma_qp_state from, to;
	unsigned int required, optional;
} transitions[] = {
	{ ALL, XRDMA_QPS_RESET, XRDMA_QPS_RESET, 0, 0 },
	{ CONNECTED, XRDMA_QPS_RESET, XRDMA_QPS_INIT,
	  XRDMA_QP_PKEY_INDEX | XRDMA_QP_PORT | XRDMA_QP_ACCESS_FLAGS, 0 },
	{ UD, XRDMA_QPS_RESET, XRDMA_QPS_INIT, XRDMA_QP_PKEY_INDEX | XRDMA_QP_PORT | XRDMA_QP_QKEY,
	  0 },
	{ ALL, XRDMA_QPS_INIT, XRDMA_QPS_RESET, 0, 0 },
	{ ALL, XRDMA_QPS_INIT, XRDMA_QPS_ERR, 0, 0 },
	{ CONNECTED, XRDMA_QPS_INIT, XRDMA_QPS_INIT, 0,
	  XRDMA_QP_PKEY_INDEX | XRDMA_QP_PORT | XRDMA_QP_ACCESS_FLAGS },
	{ UD, XRDMA_QPS_INIT, XRDMA_QPS_INIT, 0,
	  XRDMA_QP_PKEY_INDEX | XRDMA_QP_PORT | XRDMA_QP_QKEY },
	{ RC, XRDMA_QPS_INIT, XRDMA_QPS_RTR,
	  XRDMA_QP_AV | XRDMA_QP_PATH_MTU | XRDMA_QP_DEST_QPN | XRDMA_QP_RQ_PSN |
		  XRDMA_QP_MAX_DEST_RD_ATOMIC | XRDMA_QP_MIN_RNR_TIMER,
	  XRDMA_QP_PKEY_INDEX | XRDMA_QP_ACCESS_FLAGS },
	{ UC, XRDMA_QPS_INIT, XRDMA_QPS_RTR,
	  XRDMA_QP_AV | XRDMA_QP_PATH_MTU | XRDMA_QP_DEST_QPN | XRDMA_QP_RQ_PSN,
	  XRDMA_QP_PKEY_INDEX | XRDMA_QP_ACCESS_FLAGS },
	{ UD, XRDMA_QPS_INIT, XRDMA_QPS_RTR, 0, XRDMA_QP_PKEY_INDEX | XRDMA_QP_QKEY },
	{ ALL, XRDMA_QPS_RTR, XRDMA_QPS_RESET, 0, 0 },
	{ ALL, XRDMA_QPS_RTR, XRDMA_QPS_ERR, 0, 0 },
	{ RC, XRDMA_QPS_RTR, XRDMA_QPS_RTS,
	  XRDMA_QP_SQ_PSN | XRDMA_QP_TIMEOUT | XRDMA_QP_RETRY_CNT | XRDMA_QP_RNR_RETRY |
		  XRDMA_QP_MAX_QP_RD_ATOMIC,
	  XRDMA_QP_CUR_STATE | XRDMA_QP_ACCESS_FLAGS | XRDMA_QP_MIN_RNR_TIMER },
	{ UC, XRDMA_QPS_RTR, XRDMA_QPS_RTS, XRDMA_QP_SQ_PSN,
	  XRDMA_QP_CUR_STATE | XRDMA_QP_ACCESS_FLAGS },
	{ UD, XRDMA_QPS_RTR, XRDMA_QPS_RTS, XRDMA_QP_SQ_PSN, XRDMA_QP_CUR_STATE | XRDMA_QP_QKEY },
	{ ALL, XRDMA_QPS_RTS, XRDMA_QPS_RESET, 0, 0 },
	{ ALL, XRDMA_QPS_RTS, XRDMA_QPS_ERR, 0, 0 },
	{ RC, XRDMA_QPS_RTS, XRDMA_QPS_RTS, 0,
	  XRDMA_QP_CUR_STATE | XRDMA_QP_ACCESS_FLAGS | XRDMA_QP_MIN_RNR_TIMER },
	{ UC, XRDMA_QPS_RTS, XRDMA_QPS_RTS, 0, XRDMA_QP_CUR_STATE | XRDMA_QP_ACCESS_FLAGS },
	{ UD, XRDMA_QPS_RTS, XRDMA_QPS_RTS, 0, XRDMA_QP_CUR_STATE | XRDMA_QP_QKEY },
	{ ALL, XRDMA_QPS_RTS, XRDMA_QPS_SQD, 0, XRDMA_QP_EN_SQD_ASYNC_NOTIFY },
	{ ALL, XRDMA_QPS_SQD, XRDMA_QPS_RESET, 0, 0 },
	{ ALL, XRDMA_QPS_SQD, XRDMA_QPS_ERR, 0, 0 },
	{ RC, XRDMA_QPS_SQD, XRDMA_QPS_RTS, 0,
	  XRDMA_QP_CUR_STATE | XRDMA_QP_ACCESS_FLAGS | XRDMA_QP_MIN_RNR_TIMER },
	{ UC, XRDMA_QPS_SQD, XRDMA_QPS_RTS, 0, XRDMA_QP_CUR_STATE | XRDMA_QP_ACCESS_FLAGS },
	{ UD, XRDMA_QPS_SQD, XRDMA_QPS_RTS, 0, XRDMA_QP_CUR_STATE | XRDMA_QP_QKEY },
	{ RC, XRDMA_QPS_SQD, XRDMA_QPS_SQD, 0,
	  XRDMA_QP_PKEY_INDEX | XRDMA_QP_PORT | XRDMA_QP_AV | XRDMA_QP_TIMEOUT |
		  XRDMA_QP_RETRY_CNT | XRDMA_QP_RNR_RETRY | XRDMA_QP_MAX_QP_RD_ATOMIC |
		  XRDMA_QP_MAX_DEST_RD_ATOMIC | XRDMA_QP_ACCESS_FLAGS | XRDMA_QP_MIN_RNR_TIMER },
	{ UC, XRDMA_QPS_SQD, XRDMA_QPS_SQD, 0,
	  XRDMA_QP_PKEY_INDEX | XRDMA_QP_AV | XRDMA_QP_ACCESS_FLAGS },
	{ UD, XRDMA_QPS_SQD, XRDMA_QPS_SQD, 0, XRDMA_QP_PKEY_INDEX | XRDMA_QP_QKEY },
	{ UNRELIABLE, XRDMA_QPS_SQE, XRDMA_QPS_RESET, 0, 0 },
	{ UNRELIABLE, XRDMA_QPS_SQE, XRDMA_QPS_ERR, 0, 0 },
	{ UC, XRDMA_QPS_SQE, XRDMA_QPS_RTS, 0, XRDMA_QP_CUR_STATE | XRDMA_QP_ACCESS_FLAGS },
	{ UD, XRDMA_QPS_SQE, XRDMA_QPS_RTS, 0, XRDMA_QP_CUR_STATE | XRDMA_QP_QKEY },
	{ ALL, XRDMA_QPS_ERR, XRDMA_QPS_RESET, 0, 0 },
	{ ALL, XRDMA_QPS_ERR, XRDMA_QPS_ERR, 0, 0 },
};

static const char *const state_names[] = {
#define X(symbol) #symbol,
	XRDMA_QP_STATES(X)
#undef X
};

static const char *attr_name(unsigned int bits)
{
#define X(symbol, ...)                \
	if (bits & XRDMA_QP_##symbol) \
		return "XRDMA_QP_" #symbol;
	XRDMA_QP_ATTRS(X)
#undef X
	return bits & XRDMA_QP_AV ? "XRDMA_QP_AV" : "one that is unknown";
}

/*
 * Returns the transition between these states for the service TRANSPORT, or NULL if there is none.
 */
static const struct transition *find_transition(__u8 transport, enum xrdma_qp_state from,
						enum xrdma_qp_state to)
{
	const struct transition *t = transitions, *end = t + sizeof(transitions) / sizeof(*t);

	while (t < end && (!(t->services & 1 << transport) || t->from != from || t->to != to))
		t++;
	return t < end ? t : NULL;
}

static int check_mask(__u8 transport, enum xrdma_qp_state from, enum xrdma_qp_state to,
		      unsigned int mask)
{
	const struct transition *t = find_transition(transport, from, to);

	if (!t)
		return xrdma_fail(EINVAL, "a queue pair cannot go from %s to %s", state_names[from],
				  state_names[to]);
	if (t->required & ~mask)
		return xrdma_fail(EINVAL, "the change from %s to %s needs %s", state_names[from],
				  state_names[to], attr_name(t->required & ~mask));
	mask &= ~(t->required | t->optional | XRDMA_QP_STATE);
	if (mask)
		return xrdma_fail(EINVAL,
				  "the change from %s to %s does not accept the attribute %s",
				  state_names[from], state_names[to], attr_name(mask));
	return 0;
}

/* Check that all attributes are in their ranges. */
static int check_values(const struct xrdma_qp_attr *attr, unsigned int mask)
{
#define X(symbol, bit, field, min, max)                                                            \
	if (mask & XRDMA_QP_##symbol &&                                                            \
	    ((__s64)attr->field < (min) || (__s64)attr->field > (max)))                            \
		return xrdma_fail(EINVAL, #field " is %lld: %lld to %lld", (long long)attr->field, \
				  (long long)(min), (long long)(max));
	XRDMA_QP_ATTRS(X)
#undef X
	if (mask & XRDMA_QP_PATH_MTU && attr->path_mtu & (attr->path_mtu - 1))
		return xrdma_fail(EINVAL, "path_mtu is %u: 256, 512, 1024, 2048 or 4096",
				  attr->path_mtu);
	return 0;
}

/* A privileged Q_Key, with the upper bit, needs CAP_NET_RAW (IBA 10.2.5), as in the kernel. */
static int check_qkey(__u32 qkey)
{
	if (qkey & XRDMA_QKEY_PRIVILEGED && !xrdma_has_capability(CAP_NET_RAW))
		return xrdma_fail(EPERM, "the Q_Key 0x%x has the upper bit: needs CAP_NET_RAW",
				  qkey);
	return 0;
}

/*
 * Refuse to change attributes in MASK that packets in flight still need, until there are none (IBA
 * 10.3.1).
 */
static int check_drained(const struct xrdma_qp *qp, unsigned int mask)
{
	const unsigned int any_time = XRDMA_QP_STATE | XRDMA_QP_CUR_STATE | XRDMA_QP_ACCESS_FLAGS |
				      XRDMA_QP_MIN_RNR_TIMER | XRDMA_QP_QKEY;

	if (mask & ~any_time && xrdma_qp_is_draining(qp))
		return xrdma_fail(EBUSY,
				  "the change of %s waits until the send queue is drained: see "
				  "sq_draining of xrdma_qp_query()",
				  attr_name(mask & ~any_time));
	return 0;
}

int xrdma_transition_check(const struct xrdma_qp *qp, const struct xrdma_qp_attr *attr,
			   unsigned int mask)
{
	enum xrdma_qp_state now = qp->attr.state;
	int err = check_values(attr, mask);

	if (!err)
		err = check_mask(qp->init.transport, now, mask & XRDMA_QP_STATE ? attr->state : now,
				 mask);
	if (!err && mask & XRDMA_QP_QKEY)
		err = check_qkey(attr->qkey);
	if (!err)
		err = check_drained(qp, mask);
	if (!err && mask & XRDMA_QP_CUR_STATE && attr->cur_state != now)
		err = xrdma_fail(EINVAL, "cur_state is %s: the queue pair is in %s",
				 state_names[attr->cur_state], state_names[now]);
	return err;
}
