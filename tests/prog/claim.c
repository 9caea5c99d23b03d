// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Claiming receives. A message that is refused leaves its receive to the next message. No two queue
 * pairs get the same receive of a queue that they share, on whatever CPUs their messages arrive.
 * ACCESSES in the environment is the number of messages for each of two CPUs.
 */
#include <bpf/bpf.h>
#include <err.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lib/order.h"
#include "queue/rq.h"
#include "support/case.h"
#include "support/pin.h"

static struct run run;
static struct target_result result;
static __u32 psn;

static void open_run(void)
{
	case_open(&run);
	case_set_send(&run);
	psn = CASE_PSN;
}

TestSuite(prog_claim, .once = target_load, .init = open_run, .in_one_process = true);

static enum xrdma_verdict send_packet(__u8 opcode, size_t len)
{
	run.packet.opcode = opcode;
	run.packet.psn = psn | XRDMA_BTH_ACKREQ;
	run.packet.payload_len = len;
	case_send(&run, &result);
	if (result.verdict == XRDMA_V_OK)
		psn = (psn + 1) & XRDMA_PSN_MASK;
	return result.verdict;
}

/*
 * Expect that completion NUMBER is for QPN, and for the receive at RECEIVE places after the first.
 */
static void expect_entry(__u32 number, __u32 qpn, __u32 receive)
{
	const struct xrdma_cqe_row *cqe =
		&run.target.cqes[CASE_CQES + ((CASE_ENTRY + number) & CASE_CQ_MASK)];

	expect_int(cqe->sequence, ==, CASE_ENTRY + number + 1);
	expect_int(cqe->qpn, ==, qpn);
	expect_int(cqe->rqe, ==, case_number(&run, CASE_RECEIVE + receive));
}

/* Returns the number of receives that were claimed since the start. */
static __u32 claims(void)
{
	return run.rq->xdp_index - CASE_RECEIVE;
}

/* Run CHECK with a queue pair's own receive queue, and with a shared one. */
static void for_both(void (*check)(void))
{
	check();
	open_run();
	case_share(&run);
	check();
}

/*
 * Two receives are posted. A message was refused. Expect that it gets the first receive when it is
 * sent again.
 */
static void expect_kept(__u8 opcode)
{
	expect_int(claims(), ==, !!run.rq->ring);
	expect_int(send_packet(opcode, 64), ==, XRDMA_V_OK);
	expect_entry(0, CASE_QPN, 0);
	expect_int(claims(), ==, 1);
	*case_sges(&run, CASE_RECEIVE + 1) = run.sges[0];
	expect_int(send_packet(opcode, 64), ==, XRDMA_V_OK);
	expect_entry(1, CASE_QPN, 1);
	expect_int(claims(), ==, 2);
	expect_int(send_packet(opcode, 64), ==, XRDMA_V_RNR);
}

/* Post a second receive. Send the message again and again, and expect VERDICT each time. */
static void refuse(enum xrdma_verdict verdict)
{
	run.rq->user_index++;
	for (int i = 0; i < 3; i++)
		expect_int(send_packet(XRDMA_RC_SEND_ONLY, 64), ==, verdict);
}

static void wait_for_room(void)
{
	run.cq->user_index -= CASE_CQ_MASK + 1;
	refuse(XRDMA_V_CQ_FULL);
	run.cq->user_index = CASE_ENTRY;
	expect_kept(XRDMA_RC_SEND_ONLY);
}

Test(prog_claim, kept_until_there_is_room_for_the_completion)
{
	for_both(wait_for_room);
}

static void wait_for_page(void)
{
	case_set_paged(&run, XRDMA_PAGE_ASK, XRDMA_PAGE_ASK);
	refuse(XRDMA_V_FAULT);
	run.mkey->offset = CASE_REGION_AT;
	expect_kept(XRDMA_RC_SEND_ONLY);
}

Test(prog_claim, kept_until_the_page_is_there)
{
	for_both(wait_for_page);
}

/* UC goes on after it has refused a message. */
static void refuse_one_of_uc(void)
{
	run.rq->user_index++;
	run.qp->transport = XRDMA_TRANSPORT_UC;
	expect_int(send_packet(XRDMA_UC_SEND_ONLY, 65), ==, XRDMA_V_RECV_LENGTH);
}

