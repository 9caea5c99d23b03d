// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Accesses by a key race with the beginning and end of its validity, for a bound window and for a
 * region. The XDP program executes WRITEs on one CPU, and the library runs on another. ACCESSES in
 * the environment is the number of WRITEs.
 */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <err.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "key/key.h"
#include "key/mw.h"
#include "key/user_keys.h"
#include "lib/order.h"
#include "support/pin.h"
#include "support/target.h"
#include "support/test.h"

enum { ROW = 5, QPN = ROW, PD = 3, REGION = 0x0700, BYTES = 4096, FEW = 200000 };
#define BASE 0x7f0000000000ULL

static struct target t;
static struct xrdma_keys keys;
static struct xrdma_context context = { .keys = &keys };
static struct xrdma_pd pd = { .context = &context, .number = PD };
static struct xrdma_mw_list windows;
static struct {
	__u32 key;    /* current key; it may not be valid yet, or not any more */
	__u32 before; /* key before it */
	__u64 accesses;
	int done;
} shared;

/* Word that an access writes. */
struct word {
	_Alignas(8) __u32 key;
	__u32 number;
};

static struct word word_now(void)
{
	union {
		__u64 both;
		struct word word;
	} now = { .both = XRDMA_READ(*(const __u64 *)t.heap) };

	return now.word;
}

static bool is_same(struct word a, struct word b)
{
	return a.key == b.key && a.number == b.number;
}

static __u64 accesses(void)
{
	const char *asked = getenv("ACCESSES");

	return asked ? strtoull(asked, NULL, 0) : FEW;
}

/*
 * Open a queue pair of UC, which does not stop when it refuses a packet. Row 7 is a region, and all
 * others are free.
 */
static void open_all(void)
{
	const struct xrdma_context_attr attr = {
		.mkeys = TARGET_ROWS,
		.layouts = XRDMA_LAYOUT_ROW,
		.cntrs = 1,
		.raw_keys = 1,
	};

	target_open(&t, 0);
	t.qps[ROW] = (struct xrdma_qp_row){
		.state = XRDMA_QPS_RTR,
		.transport = XRDMA_TRANSPORT_UC,
		.access = XRDMA_ACCESS_REMOTE_WRITE,
		.mtu = 1024,
		.pkey = 0xffff,
		.pd = PD,
	};
	inet_pton(AF_INET6, "::ffff:10.66.0.3", t.qps[ROW].peer_addr);
	inet_pton(AF_INET6, "::ffff:10.66.0.2", t.qps[ROW].addr);
	t.mkeys[REGION >> XRDMA_KEY_INDEX_SHIFT] = (struct xrdma_mkey_row){
		.key = REGION,
		.kind = XRDMA_MKEY_KIND_MR,
		.state = XRDMA_MKEY_STATE_VALID,
		.rights = XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_MW_BIND,
		.pd = PD,
		.base = BASE,
		.len = BYTES,
	};
	context.slots = t.slots;
	context.tables = t.tables;
	expect_int(xrdma_process_init(&context.process), ==, 0);
	expect_int(xrdma_keys_init(&keys, &context, &attr), ==, 0);
	xrdma_rows_exit(&keys.free); /* make the rows below 8 unavailable */
	expect_int(xrdma_rows_init(&keys.free, 8, TARGET_ROWS), ==, 0);
}

static void close_all(void)
{
	xrdma_keys_exit(&keys);
	xrdma_process_exit(&context.process);
}

TestSuite(prog_race, .once = target_load, .in_one_process = true, .init = open_all,
	  .fini = close_all);

/*
 * Execute WRITE number NUMBER, whose word contains the number and its key. Sometimes the previous
 * key is used.
 */
static void access_once(__u32 number)
{
	static __u8 frame[PACKET_MAX];
	const struct word word = {
		.key = XRDMA_READ(*(number % 8 ? &shared.key : &shared.before)),
		.number = number,
	};
	const struct packet packet = {
		.opcode = XRDMA_UC_WRITE_ONLY,
		.dest_qpn = QPN,
		.psn = t.qps[ROW].resp.psn,
		.va = BASE,
		.key = word.key,
		.length = sizeof(word),
		.payload = &word,
		.payload_len = sizeof(word),
	};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame,
		    .data_size_in = packet_build(&packet, frame), .repeat = 1);

	if (bpf_prog_test_run_opts(target_program(&t), &opts))
		err(1, "test_run");
}

