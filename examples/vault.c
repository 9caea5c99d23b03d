// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * vault DEVICE: keep blocks that the one peer writes, and that the vault cannot read. Change a bit
 * of the byte that the peer names, like a bad disk, and print the blocks.
 *
 * vault DEVICE HOST BYTE: write the input to the vault, encrypted and signed by an mkey. Let BYTE
 * be changed, read everything back, and print it. Status 3: a block was changed.
 */
#include <endian.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <xrdma/crypto.h>

#include "endpoint.h"
#include <xrdma/abi/context.h>

enum {
	BLOCK = 512,
	SIGNED = BLOCK + 8,
	BLOCKS = 20,
};

static void keep(const struct endpoint *e)
{
	const struct offer offer = endpoint_offer(e, BLOCKS * SIGNED);
	const struct xrdma_conn_attr attr = {
		.sz = sizeof(attr),
		.access = XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ,
		.private_data = &offer,
		.private_len = sizeof(offer),
	};
	int listener;
	__u32 byte;

	must(xrdma_conn_listen(NULL, PORT, &listener));
	must(xrdma_conn_accept(listener, e->qp, &attr, NULL));
	byte = endpoint_wait_number(e);
	if (byte < BLOCKS * SIGNED)
		e->memory[byte] ^= 1;
	endpoint_send_number(e, 0);
	endpoint_wait_number(e);
	fwrite(e->memory, SIGNED, BLOCKS, stdout);
}

/* Create a random key that only this process has. */
static struct xrdma_dek *create_key(const struct endpoint *e)
{
	struct xrdma_dek_init_attr attr = {
		.sz = sizeof(attr),
		.key_size = XRDMA_CRYPTO_KEY_SIZE_256,
	};
	struct xrdma_dek *dek;

	if (getrandom(attr.key, 64, 0) != 64)
		err(1, "getrandom");
	must(xrdma_dek_create(e->pd, &attr, &dek));
	explicit_bzero(attr.key, sizeof(attr.key));
	return dek;
}

static struct xrdma_mkey *create_mkey(const struct endpoint *e)
{
	const struct xrdma_mkey_init_attr attr = {
		.sz = sizeof(attr),
		.create_flags = XRDMA_MKEY_INIT_INDIRECT | XRDMA_MKEY_INIT_BLOCK_SIGNATURE |
				XRDMA_MKEY_INIT_CRYPTO,
		.max_entries = 1,
	};
	struct xrdma_mkey *mkey;

	must(xrdma_mkey_create(e->pd, &attr, &mkey));
	return mkey;
}

/*
 * Configure the mkey as BLOCKS blocks of memory. On the wire each block is followed by a field of
 * T10-DIF, and both are encrypted.
 */
static void configure(const struct endpoint *e, struct xrdma_mkey *mkey,
		      const struct xrdma_dek *dek)
{
	const struct xrdma_mkey_conf_attr attr = {
		.sz = sizeof(attr),
		.send_flags = XRDMA_SEND_INLINE | XRDMA_SEND_SIGNALED,
	};
	const struct xrdma_sig_t10dif dif = { .flags = XRDMA_SIG_T10DIF_FLAG_REF_REMAP };
	const struct xrdma_sig_block_domain wire = {
		.sig_type = XRDMA_SIG_TYPE_T10DIF,
		.sig.dif = &dif,
		.block_size = XRDMA_BLOCK_SIZE_512,
	};
	const struct xrdma_sig_block_attr sig = {
		.sz = sizeof(sig),
		.wire = &wire,
		.check_mask = XRDMA_SIG_MASK_T10DIF_GUARD | XRDMA_SIG_MASK_T10DIF_REFTAG,
	};
	const struct xrdma_crypto_attr crypto = {
		.sz = sizeof(crypto),
		.encrypt_on_tx = 1,
		.signature_crypto_order = XRDMA_SIGNATURE_BEFORE_CRYPTO_ON_TX,
		.data_unit_size = XRDMA_BLOCK_SIZE_520,
		.dek = dek,
	};
	const struct xrdma_sge blocks = endpoint_sge(e, 0, BLOCKS * BLOCK);

	xrdma_wr_start(e->qp);
	xrdma_wr_mkey_configure(e->qp, mkey, 4, &attr);
	xrdma_wr_set_mkey_access_flags(e->qp, XRDMA_ACCESS_LOCAL_WRITE);
	xrdma_wr_set_mkey_layout_list(e->qp, 1, &blocks);
	xrdma_wr_set_mkey_sig_block(e->qp, &sig);
	xrdma_wr_set_mkey_crypto(e->qp, &crypto);
	must(xrdma_wr_complete(e->qp));
	endpoint_done(e, "configuration");
}

/* WRITE or READ all blocks. */
static void transfer(const struct endpoint *e, const struct xrdma_mkey *mkey,
		     const struct offer *offer, enum xrdma_wr_opcode opcode)
{
	const struct xrdma_sge all = { 0, BLOCKS * SIGNED, xrdma_mkey_key(mkey) };
	const struct xrdma_send_wr wr = {
		.opcode = opcode,
		.flags = XRDMA_SEND_SIGNALED,
		.sg_list = &all,
		.num_sge = 1,
		.remote_addr = be64toh(offer->addr),
		.rkey = be32toh(offer->rkey),
	};

	endpoint_send(e->qp, &wr);
	endpoint_done(e, "transfer");
}

/* Check all signatures. Returns the program's exit status. */
static int check(struct xrdma_mkey *mkey)
{
	struct xrdma_mkey_err found;

	must(xrdma_mkey_check(mkey, &found));
	if (found.err_type == XRDMA_MKEY_NO_ERR)
		return 0;
	warnx("block %llu is not what it was", found.err.sig.offset / SIGNED);
	return 3;
}

static int use(const struct endpoint *e, const char *host, __u32 byte)
{
	struct xrdma_conn_peer peer = { .sz = sizeof(peer) };
	struct xrdma_mkey *mkey = create_mkey(e);
	struct xrdma_dek *dek = create_key(e);
	struct offer offer;
	int status;

	must(xrdma_conn_connect(host, PORT, e->qp, NULL, &peer));
	offer = endpoint_take_offer(&peer);
	configure(e, mkey, dek);
	transfer(e, mkey, &offer, XRDMA_WR_RDMA_WRITE);
	endpoint_send_number(e, byte);
	endpoint_wait_number(e);
	memset(e->memory, 0, BLOCKS * BLOCK);
	transfer(e, mkey, &offer, XRDMA_WR_RDMA_READ);
	status = check(mkey);
	fwrite(e->memory, BLOCK, BLOCKS, stdout);
	endpoint_send_last_number(e, 0);
	must(xrdma_dek_destroy(dek));
	must(xrdma_mkey_destroy(mkey));
	return status;
}

int main(int argc, char **argv)
{
	const unsigned int rights =
		XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE | XRDMA_ACCESS_REMOTE_READ;
	struct endpoint e;
	int status = 0;

	if (argc != 2 && argc != 4)
		errx(2, "usage: vault DEVICE [HOST BYTE]");
	endpoint_open(&e, argv[1], BLOCKS * SIGNED, argc == 2 ? rights : XRDMA_ACCESS_LOCAL_WRITE);
	endpoint_init(e.qp);
	endpoint_receive_numbers(&e);
	if (argc == 2) {
		keep(&e);
	} else {
		if (!fread(e.memory, 1, BLOCKS * BLOCK, stdin))
			errx(2, "no input");
		status = use(&e, argv[2], strtoul(argv[3], NULL, 10));
	}
	endpoint_close(&e);
	return status;
}