static void drop_then_send(void)
{
	refuse_one_of_uc();
	expect_kept(XRDMA_UC_SEND_ONLY);
}

Test(prog_claim, kept_when_uc_drops_the_message)
{
	for_both(drop_then_send);
}

static void drop_then_write(void)
{
	refuse_one_of_uc();
	run.mkey->rights |= XRDMA_ACCESS_REMOTE_WRITE;
	expect_kept(XRDMA_UC_WRITE_ONLY_IMM);
}

Test(prog_claim, kept_for_an_immediate)
{
	for_both(drop_then_write);
}

/* Open a second queue pair with the same receive queue. */
static void open_other(void)
{
	case_share(&run);
	run.sges[0].length = 1024 + 64;
	run.qp[1] = run.qp[0];
	*case_sges(&run, CASE_RECEIVE + 1) = run.sges[0];
}

static enum xrdma_verdict send_to_other(__u8 opcode, size_t len)
{
	const __u32 mine = psn;

	psn = CASE_PSN;
	run.packet.dest_qpn = CASE_QPN + 1;
	send_packet(opcode, len);
	run.packet.dest_qpn = CASE_QPN;
	psn = mine;
	return result.verdict;
}

/* A message that has claimed its receive first may complete last. */
Test(prog_claim, completes_out_of_order)
{
	run.rq->user_index++;
	open_other();
	expect_int(send_packet(XRDMA_RC_SEND_FIRST, 1024), ==, XRDMA_V_OK);
	expect_int(send_to_other(XRDMA_RC_SEND_ONLY, 64), ==, XRDMA_V_OK);
	expect_int(send_packet(XRDMA_RC_SEND_LAST, 64), ==, XRDMA_V_OK);
	expect_entry(0, CASE_QPN + 1, 1);
	expect_entry(1, CASE_QPN, 0);
}

Test(prog_claim, leaves_none_for_another)
{
	open_other();
	expect_int(send_packet(XRDMA_RC_SEND_FIRST, 1024), ==, XRDMA_V_OK);
	expect_int(send_to_other(XRDMA_RC_SEND_ONLY, 64), ==, XRDMA_V_RNR);
	expect_int(send_packet(XRDMA_RC_SEND_LAST, 64), ==, XRDMA_V_OK);
	expect_int(send_to_other(XRDMA_RC_SEND_ONLY, 64), ==, XRDMA_V_RNR);
}

enum { SENDERS = 2, RECEIVES = 64, ENTRIES = 128, FEW = 50000 };

/* Word of a message, which identifies it. */
struct word {
	__u32 qpn;
	__u32 psn;
};

struct sender {
	pthread_t thread;
	int cpu;
	struct xrdma_qp_row *qp;
	__u32 qpn;
	__u32 next; /* PSN of its next message */
	__u8 frame[PACKET_MAX];
};

static struct sender senders[SENDERS];
static struct xrdma_queues queues;
static struct xrdma_rq rq;
static int at_work; /* number of senders that run */

static __u64 accesses(void)
{
	const char *asked = getenv("ACCESSES");

	return asked ? strtoull(asked, NULL, 0) : FEW;
}

/*
 * Send all messages. If UC refuses a message, the expected PSN does not change, and the message is
 * sent again.
 */