static void *access_all(void *arg)
{
	pin(1);
	for (__u64 i = 1; i <= accesses(); i++) {
		access_once(i);
		XRDMA_WRITE(shared.accesses, i);
	}
	__atomic_store_n(&shared.done, 1, __ATOMIC_RELEASE);
	return arg;
}

static void pass_time(int turns)
{
	for (volatile int i = 0; i < turns; i++)
		;
}

/* Wait until some accesses were made, however long one takes. */
static void wait_for_accesses(void)
{
	const __u64 some = XRDMA_READ(shared.accesses) + 3;

	while (XRDMA_READ(shared.accesses) < some &&
	       !__atomic_load_n(&shared.done, __ATOMIC_ACQUIRE))
		;
}

/* Owner of a key for some time: a window that is bound, or a region. */
struct loan {
	struct xrdma_mw *mw; /* NULL: a region */
	struct xrdma_mkey_row *row;
};

static void begin(struct loan *loan)
{
	const struct xrdma_bind bind = {
		.addr = BASE,
		.length = sizeof(__u64),
		.region = REGION,
		.window = loan->mw->number,
		.access = XRDMA_ACCESS_REMOTE_WRITE,
	};
	const __u32 key = xrdma_inc_rkey(shared.key);

	XRDMA_WRITE(shared.before, shared.key);
	XRDMA_WRITE(shared.key, key);
	expect_int(xrdma_mw_execute(&pd, QPN, &windows, &bind, key), ==, XRDMA_V_OK);
}

static void begin_region(struct loan *loan)
{
	struct xrdma_mkey_row row = {
		.kind = XRDMA_MKEY_KIND_MR,
		.state = XRDMA_MKEY_STATE_VALID,
		.rights = XRDMA_ACCESS_LOCAL_WRITE | XRDMA_ACCESS_REMOTE_WRITE,
		.pd = PD,
		.base = BASE,
		.len = sizeof(__u64),
	};

	XRDMA_WRITE(shared.before, shared.key);
	expect_int(xrdma_key_publish(&keys, &row, &loan->row), ==, 0);
	XRDMA_WRITE(shared.key, row.key);
}

/*
 * Make a key valid for some time. Returns whether the word was written under another key, or after
 * the key became invalid.
 */
static bool lend_once(struct loan *loan)
{
	const struct word first = word_now();
	struct word last;

	loan->mw ? begin(loan) : begin_region(loan);
	if (!(random() % 64))
		wait_for_accesses();
	pass_time(random() % 8000);
	if (loan->mw)
		expect_int(xrdma_key_invalidate(&pd, QPN, shared.key), ==, XRDMA_V_OK);
	else
		xrdma_key_revoke(&keys, loan->row);
	last = word_now();
	pass_time(random() % 2000);
	return !is_same(word_now(), last) || (last.key != shared.key && !is_same(last, first));
}

/*
 * Run until all accesses are made. Each refused access must have verdict STATE, because its key was
 * not valid, or a verdict for an old key.
 */
static void race(struct loan *loan)
{
	struct xrdma_counters counters;
	__u64 lent = 0, late = 0, refused;
	pthread_t thread;

	shared.done = shared.accesses = 0;
	pin(0);
	expect_int(pthread_create(&thread, NULL, access_all, NULL), ==, 0);
	for (; !__atomic_load_n(&shared.done, __ATOMIC_ACQUIRE); lent++)
		late += lend_once(loan);
	pthread_join(thread, NULL);
	target_counters(&t, &counters);
	printf("%llu accesses, %llu accepted, lent %llu times, %llu writes too late\n", accesses(),
	       counters.verdicts.OK, lent, late);
	expect_int(late, ==, 0);
	refused = counters.verdicts.KEY + counters.verdicts.KEY_STATE;
	expect_int(counters.verdicts.OK, >, accesses() / 10000);
	expect_int(counters.verdicts.KEY_STATE, >, accesses() / 10000);
	expect_int(counters.verdicts.OK + refused, ==, accesses());
}

/* IBA 10.6.5: when invalidating a key is complete, no access under it is accepted. */
Test(prog_race, no_access_after_the_end)
{
	struct loan loan = { 0 };

	expect_int(xrdma_mw_alloc(&pd, XRDMA_MW_TYPE_2B, &loan.mw), ==, 0);
	shared.key = shared.before = xrdma_mw_key(loan.mw);
	race(&loan);
	expect_int(xrdma_mw_dealloc(loan.mw), ==, 0);
}

/*
 * No WRITE changes memory after its region was closed. Others may have the row and the bytes then.
 */
Test(prog_race, no_access_after_the_close)
{
	struct loan loan = { 0 };

	race(&loan);
}
