// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* xrdma pcap FILE [-j]: what the datapath's parser makes of a capture. */
#include <errno.h>
#include <getopt.h>
#define PCAP_DONT_INCLUDE_PCAP_BPF_H
#include <pcap/pcap.h>
#include <pcap/dlt.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "frame.h"
#include "json.h"
#include "opcode.h"

static const char *const verdict_text[XRDMA_VERDICT_COUNT] = {
#define X(symbol, action, syndrome, text) [XRDMA_V_##symbol] = text,
	XRDMA_VERDICTS(X)
#undef X
};

static void add_base(struct json_object *object, const struct xrdma_pkt *pkt)
{
	const char *name = xrdma_opcode_name(pkt->opcode);

	json_add_int(object, "opcode", pkt->opcode);
	json_add_string(object, "name", name ? name : "unknown opcode");
	json_add_int(object, "dest_qpn", pkt->dest_qpn);
	json_add_int(object, "psn", pkt->psn);
	json_object_object_add(object, "ack_req", json_object_new_boolean(pkt->ack_req));
	json_object_object_add(object, "solicited",
			       json_object_new_boolean(pkt->bth_flags & XRDMA_BTH_SOLICITED));
	json_add_int(object, "pad", pkt->pad_len);
	json_add_hex(object, "pkey", 4, pkt->pkey);
}

static void add_requests(struct json_object *object, const struct xrdma_pkt *pkt)
{
	__u8 set = pkt->info.headers;

	if (set & (XRDMA_HDR_RETH | XRDMA_HDR_ATOMICETH)) {
		json_add_hex(object, "key", 8, pkt->key);
		json_add_hex(object, "addr", 16, pkt->va);
	}
	if (set & XRDMA_HDR_RETH)
		json_add_int(object, "length", pkt->length);
	if (set & XRDMA_HDR_ATOMICETH) {
		json_add_hex(object, "swap_add", 16, pkt->swap_add);
		json_add_hex(object, "compare", 16, pkt->compare);
	}
	if (set & XRDMA_HDR_DETH) {
		json_add_hex(object, "qkey", 8, pkt->qkey);
		json_add_int(object, "src_qpn", pkt->src_qpn);
	}
	if (set & XRDMA_HDR_FETH)
		json_add_hex(object, "flush_type", 8, pkt->flush_type);
	if (set & XRDMA_HDR_IMMDT)
		json_add_hex(object, "imm", 8, bpf_ntohl(pkt->imm));
	if (set & XRDMA_HDR_IETH)
		json_add_hex(object, "invalidate_key", 8, pkt->invalidate_key);
}

static void add_answers(struct json_object *object, const struct xrdma_pkt *pkt)
{
	if (pkt->info.headers & XRDMA_HDR_AETH) {
		json_add_int(object, "syndrome", pkt->syndrome);
		json_add_int(object, "msn", pkt->msn);
	}
	if (pkt->info.headers & XRDMA_HDR_ATOMICACKETH)
		json_add_hex(object, "original", 16, pkt->original);
}

/* A packet on RoCE's UDP port: as much of it as was understood. */
static struct json_object *describe(unsigned int number, struct xrdma_frame *frame,
				    const struct xrdma_pkt *pkt, enum xrdma_verdict verdict)
{
	struct json_object *object = json_object_new_object();
	bool good;

	json_add_int(object, "frame", number);
	if (xrdma_frame_has_icrc(verdict)) {
		add_base(object, pkt);
		good = xrdma_frame_icrc_carried(frame, pkt) == xrdma_frame_icrc(frame, pkt);
		json_add_string(object, "icrc", good ? "good" : "bad");
	}
	if (verdict == XRDMA_V_OK) {
		add_requests(object, pkt);
		add_answers(object, pkt);
		if (pkt->info.op != XRDMA_OP_NONE)
			json_add_int(object, "payload", pkt->payload_len);
	} else {
		json_add_string(object, "error", verdict_text[verdict]);
	}
	return object;
}

/* One object at a time, so that a capture of any size takes no memory. */
static int decode(pcap_t *pcap, bool json)
{
	struct pcap_pkthdr *header;
	const u_char *bytes;
	unsigned int number = 0, printed = 0;
	int more;

	if (json)
		putchar('[');
	while ((more = pcap_next_ex(pcap, &header, &bytes)) == 1) {
		static struct xrdma_frame frame;
		struct xrdma_pkt pkt;
		enum xrdma_verdict verdict = xrdma_frame_parse(&frame, bytes, header->caplen, &pkt);
		struct json_object *object;

		number++;
		if (verdict == XRDMA_V_NOT_ROCE)
			continue;
		object = describe(number, &frame, &pkt, verdict);
		if (json)
			json_print_element(object, printed);
		else
			json_print_line(object);
		printed++;
		json_object_put(object);
	}
	if (json)
		puts("]");
	return more == PCAP_ERROR_BREAK ? 0 : -EIO;
}

static int open_and_decode(const char *path, bool json)
{
	char error[PCAP_ERRBUF_SIZE];
	pcap_t *pcap = pcap_open_offline(path, error);
	int err;

	if (!pcap) {
		fprintf(stderr, "xrdma pcap: %s\n", error);
		return 1;
	}
	if (pcap_datalink(pcap) != DLT_EN10MB) {
		fprintf(stderr,
			"xrdma pcap: %s has link type %s: capture on one Ethernet interface\n",
			path, pcap_datalink_val_to_name(pcap_datalink(pcap)));
		pcap_close(pcap);
		return 1;
	}
	err = decode(pcap, json);
	if (err)
		fprintf(stderr, "xrdma pcap: %s: %s\n", path, pcap_geterr(pcap));
	pcap_close(pcap);
	return err ? 1 : 0;
}

int cmd_pcap(int argc, char **argv)
{
	bool json = false;
	int option;

	while ((option = getopt(argc, argv, "j")) != -1) {
		if (option != 'j')
			return EXIT_USAGE;
		json = true;
	}
	if (optind != argc - 1) {
		fprintf(stderr, "usage: xrdma pcap FILE [-j]\n");
		return EXIT_USAGE;
	}
	return open_and_decode(argv[optind], json);
}
