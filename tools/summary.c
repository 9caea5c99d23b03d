// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "summary.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "json.h"
#include "wire/psn.h"
#include "lib/opcode.h"

enum { OPCODES = 256, NAK_CODES = 32, BUCKETS = 4096 };

/* NAK codes (IBA 9.7.5.2.1, table 45). */
static const char *const nak_names[NAK_CODES] = {
	"PSN sequence error",	    "invalid request",	  "remote access error",
	"remote operational error", "invalid RD request",
};

struct counts {
	__u64 packets, payload; /* bytes */
	__u64 opcodes[OPCODES];
	__u64 naks[NAK_CODES], rnr_naks;
	__u64 retransmissions, out_of_order; /* of requests */
	__u64 bad_icrc, errors;
};

/* One direction of a connection: packets from one address to one queue pair of another address. */
struct flow {
	__be32 saddr[4], daddr[4];
	__u32 dest_qpn;
	struct counts counts;
	bool has_requests;
	/*
	 * Limits for the PSN of the next request. They differ after a READ, because the number of
	 * its PSNs depends on the path MTU.
	 */
	__u32 next_min, next_max;
	SLIST_ENTRY(flow) same_bucket;
	STAILQ_ENTRY(flow) next;
};

struct summary {
	struct counts all;
	SLIST_HEAD(, flow) buckets[BUCKETS];
	STAILQ_HEAD(, flow) flows; /* in the order of their first packets */
};

struct summary *summary_create(void)
{
	struct summary *summary = calloc(1, sizeof(*summary));

	if (summary)
		STAILQ_INIT(&summary->flows);
	return summary;
}

void summary_free(struct summary *summary)
{
	struct flow *flow;

	while ((flow = STAILQ_FIRST(&summary->flows))) {
		STAILQ_REMOVE_HEAD(&summary->flows, next);
		free(flow);
	}
	free(summary);
}

static bool is_of(const struct flow *flow, const struct xrdma_pkt *pkt)
{
	return flow->dest_qpn == pkt->dest_qpn &&
	       !memcmp(flow->saddr, pkt->saddr, sizeof(pkt->saddr)) &&
	       !memcmp(flow->daddr, pkt->daddr, sizeof(pkt->daddr));
}

/* Returns the flow of PKT, which is added if it is new, or NULL. */
static struct flow *find_flow(struct summary *summary, const struct xrdma_pkt *pkt)
{
	__u32 hash = (pkt->dest_qpn ^ pkt->saddr[3] ^ pkt->daddr[3] * 31) * 2654435761U;
	struct flow *flow;

	SLIST_FOREACH(flow, &summary->buckets[hash % BUCKETS], same_bucket)
	if (is_of(flow, pkt))
		return flow;
	flow = calloc(1, sizeof(*flow));
	if (!flow)
		return NULL;
	memcpy(flow->saddr, pkt->saddr, sizeof(pkt->saddr));
	memcpy(flow->daddr, pkt->daddr, sizeof(pkt->daddr));
	flow->dest_qpn = pkt->dest_qpn;
	SLIST_INSERT_HEAD(&summary->buckets[hash % BUCKETS], flow, same_bucket);
	STAILQ_INSERT_TAIL(&summary->flows, flow, next);
	return flow;
}

static void count(struct counts *counts, const struct packet *packet)
{
	const struct xrdma_pkt *pkt = &packet->pkt;
	const char *icrc = packet_icrc(packet);

	counts->packets++;
	counts->errors += packet->verdict != XRDMA_V_OK;
	counts->bad_icrc += icrc && !strcmp(icrc, "bad");
	if (!packet_has_bth(packet))
		return;
	counts->payload += pkt->payload_len;
	counts->opcodes[pkt->opcode]++;
	if (packet->verdict != XRDMA_V_OK || !(pkt->info.headers & XRDMA_HDR_AETH))
		return;
	if ((pkt->syndrome & XRDMA_AETH_KIND_MASK) == XRDMA_AETH_NAK)
		counts->naks[pkt->syndrome & XRDMA_AETH_VALUE_MASK]++;
	else if ((pkt->syndrome & XRDMA_AETH_KIND_MASK) == XRDMA_AETH_RNR_NAK)
		counts->rnr_naks++;
}

/*
 * Compute the PSN of the next request. A READ uses one PSN for each packet of its response (IBA
 * 9.7.3.1), with 256 to 4096 bytes in each.
 */
static void expect_next(struct flow *flow, const struct xrdma_pkt *pkt)
{
	__u32 fewest = 1, most = 1;

	if (pkt->info.op == XRDMA_OP_READ && pkt->length) {
		fewest = (pkt->length - 1) / XRDMA_MTU_MAX + 1;
		most = (pkt->length - 1) / XRDMA_MTU_MIN + 1;
	}
	flow->next_min = xrdma_psn_add(pkt->psn, fewest);
	flow->next_max = xrdma_psn_add(pkt->psn, most);
}

