// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "recorded.h"

#include <arpa/inet.h>
#include <linux/bpf.h>
#define PCAP_DONT_INCLUDE_PCAP_BPF_H
#include <pcap/pcap.h>
#include <string.h>

#include "lib/addr.h"
#include "test.h"
#include "wire/psn.h"

struct recording recording;

bool recorded_responds(const struct xrdma_pkt *pkt)
{
	return pkt->info.op == XRDMA_OP_ACK || pkt->info.op == XRDMA_OP_READ_RESPONSE ||
	       pkt->info.op == XRDMA_OP_ATOMIC_ACK;
}

static void add(const __u8 *bytes, size_t len, const __be32 our_addr[4])
{
	struct recorded *next = &recording.all[recording.count];

	expect_int(recording.count, <, RECORDED_MAX);
	expect_int(xrdma_frame_parse(&next->frame, bytes, len, &next->pkt), ==, XRDMA_V_OK);
	if (XRDMA_OPCODE_TRANSPORT(next->pkt.opcode) != XRDMA_TRANSPORT_RC)
		return;
	next->len = len;
	next->ours = !memcmp(next->pkt.saddr, our_addr, sizeof(next->pkt.saddr));
	next->request = !recorded_responds(&next->pkt);
	recording.count++;
}

void recording_load(const char *name, enum role role)
{
	const char *our_addr = role == SERVER ? "::ffff:10.66.0.2" : "::ffff:10.66.0.3";
	char path[128], error[PCAP_ERRBUF_SIZE];
	struct pcap_pkthdr *header;
	const __u8 *bytes;
	__be32 addr[4];
	pcap_t *pcap;

	snprintf(path, sizeof(path), CAPTURES "/%s.pcap", name);
	pcap = pcap_open_offline(path, error);
	expect_msg(pcap, "%s", error);
	inet_pton(AF_INET6, our_addr, addr);
	recording.count = 0;
	while (pcap_next_ex(pcap, &header, &bytes) == 1)
		add(bytes, header->caplen, addr);
	pcap_close(pcap);
}

__u32 recording_first_psn(bool ours)
{
	for (int i = 0; i < recording.count; i++)
		if (recording.all[i].request && recording.all[i].ours == ours)
			return recording.all[i].pkt.psn;
	return 0;
}

__u32 recording_mtu(void)
{
	enum { USUAL = 1024 };

	for (int i = 0; i < recording.count; i++)
		if (recording.all[i].pkt.payload_len &&
		    !(recording.all[i].pkt.info.position & XRDMA_POSITION_LAST))
			return recording.all[i].pkt.payload_len;
	return USUAL;
}

__u64 recording_lowest_va(void)
{
	__u64 lowest = UINT64_MAX;

	for (int i = 0; i < recording.count; i++)
		if (!recording.all[i].ours && recording.all[i].pkt.va &&
		    recording.all[i].pkt.va < lowest)
			lowest = recording.all[i].pkt.va;
	return lowest & ~4095ULL;
}

int recording_request_of(const struct recorded *packet, bool ours)
{
	const struct recorded *all = recording.all;
	int found = -1;

	for (int i = 0; i < recording.count; i++)
		if (all[i].request && all[i].ours == ours &&
		    all[i].pkt.info.position & XRDMA_POSITION_FIRST &&
		    xrdma_psn_cmp(all[i].pkt.psn, packet->pkt.psn) <= 0 &&
		    (found < 0 || xrdma_psn_cmp(all[i].pkt.psn, all[found].pkt.psn) > 0))
			found = i;
	expect_msg(found >= 0, "PSN %06x belongs to no request", packet->pkt.psn);
	return found;
}