static void *send_all(void *arg)
{
	struct sender *sender = arg;

	pin(sender->cpu);
	while (sender->qp->resp.psn != accesses()) {
		const struct word word = { sender->qpn, sender->qp->resp.psn };
		const struct packet packet = {
			.opcode = XRDMA_UC_SEND_ONLY,
			.dest_qpn = sender->qpn,
			.psn = word.psn,
			.payload = &word,
			.payload_len = sizeof(word),
		};
		LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = sender->frame,
			    .data_size_in = packet_build(&packet, sender->frame), .repeat = 1);

		if (bpf_prog_test_run_opts(target_program(&run.target), &opts))
			err(1, "test_run");
		if (sender->qp->resp.psn == word.psn)
			sched_yield();
	}
	__atomic_fetch_sub(&at_work, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* Post a receive for buffer NUMBER of the region. */
static void post(__u64 number)
{
	struct xrdma_sge sge = { CASE_BASE + number * 64, sizeof(struct word), CASE_KEY };
	const struct xrdma_recv_wr wr = { .wr_id = number, .sg_list = &sge, .num_sge = 1 };

	xrdma_rq_add(&rq, &wr, NULL);
	xrdma_rq_publish(&rq);
}

/* Open a receive queue that the library and XDP share, and that two queue pairs of UC use. */
static void open_shared(void)
{
	const struct xrdma_qp_init_attr init = { .max_recv_wr = RECEIVES, .max_recv_sge = 1 };
	struct xrdma_bounces none = STAILQ_HEAD_INITIALIZER(none);

	queues.rows = run.target.queues;
	queues.segments = run.target.sges;
	expect_int(xrdma_extents_init(&queues.segment_space,
				      TARGET_RECEIVE_ROWS * sizeof(struct xrdma_sge)),
		   ==, 0);
	expect_int(xrdma_rq_init(&rq, &queues, CASE_RQ, init.max_recv_wr, init.max_recv_sge, true),
		   ==, 0);
	xrdma_rq_start(&rq, &none);
	for (__u64 i = 0; i < RECEIVES; i++)
		post(i);
	run.cq->mask = ENTRIES - 1;
	run.cq->first = run.cq->user_index = run.cq->xdp_index = 0;
	run.qp->transport = XRDMA_TRANSPORT_UC;
	run.qp->resp.psn = 0;
	for (int i = 0; i < SENDERS; i++) {
		run.qp[i] = run.qp[0];
		senders[i] = (struct sender){ .cpu = i, .qp = &run.qp[i], .qpn = CASE_QPN + i };
	}
}

/*
 * Post the receive of CQE again. Returns whether it was posted, and whether its memory contained
 * the next message of the queue pair.
 */
static bool take(const struct xrdma_cqe_row *cqe)
{
	struct sender *sender = &senders[cqe->qpn - CASE_QPN];
	const struct word next = { cqe->qpn, sender->next };
	struct xrdma_receive receive;
	bool is_right;

	if (!xrdma_rq_complete(&rq, cqe->rqe, &receive))
		return false;
	is_right =
		!memcmp(&next, run.target.heap + CASE_REGION_AT + receive.wr_id * 64, sizeof(next));
	sender->next = (sender->next + 1) & XRDMA_PSN_MASK;
	post(receive.wr_id);
	return is_right;
}

/* Take completions until all messages are sent. Returns their number. */
static __u64 take_all(__u64 *wrong)
{
	const struct xrdma_cqe_row *cqe;
	__u64 count = 0;
	bool last;

	*wrong = 0;
	do {
		last = !__atomic_load_n(&at_work, __ATOMIC_ACQUIRE);
		while (true) {
			cqe = &run.target.cqes[count & (ENTRIES - 1)];
			if (XRDMA_OBSERVE(cqe->sequence) != (__u32)count + 1)
				break;
			*wrong += !take(cqe);
			XRDMA_PUBLISH(run.cq->user_index, (__u32)++count);
		}
	} while (!last);
	return count;
}

Test(prog_claim, two_cpus_share_a_queue)
{
	struct xrdma_counters counters;
	__u64 count, wrong;

	open_shared();
	at_work = SENDERS;
	for (int i = 0; i < SENDERS; i++)
		expect_int(pthread_create(&senders[i].thread, NULL, send_all, &senders[i]), ==, 0);
	count = take_all(&wrong);
	for (int i = 0; i < SENDERS; i++)
		pthread_join(senders[i].thread, NULL);
	target_counters(&run.target, &counters);
	printf("%llu messages were received. Refused: %llu RNR, %llu CQ_FULL, %llu BUSY\n", count,
	       counters.verdicts.RNR, counters.verdicts.CQ_FULL, counters.verdicts.BUSY);
	expect_int(wrong, ==, 0);
	expect_int(count, ==, counters.verdicts.OK);
	for (int i = 0; i < SENDERS; i++)
		expect_int(senders[i].next, ==, accesses());
	expect_int(run.rq->xdp_index - (__u32)count, ==,
		   !!run.qp[0].resp.claim + !!run.qp[1].resp.claim);
	xrdma_rq_exit(&rq, &queues);
	xrdma_extents_exit(&queues.segment_space);
}
