// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* xrdma pcap FILE [-j] [-s]: show how the datapath's parser reads a capture. */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <linux/if_ether.h>
#define PCAP_DONT_INCLUDE_PCAP_BPF_H
#include <pcap/dlt.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <string.h>

#include "capture.h"
#include "cmd.h"
#include "describe.h"
#include "json.h"
#include "segments.h"
#include "usage.h"
#include "summary.h"
#include "tunnel.h"

enum { IP_MAX = 65575 }; /* bytes of an IPv6 packet */

/* Options and results of the command. */
struct decoding {
	const char *path;
	bool json;
	struct summary *summary; /* NULL: none */
	unsigned int frames, printed;
	unsigned int closed; /* number of frames with tunnels that are not followed */
	char closed_by[64];  /* kind of the first of them */
};

/* Return the packet in a tunnel as an Ethernet frame of its own. */
static struct segments inner_of(const struct segments *outer, const struct tunnel *tunnel)
{
	static __u8 inner[ETH_HLEN + IP_MAX];
	size_t captured = outer->captured - tunnel->at;

	if (captured > IP_MAX)
		captured = IP_MAX;
	memcpy(inner + 2 * ETH_ALEN, &tunnel->ethertype, sizeof(tunnel->ethertype));
	memcpy(inner + ETH_HLEN, outer->bytes + tunnel->at, captured);
	return (struct segments){
		.bytes = inner,
		.captured = ETH_HLEN + captured,
		.len = ETH_HLEN + outer->len - tunnel->at,
	};
}

/* Parse the packet, and return whether it goes to RoCE's UDP port. */
static bool parse_bytes(struct packet *packet, const __u8 *bytes, size_t captured, size_t len)
{
	packet->captured = captured;
	packet->verdict = xrdma_frame_parse_cut(&packet->frame, bytes, captured, len, &packet->pkt);
	return packet->verdict != XRDMA_V_NOT_ROCE;
}

/*
 * Parse the frame WHOLE. If it contains a packet in a tunnel, WHOLE becomes a frame with this
 * packet. Returns whether there is a packet to RoCE's UDP port.
 */
static bool parse(struct decoding *decoding, struct packet *packet, struct segments *whole)
{
	static struct tunnel tunnel;

	packet->number = ++decoding->frames;
	packet->segment = 0;
	packet->via = "";
	if (!whole->captured) /* of an interface that is not Ethernet */
		return false;
	if (parse_bytes(packet, whole->bytes, whole->captured, whole->len))
		return true;
	switch (tunnel_follow(whole->bytes, whole->captured, &tunnel)) {
	case TUNNEL_ROCE:
		packet->via = tunnel.via;
		*whole = inner_of(whole, &tunnel);
		return parse_bytes(packet, whole->bytes, whole->captured, whole->len);
	case TUNNEL_CLOSED:
		if (!decoding->closed++)
			strcpy(decoding->closed_by, tunnel.via);
		break;
	case TUNNEL_NONE:
		break;
	}
	return false;
}

/* Print one JSON object at a time, so that captures of any size need little memory. */
static int add(struct decoding *decoding, const struct packet *packet)
{
	struct json_object *object = packet_describe(packet);

	if (decoding->json)
		json_print_element(object, decoding->printed++);
	else
		json_print_line(object);
	json_object_put(object);
	return decoding->summary ? summary_add(decoding->summary, packet) : 0;
}

/* Returns whether PACKET, which was parsed from WHOLE, is really several packets. */
static bool are_several(const struct packet *packet, struct segments *whole)
{
	const char *icrc = packet_icrc(packet);

	whole->ip_at = packet->pkt.ip_at;
	whole->ip_version = packet->pkt.ip_version;
	return packet->pkt.bth_at && !(icrc && !strcmp(icrc, "good")) && segments_find(whole);
}

static int add_each(struct decoding *decoding, struct packet *packet, const struct segments *whole)
{
	static __u8 frame[XRDMA_FRAME_MAX];
	size_t len, captured;
	int err = 0;

	while (!err && packet->segment < whole->count) {
		len = segments_cut(whole, packet->segment++, frame, sizeof(frame), &captured);
		parse_bytes(packet, frame, captured, len);
		err = add(decoding, packet);
	}
	return err;
}