/* Returns whether PKT is a request of a connection. Datagrams are counted by sender elsewhere. */
static bool is_request(const struct xrdma_pkt *pkt)
{
	switch (pkt->info.op) {
	case XRDMA_OP_NONE:
	case XRDMA_OP_ACK:
	case XRDMA_OP_READ_RESPONSE:
	case XRDMA_OP_ATOMIC_ACK:
	case XRDMA_OP_CNP:
		return false;
	}
	return !(pkt->info.headers & XRDMA_HDR_DETH);
}

/*
 * Compare the PSN of PKT with that of the next request. A lower one is a retransmission. A higher
 * one shows a loss, or packets that overtook others.
 */
static void follow(struct summary *summary, struct flow *flow, const struct xrdma_pkt *pkt)
{
	if (!is_request(pkt))
		return;
	if (flow->has_requests && xrdma_psn_cmp(pkt->psn, flow->next_min) < 0) {
		flow->counts.retransmissions++;
		summary->all.retransmissions++;
		return;
	}
	if (flow->has_requests && xrdma_psn_cmp(pkt->psn, flow->next_max) > 0) {
		flow->counts.out_of_order++;
		summary->all.out_of_order++;
	}
	flow->has_requests = true;
	expect_next(flow, pkt);
}

int summary_add(struct summary *summary, const struct packet *packet)
{
	struct flow *flow;

	count(&summary->all, packet);
	if (!packet_has_bth(packet))
		return 0;
	flow = find_flow(summary, &packet->pkt);
	if (!flow)
		return -ENOMEM;
	count(&flow->counts, packet);
	if (packet->verdict == XRDMA_V_OK)
		follow(summary, flow, &packet->pkt);
	return 0;
}

static struct json_object *list_opcodes(const struct counts *counts)
{
	struct json_object *list = json_object_new_object();
	const char *name;
	char text[32];

	for (int opcode = 0; opcode < OPCODES; opcode++) {
		if (!counts->opcodes[opcode])
			continue;
		name = xrdma_opcode_name(opcode);
		snprintf(text, sizeof(text), "unknown opcode 0x%02x", opcode);
		json_add_int(list, name ? name : text, counts->opcodes[opcode]);
	}
	return list;
}

static struct json_object *list_naks(const struct counts *counts)
{
	struct json_object *list = json_object_new_object();
	char text[32];

	if (counts->rnr_naks)
		json_add_int(list, "receiver not ready", counts->rnr_naks);
	for (int code = 0; code < NAK_CODES; code++) {
		if (!counts->naks[code])
			continue;
		snprintf(text, sizeof(text), "reserved code %d", code);
		json_add_int(list, nak_names[code] ? nak_names[code] : text, counts->naks[code]);
	}
	return list;
}

static void add_counts(struct json_object *object, const struct counts *counts)
{
	json_add_int(object, "packets", counts->packets);
	json_add_int(object, "payload", counts->payload);
	json_add_int(object, "retransmissions", counts->retransmissions);
	json_add_int(object, "out_of_order", counts->out_of_order);
	json_add_int(object, "bad_icrc", counts->bad_icrc);
	json_add_int(object, "errors", counts->errors);
	json_object_object_add(object, "opcodes", list_opcodes(counts));
	json_object_object_add(object, "naks", list_naks(counts));
}

static struct json_object *describe_flow(const struct flow *flow)
{
	struct json_object *object = json_object_new_object();
	char text[INET6_ADDRSTRLEN];

	json_add_string(object, "src", packet_addr(flow->saddr, text));
	json_add_string(object, "dst", packet_addr(flow->daddr, text));
	json_add_int(object, "dest_qpn", flow->dest_qpn);
	add_counts(object, &flow->counts);
	return object;
}

static void print_list(const char *what, struct json_object *list)
{
	json_object_object_foreach(list, name, value)
		printf("  %-8s %12s  %s\n", what, json_object_get_string(value), name);
}

static void print_counts(const struct counts *counts)
{
	struct json_object *opcodes = list_opcodes(counts), *naks = list_naks(counts);

	printf("%llu packets, %llu bytes of payload, %llu retransmissions, %llu out of order, "
	       "%llu with a wrong ICRC, %llu with other errors\n",
	       counts->packets, counts->payload, counts->retransmissions, counts->out_of_order,
	       counts->bad_icrc, counts->errors);
	print_list("opcode", opcodes);
	print_list("NAK", naks);
	json_object_put(opcodes);
	json_object_put(naks);
}

static void print_json(const struct summary *summary)
{
	struct json_object *object = json_object_new_object();
	struct json_object *flows = json_object_new_array();
	const struct flow *flow;

	add_counts(object, &summary->all);
	STAILQ_FOREACH(flow, &summary->flows, next)
	json_object_array_add(flows, describe_flow(flow));
	json_object_object_add(object, "connections", flows);
	fputs(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN), stdout);
	json_object_put(object);
}

void summary_print(const struct summary *summary, bool json)
{
	char from[INET6_ADDRSTRLEN], to[INET6_ADDRSTRLEN];
	const struct flow *flow;

	if (json) {
		print_json(summary);
		return;
	}
	print_counts(&summary->all);
	STAILQ_FOREACH(flow, &summary->flows, next)
	{
		printf("%s > %s, queue pair %u: ", packet_addr(flow->saddr, from),
		       packet_addr(flow->daddr, to), flow->dest_qpn);
		print_counts(&flow->counts);
	}
}