static int decode_frame(struct decoding *decoding, const __u8 *bytes,
			const struct pcap_pkthdr *header)
{
	struct segments whole = {
		.bytes = bytes,
		.captured = header->caplen,
		.len = header->len,
	};
	static struct packet packet;

	if (!parse(decoding, &packet, &whole))
		return 0;
	return are_several(&packet, &whole) ? add_each(decoding, &packet, &whole)
					    : add(decoding, &packet);
}

static int decode_all(struct decoding *decoding, pcap_t *pcap)
{
	struct pcap_pkthdr *header;
	const u_char *bytes;
	int more, err = 0;

	while (!err && (more = pcap_next_ex(pcap, &header, &bytes)) == 1)
		err = decode_frame(decoding, bytes, header);
	if (!err && more != PCAP_ERROR_BREAK)
		err = -EIO;
	return err;
}

/*
 * Report packets that were left out, with the reason. This is an error only if no packet was found.
 */
static int report(const struct decoding *decoding)
{
	struct capture_others others = capture_others();

	if (decoding->closed)
		fprintf(stderr, "xrdma pcap: %u frames were not looked into, the first: %s\n",
			decoding->closed, decoding->closed_by);
	if (others.packets)
		fprintf(stderr,
			"xrdma pcap: %u packets of %u interfaces that are not Ethernet's were "
			"skipped\n",
			others.packets, others.interfaces);
	if (others.ethernet)
		return 0;
	fprintf(stderr, "xrdma pcap: %s: capture on one Ethernet interface\n", decoding->path);
	return 1;
}

static int decode(struct decoding *decoding, pcap_t *pcap)
{
	int err;

	if (decoding->json)
		printf(decoding->summary ? "{\"packets\":[" : "[");
	err = decode_all(decoding, pcap);
	if (decoding->json)
		printf(decoding->summary ? "],\n\"summary\":" : "]\n");
	if (decoding->summary)
		summary_print(decoding->summary, decoding->json);
	if (decoding->json && decoding->summary)
		puts("}");
	if (err)
		fprintf(stderr, "xrdma pcap: %s: %s\n", decoding->path,
			err == -EIO ? pcap_geterr(pcap) : strerror(-err));
	return report(decoding) || err;
}

static int open_and_decode(struct decoding *decoding)
{
	char error[PCAP_ERRBUF_SIZE];
	FILE *file = capture_open(decoding->path);
	pcap_t *pcap;
	int status = 1;

	if (!file) {
		fprintf(stderr, "xrdma pcap: %s: %s\n", decoding->path, strerror(errno));
		return 1;
	}
	pcap = pcap_fopen_offline(file, error);
	if (!pcap) {
		fprintf(stderr, "xrdma pcap: %s: %s\n", decoding->path, error);
		fclose(file);
		return 1;
	}
	if (pcap_datalink(pcap) == DLT_EN10MB)
		status = decode(decoding, pcap);
	else
		fprintf(stderr,
			"xrdma pcap: %s has link type %s: capture on one Ethernet interface\n",
			decoding->path, pcap_datalink_val_to_name(pcap_datalink(pcap)));
	pcap_close(pcap);
	return status;
}

int cmd_pcap(int argc, char **argv)
{
	struct decoding decoding = { 0 };
	bool summarize = false;
	int option, status;

	while ((option = getopt(argc, argv, "js")) != -1) {
		if (option != 'j' && option != 's')
			return usage_error(NULL);
		decoding.json |= option == 'j';
		summarize |= option == 's';
	}
	if (optind != argc - 1)
		return usage_error(NULL);
	decoding.path = argv[optind];
	if (summarize && !(decoding.summary = summary_create())) {
		fprintf(stderr, "xrdma pcap: no memory\n");
		return 1;
	}
	status = open_and_decode(&decoding);
	if (decoding.summary)
		summary_free(decoding.summary);
	return status;
}
