/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Every case of every stage: X(name, verdict, set, bend). A verdict that no case reaches does not
 * compile.
 */
#ifndef XRDMA_TESTS_CASES_H
#define XRDMA_TESTS_CASES_H

#include "cases_forged.h"
#include "cases_layout.h"
#include "cases_left.h"
#include "cases_paged.h"
#include "cases_parts.h"
#include "cases_paused.h"
#include "cases_reply.h"
#include "support/case.h"

/* clang-format off */
#define PARSE_CASES(X)                                                \
	X(not_ip,                 NOT_ROCE,     NULL, bend_ethertype) \
	X(other_udp_port,         NOT_ROCE,     NULL, bend_udp_port)  \
	X(frame_cut_short,        TRUNCATED,    NULL, bend_cut)       \
	X(longer_than_any,        OVERSIZED,    set_huge, NULL)       \
	X(first_fragment,         FRAGMENT,     NULL, bend_fragment)  \
	X(ipv4_options,           IPV4_OPTIONS, NULL, bend_options)   \
	X(udp_length_of_another,  UDP_LENGTH,   NULL, bend_udp_length) \
	X(header_version,         BTH_VERSION,  set_version, NULL)    \
	X(shorter_than_headers,   SHORT,        NULL, bend_to_bth)    \
	X(another_address,        NOT_OURS,     set_addr_of_another, NULL) \
	X(mapped_in_ipv6,         NOT_ROCE,         set_ipv6_header, bend_mapped) \
	X(of_a_vlan,              VLAN,         set_of_vlan, NULL)    \
	X(of_a_vlan_inside,       VLAN,         set_of_vlan_inside, NULL) \
	X(to_another_host,        OTHER_MAC,    NULL, bend_mac)       \
	X(broadcast,              OTHER_MAC,    NULL, bend_broadcast) \
	X(multicast,              OTHER_MAC,    NULL, bend_multicast) \
	X(ip_checksum,            IPV4_CHECKSUM, NULL, bend_checksum) \
	X(ttl_of_another,         IPV4_CHECKSUM, NULL, bend_ttl)      \
	X(corrupt_payload,        ICRC,         NULL, bend_payload)   \
	X(corrupt_icrc,           ICRC,         NULL, bend_icrc)

#define STEER_CASES(X)                                                \
	X(slot_without_context,   CONTEXT,      set_free_slot, NULL)  \
	X(owner_dead,             CONTEXT,      set_dead, NULL)       \
	X(no_queue_pairs,         CONTEXT,      set_no_qps, NULL)     \
	X(row_beyond_table,       QPN,          set_far_row, NULL)    \
	X(row_in_reset,           QPN,          set_reset, NULL)      \
	X(init_does_not_receive,  QP_STATE,     set_init, NULL)       \
	X(err_does_not_receive,   QP_STATE,     set_err, NULL)        \
	X(stopped_by_an_error,    QP_STATE,     set_stopped, NULL)    \
	X(rtr_takes_no_response,  QP_STATE,     set_response_in_rtr, NULL) \
	X(opcode_of_uc,           TRANSPORT,    set_uc, NULL)         \
	X(from_another,           SOURCE,       set_peer_of_another, NULL) \
	X(to_another_of_ours,     SOURCE,       set_ipv6, NULL)       \
	X(other_partition,        PKEY,         set_pkey, NULL)       \
	X(both_limited_members,   PKEY,         set_limited, bend_limited) \
	X(left_without_context,   CONTEXT,      set_shared_slot, NULL) \
	X(left_without_qp,        QPN,          set_shared_reset, NULL) \
	X(shared_but_ours,        PKEY,         set_shared_pkey, NULL) \
	X(never_released,         BUSY,         set_busy, NULL)       \
	X(looked_at_once_taken,   BUSY,         set_busy_and_stopped, NULL)

#define CHECK_CASES(X)                                                \
	X(psn_ahead,              PSN_AHEAD,    set_psn_ahead, NULL)  \
	X(psn_ahead_wrapped,      PSN_AHEAD,    set_psn_wrapped, NULL) \
	X(psn_ahead_again,        PSN_WAITING,  set_psn_waiting, NULL) \
	X(psn_before,             DUPLICATE,    set_psn_before, NULL) \
	X(duplicate_unasked,      DUPLICATE,    set_duplicate_unasked, NULL) \
	X(uc_write,               OK,           set_uc_write, NULL)   \
	X(uc_psn_ahead,           PSN_AHEAD,    set_uc_ahead, NULL)   \
	X(uc_psn_before,          DUPLICATE,    set_uc_before, NULL)  \
	X(uc_key,                 KEY,          set_uc_key, NULL)     \
	X(ud_send,                OPCODE,       set_ud_send, NULL)    \
	X(ud_other_peer,          OPCODE,       set_ud_other_peer, NULL) \
	X(ud_psn_ahead,           OPCODE,       set_ud_ahead, NULL)   \
	X(unassigned_opcode,      OPCODE,       set_unassigned, NULL) \
	X(middle_without_first,   OPCODE_ORDER, set_middle, NULL)     \
	X(first_in_a_message,     OPCODE_ORDER, set_under_way, NULL)  \
	X(only_longer_than_mtu,   LENGTH,       set_over_mtu, NULL)   \
	X(only_unlike_reth,       LENGTH,       set_reth_length, NULL) \
	X(first_not_mtu,          LENGTH,       set_short_first, NULL) \
	X(last_too_long,          LENGTH,       set_long_last, NULL)  \
	X(last_too_short,         LENGTH,       set_short_last, NULL) \
	X(message_too_long,       LENGTH,       set_over_message, NULL) \
	X(first_is_the_last,      LENGTH,       set_first_alone, NULL) \
	X(first_with_pad,         PAD,          NULL, bend_pad)       \
	X(writes_not_allowed,     QP_ACCESS,    set_no_access, NULL)  \
	X(no_key_table,           KEY,          set_no_mkeys, NULL)   \
	X(free_row,               KEY,          set_free_key, NULL)   \
	X(other_key_byte,         KEY,          set_key_byte, NULL)   \
	X(other_index_tag,        KEY,          set_key_tag, NULL)    \
	X(invalidated,            KEY_STATE,    set_invalid, NULL)    \
	X(kind_not_served,        KEY_STATE,    set_kind, NULL)       \
	X(window_1,               OK,           set_window_1, NULL)   \
	X(window_2a,              OK,           set_window_2a, NULL)  \
	X(window_2b,              OK,           set_window_2b, NULL)  \
	X(window_2a_of_another,   KEY_QP,       set_window_2a_bound, NULL) \
	X(window_2b_of_another,   KEY_QP,       set_window_2b_bound, NULL) \
	X(window_2b_of_other_pd,  KEY_PD,       set_window_2b_pd, NULL) \
	X(window_free,            KEY_STATE,    set_window_free, NULL) \
	X(window_with_old_key,    KEY,          set_window_old_key, NULL) \
	X(window_ends_before,     KEY_RANGE,    set_window_short, NULL) \
	X(window_begins_later,    KEY_RANGE,    set_window_late, NULL) \
	X(other_pd,               KEY_PD,       set_pd, NULL)         \
	X(bound_to_another,       KEY_QP,       set_bound, NULL)      \
	X(read_only,              KEY_RIGHTS,   set_read_only, NULL)  \
	X(before_the_region,      KEY_RANGE,    set_before, NULL)     \
	X(one_byte_beyond,        KEY_RANGE,    set_beyond, NULL)     \
	X(far_beyond,             KEY_RANGE,    set_far_beyond, NULL) \
	X(address_wraps,          KEY_RANGE,    set_wrap, NULL)       \
	X(whole_message_counts,   KEY_RANGE,    set_first_beyond, NULL) \
	X(ack_of_the_oldest,      ACKED,        set_ack_oldest, NULL) \
	X(ack_of_the_newest,      ACKED,        set_ack_newest, NULL) \
	X(nak_psn_sequence,       NAKED,        set_nak, NULL)        \
	X(nak_of_the_last_code,   NAKED,        set_nak_operation, NULL) \
	X(nak_rnr,                NAKED,        set_rnr_nak, NULL)    \
	X(acked_before,           ACK_OLD,      set_ack_old, NULL)    \
	X(never_sent,             ACK_UNSENT,   set_ack_unsent, NULL) \
	X(reserved_nak_code,      SYNDROME,     set_nak_reserved, NULL) \
	X(reserved_syndrome,      SYNDROME,     set_syndrome_reserved, NULL) \
	X(atomic_result_unasked,  RESPONSE,     set_atomic_ack, NULL) \
	X(ack_with_payload,       RESPONSE_LENGTH, set_ack_payload, NULL)

#define RECEIVE_CASES(X)                                              \
	X(send_64,                OK,           case_set_send, NULL)  \
	X(send_with_immediate,    OK,           set_send_imm, NULL)   \
	X(send_nothing,           OK,           set_send_nothing, NULL) \
	X(send_shorter,           OK,           set_send_shorter, NULL) \
	X(send_first,             OK,           set_send_first, NULL) \
	X(send_middle,            OK,           set_send_middle, NULL) \
	X(send_last,              OK,           set_send_last, NULL)  \
	X(send_last_immediate,    OK,           set_send_last_imm, NULL) \
	X(send_needs_no_access,   OK,           set_send_no_access, NULL) \
	X(send_into_two_ranges,   OK,           set_two_ranges, NULL) \
	X(send_last_invalidate,   OK,           set_send_last_inv, NULL) \
	X(write_with_immediate,   OK,           set_write_imm, NULL)  \
	X(write_nothing_imm,      OK,           set_write_imm_nothing, NULL) \
	X(write_last_immediate,   OK,           set_write_last_imm, NULL) \
	X(last_entry_of_queue,    OK,           set_one_entry_left, NULL) \
	X(nothing_posted,         RNR,          set_nothing_posted, NULL) \
	X(no_receive_queue,       RNR,          set_no_rq, NULL)      \
	X(no_queues,              RNR,          set_no_queues, NULL)  \
	X(receive_queue_is_a_cq,  RNR,          set_rq_is_cq, NULL)   \
	X(completion_queue_is_an_rq, CQ_FULL,   set_cq_is_rq, NULL)   \
	X(nothing_for_immediate,  RNR,          set_nothing_for_imm, NULL) \
	X(nothing_before_key,     RNR,          set_nothing_before_key, NULL) \
	X(immediate_unknown_key,  KEY,          set_imm_unknown_key, NULL) \
	X(send_out_of_order,      OPCODE_ORDER, set_send_alone, NULL) \
	X(send_after_write,       OPCODE_ORDER, set_send_after_write, NULL) \
	X(send_over_mtu,          LENGTH,       set_send_over_mtu, NULL) \
	X(send_over_2_GiB,        LENGTH,       set_send_over_message, NULL) \
	X(longer_than_receive,    RECV_LENGTH,  set_too_long, NULL)   \
	X(longer_than_two,        RECV_LENGTH,  set_too_long_for_two, NULL) \
	X(last_longer_than_rest,  RECV_LENGTH,  set_last_too_long, NULL) \
	X(receive_of_nothing,     RECV_LENGTH,  set_no_sges, NULL)    \
	X(receive_beyond_table,   RECV_LENGTH,  set_far_sges, NULL)   \
	X(no_receives_table,      RECV_LENGTH,  set_no_sge_table, NULL) \
	X(shared_queue,           OK,           set_shared, NULL)     \
	X(shared_queue_first,     OK,           set_shared_first, NULL) \
	X(shared_queue_last,      OK,           set_shared_last, NULL) \
	X(shared_queue_too_long,  RECV_LENGTH,  set_shared_too_long, NULL) \
	X(ring_beyond_table,      RNR,          set_far_ring, NULL)   \
	X(number_beyond_queue,    OK,           set_far_number, NULL) \
	X(receive_key_unknown,    RECV_KEY,     set_recv_key, NULL)   \
	X(receive_key_gone,       RECV_KEY,     set_recv_key_gone, NULL) \
	X(receive_not_writable,   RECV_KEY,     set_recv_rights, NULL) \
	X(receive_of_another_pd,  RECV_KEY,     set_recv_pd, NULL)    \
	X(receive_of_another_qp,  RECV_KEY,     set_recv_bound, NULL) \
	X(receive_before_region,  RECV_KEY,     set_recv_before, NULL) \
	X(receive_beyond_region,  RECV_KEY,     set_recv_beyond, NULL) \
	X(second_key_unknown,     RECV_KEY,     set_second_key, NULL) \
	X(second_range_nowhere,   RECV_KEY,     set_second_nowhere, NULL) \
	X(receive_beyond_heap,    RECV_KEY,     set_recv_nowhere, NULL) \
	X(receive_asked,          FAULT,        set_recv_asked, NULL) \
	X(receive_unbacked,       RECV_KEY,     set_recv_unbacked, NULL) \
	X(completions_full,       CQ_FULL,      set_cq_full, NULL)    \
	X(completions_full_imm,   CQ_FULL,      set_cq_full_imm, NULL) \
	X(no_completion_queue,    CQ_FULL,      set_no_cq, NULL)      \
	X(entries_beyond_table,   CQ_FULL,      set_far_cqes, NULL)   \
	X(no_entries_table,       CQ_FULL,      set_no_cqes, NULL)    \
	X(duplicate_send,         DUPLICATE,    set_duplicate_send, NULL)

#define INVALIDATE_CASES(X)                                           \
	X(send_with_invalidate,   OK,           set_send_inv, NULL)   \
	X(invalidate_again,       OK,           set_inv_free, NULL)   \
	X(invalidate_bound_key,   OK,           set_inv_window, NULL) \
	X(invalidate_free_window, OK,           set_inv_free_window, NULL) \
	X(invalidate_invalid,     INVALIDATE,   set_inv_invalid, NULL) \
	X(invalidate_unbacked,    INVALIDATE,   set_inv_unbacked, NULL) \
	X(invalidate_no_right,    INVALIDATE,   set_inv_rights, NULL) \
	X(invalidate_other_pd,    INVALIDATE,   set_inv_pd, NULL)     \
	X(invalidate_other_qp,    INVALIDATE,   set_inv_bound, NULL)  \
	X(invalidate_unknown,     INVALIDATE,   set_inv_unknown, NULL) \
	X(invalidate_no_keys,     INVALIDATE,   set_inv_no_mkeys, NULL) \
	X(invalidate_unreceived,  RECV_KEY,     set_inv_nowhere, NULL) \
	X(invalidate_cq_full,     CQ_FULL,      set_inv_cq_full, NULL) \
	X(invalidate_duplicate,   DUPLICATE,    set_duplicate_inv, NULL)

#define PLACE_CASES(X)                                                \
	X(no_heap,                HEAP,         set_no_heap, NULL)    \
	X(first_element_missing,  HEAP,         set_offset_beyond, NULL) \
	X(second_element_missing, HEAP,         set_offset_last, NULL) \
	X(offset_beyond_32_bits,  HEAP,         set_offset_huge, NULL) \
	X(heap_of_next_slot,      HEAP,         set_offset_of_next, NULL) \
	PAGED_CASES(X)                                                \
	X(write_64,               OK,           NULL, NULL)           \
	X(write_unasked,          OK,           set_unasked, NULL)    \
	X(write_nothing,          OK,           set_nothing, NULL)    \
	X(nothing_needs_no_heap,  OK,           set_nothing_nowhere, NULL) \
	X(write_last_of_element,  OK,           set_up_to_end, NULL)  \
	X(write_word_in_two,      OK,           set_word_in_two, NULL) \
	X(write_last_word,        OK,           set_last_word, NULL)  \
	X(write_a_page_from_end,  OK,           set_page_from_end, NULL) \
	X(write_across_elements,  OK,           set_across, NULL)     \
	X(write_last_of_region,   OK,           set_last_bytes, NULL) \
	X(write_for_bound_qp,     OK,           set_bound_here, NULL) \
	X(first_of_2_GiB,         OK,           set_longest, NULL)    \
	X(limited_member,         OK,           set_limited, NULL)    \
	X(write_in_rtr,           OK,           set_rtr, NULL)

#define READ_CASES(X)                                                 \
	X(read_64,                OK,           case_set_read, NULL)  \
	X(read_unasked,           OK,           set_read_unasked, NULL) \
	X(read_61,                OK,           set_read_61, NULL)    \
	X(read_nothing,           OK,           set_read_nothing, NULL) \
	X(read_mtu,               OK,           set_read_mtu, NULL)   \
	X(read_across_elements,   OK,           set_read_across, NULL) \
	X(read_up_to_element_end, OK,           set_read_up_to_end, NULL) \
	X(read_over_ipv6_vlans,   OK,           set_read_ipv6, NULL)  \
	X(read_with_trailer,      OK,           case_set_read, bend_read_trailer) \
	X(read_in_two_buffers,    OK,           set_read_in_two, bend_read_trailer) \
	X(read_in_rtr,            OK,           set_read_rtr, NULL)   \
	X(read_again,             DUPLICATE,    set_read_again, NULL) \
	X(read_again_in_message,  DUPLICATE,    set_read_again_in_message, NULL) \
	X(read_again_a_part,      DUPLICATE,    set_read_again_part, NULL) \
	X(read_again_16th,        DUPLICATE,    set_read_again_16th, NULL) \
	X(read_17th,              OK,           set_read_17th, NULL)  \
	X(read_never_made,        NOT_KEPT,     set_read_never_made, NULL) \
	X(read_not_kept,          NOT_KEPT,     set_read_not_kept, NULL) \
	X(read_again_other_key,   NOT_KEPT,     set_read_again_other_key, NULL) \
	X(read_again_before,      NOT_KEPT,     set_read_again_before, NULL) \
	X(read_again_beyond,      NOT_KEPT,     set_read_again_beyond, NULL) \
	X(read_again_was_atomic,  NOT_KEPT,     set_read_again_was_atomic, NULL) \
	X(read_again_was_write,   NOT_KEPT,     set_read_again_was_write, NULL) \
	X(read_again_key_gone,    GONE,         set_read_again_gone, NULL) \
	X(read_again_asked,       FAULT,        set_read_again_asked, NULL) \
	X(read_ahead,             PSN_AHEAD,    set_read_ahead, NULL) \
	X(read_in_a_message,      OPCODE_ORDER, set_read_in_message, NULL) \
	X(read_over_2_GiB,        LENGTH,       set_read_over_message, NULL) \
	X(read_with_payload,      LENGTH,       set_read_payload, NULL) \
	X(reads_not_allowed,      QP_ACCESS,    set_read_no_access, NULL) \
	X(no_read_resources,      RD_ATOMIC,    set_read_no_resources, NULL) \
	X(read_unknown_key,       KEY,          set_read_key, NULL)   \
	X(read_invalid_key,       KEY_STATE,    set_read_key_state, NULL) \
	X(read_other_pd,          KEY_PD,       set_read_pd, NULL)    \
	X(read_other_qp,          KEY_QP,       set_read_bound, NULL) \
	X(read_not_readable,      KEY_RIGHTS,   set_read_rights, NULL) \
	X(read_one_byte_beyond,   KEY_RANGE,    set_read_beyond, NULL) \
	X(read_beyond_heap,       HEAP,         set_read_nowhere, NULL) \
	X(read_in_two_no_room,    DEFERRED,     set_read_in_two, NULL) \
	X(read_headers_in_two,    ROOM,         set_read_headers_in_two, bend_read_trailer)

#define ATOMIC_CASES(X)                                               \
	X(fetch_add,              OK,           case_set_fetch_add, NULL) \
	X(fetch_add_wraps,        OK,           set_add_wraps, NULL)  \
	X(cmp_swap,               OK,           case_set_cmp_swap, NULL) \
	X(cmp_swap_differs,       OK,           set_swap_differs, NULL) \
	X(atomic_unasked,         OK,           set_atomic_unasked, NULL) \
	X(atomic_last_of_element, OK,           set_atomic_last, NULL) \
	X(atomic_over_ipv6_vlans, OK,           set_atomic_ipv6, NULL) \
	X(atomic_with_trailer,    OK,           case_set_fetch_add, bend_atomic_trailer) \
	X(atomic_in_two_buffers,  OK,           set_atomic_in_two, NULL) \
	X(atomic_in_rtr,          OK,           set_atomic_rtr, NULL) \
	X(atomic_17th_result,     OK,           set_atomic_17th, NULL) \
	X(atomic_32nd_result,     OK,           set_atomic_32nd, NULL) \
	X(atomic_again,           DUPLICATE,    set_atomic_again, NULL) \
	X(atomic_again_16th,      DUPLICATE,    set_atomic_again_16th, NULL) \
	X(atomic_again_key_gone,  DUPLICATE,    set_atomic_again_key_gone, NULL) \
	X(atomic_again_in_message, DUPLICATE,   set_atomic_again_in_message, NULL) \
	X(atomic_not_kept,        NOT_KEPT,     set_atomic_not_kept, NULL) \
	X(atomic_none_kept,       NOT_KEPT,     set_atomic_none_kept, NULL) \
	X(atomic_again_was_read,  NOT_KEPT,     set_atomic_again_was_read, NULL) \
	X(atomic_again_elsewhere, NOT_KEPT,     set_atomic_again_elsewhere, NULL) \
	X(atomic_again_other_key, NOT_KEPT,     set_atomic_again_other_key, NULL) \
	X(atomic_ahead,           PSN_AHEAD,    set_atomic_ahead, NULL) \
	X(atomic_in_a_message,    OPCODE_ORDER, set_atomic_in_message, NULL) \
	X(atomic_with_payload,    LENGTH,       set_atomic_payload, NULL) \
	X(atomic_with_pad,        PAD,          set_atomic_pad, NULL) \
	X(atomics_not_allowed,    QP_ACCESS,    set_atomic_no_access, NULL) \
	X(no_atomic_resources,    RD_ATOMIC,    set_atomic_no_resources, NULL) \
	X(atomic_misaligned,      MISALIGNED,   set_atomic_misaligned, NULL) \
	X(atomic_misaligned_by_4, MISALIGNED,   set_atomic_misaligned_by_4, NULL) \
	X(memory_misaligned,      MISALIGNED,   set_memory_misaligned, NULL) \
	X(misaligned_unknown_key, MISALIGNED,   set_misaligned_unknown, NULL) \
	X(atomic_unknown_key,     KEY,          set_atomic_key, NULL) \
	X(atomic_invalid_key,     KEY_STATE,    set_atomic_key_state, NULL) \
	X(atomic_other_pd,        KEY_PD,       set_atomic_pd, NULL)  \
	X(atomic_other_qp,        KEY_QP,       set_atomic_bound, NULL) \
	X(atomic_no_right,        KEY_RIGHTS,   set_atomic_rights, NULL) \
	X(atomic_half_beyond,     KEY_RANGE,    set_atomic_beyond, NULL) \
	X(atomic_beyond_heap,     HEAP,         set_atomic_nowhere, NULL)

#define RESPONSE_CASES(X)                                              \
	X(response_64,            PLACED,       case_set_response, NULL) \
	X(response_nothing,       PLACED,       set_response_nothing, NULL) \
	X(response_mtu,           PLACED,       set_response_mtu, NULL) \
	X(response_over_ipv6,     PLACED,       set_response_ipv6, NULL) \
	X(response_into_ranges,   PLACED,       set_response_three_ranges, NULL) \
	X(response_after_a_loss,  PLACED,       set_response_after_loss, NULL) \
	X(response_to_no_read,    RESPONSE,     set_no_read, NULL)    \
	X(response_to_a_write,    RESPONSE,     set_response_to_write, NULL) \
	X(response_again,         ACK_OLD,      set_response_again, NULL) \
	X(response_not_sent_for,  ACK_UNSENT,   set_response_unsent, NULL) \
	X(response_of_the_next,   RESPONSE_AHEAD, set_response_ahead, NULL) \
	X(response_ahead_again,   RESPONSE_AHEAD, set_response_ahead_again, NULL) \
	X(ack_before_a_read,      ACKED,        set_ack_before_read, NULL) \
	X(ack_of_a_read,          RESPONSE_AHEAD, set_ack_of_read, NULL) \
	X(ack_beyond_a_read,      RESPONSE_AHEAD, set_ack_beyond_read, NULL) \
	X(nak_of_a_read,          NAKED,        set_nak_of_read, NULL) \
	X(nak_beyond_a_read,      RESPONSE_AHEAD, set_nak_beyond_read, NULL) \
	X(response_too_short,     RESPONSE_BAD, set_response_short, NULL) \
	X(response_too_long,      RESPONSE_BAD, set_response_long, NULL) \
	X(response_of_several,    RESPONSE_BAD, set_response_last, NULL) \
	X(response_with_nak,      RESPONSE_BAD, set_response_with_nak, NULL) \
	X(response_over_mtu,      RESPONSE_LENGTH, set_response_over_mtu, NULL) \
	X(response_key_gone,      RESPONSE_KEY, set_response_key_gone, NULL) \
	X(response_not_writable,  RESPONSE_KEY, set_response_read_only, NULL) \
	X(response_of_another_pd, RESPONSE_KEY, set_response_other_pd, NULL) \
	X(response_beyond_region, RESPONSE_KEY, set_response_beyond, NULL) \
	X(response_over_memory,   RESPONSE_KEY, set_response_little_memory, NULL) \
	X(response_no_memory,     RESPONSE_KEY, set_response_no_memory, NULL) \
	X(response_beyond_table,  RESPONSE_KEY, set_response_far_sges, NULL) \
	X(response_beyond_heap,   RESPONSE_KEY, set_response_nowhere, NULL) \
	X(response_asked,         RESPONSE_FAULT, set_response_asked, NULL) \
	X(result,                 PLACED,       case_set_result, NULL) \
	X(result_into_ranges,     PLACED,       set_result_three_ranges, NULL) \
	X(result_in_two_elements, PLACED,       set_result_across_elements, NULL) \
	X(result_over_ipv6,       PLACED,       set_result_ipv6, NULL) \
	X(result_again,           ACK_OLD,      set_result_again, NULL) \
	X(result_of_the_next,     RESPONSE_AHEAD, set_result_ahead, NULL) \
	X(ack_of_an_atomic,       RESPONSE_AHEAD, set_ack_of_atomic, NULL) \
	X(result_of_a_read,       RESPONSE_BAD, set_result_of_read, NULL) \
	X(response_of_an_atomic,  RESPONSE_BAD, set_response_of_atomic, NULL) \
	X(result_with_nak,        RESPONSE_BAD, set_result_with_nak, NULL) \
	X(result_of_16_bytes,     RESPONSE_BAD, set_result_of_16, NULL) \
	X(result_with_payload,    RESPONSE_LENGTH, set_result_with_payload, NULL) \
	X(result_key_gone,        RESPONSE_KEY, set_result_key_gone, NULL) \
	X(requester_stopped,      QP_STATE,     set_requester_stopped, NULL)

#define REQUESTED_CASES(X)                                            \
	X(requested,              OK,           set_requested, NULL)  \
	X(requested_zero,         OK,           set_zero, NULL)       \
	X(requested_ones,         OK,           set_ones, NULL)       \
	X(requested_read,         OK,           set_requested_read, NULL) \
	X(requested_read_again,   DUPLICATE,    set_requested_again, NULL) \
	X(requested_atomic,       OK,           set_requested_atomic, NULL) \
	X(row_before_requested,   OK,           set_provider_key, NULL) \
	X(requested_other,        KEY,          set_other, NULL)      \
	X(requested_of_other_domain, KEY,       set_of_other_domain, NULL) \
	X(requested_of_nobody,    KEY,          set_of_nobody, NULL)  \
	X(requested_to_itself,    KEY,          set_to_itself, NULL)  \
	X(requested_invalid,      KEY_STATE,    set_invalid, NULL)    \
	X(requested_not_looked_up, KEY,         set_not_looked_up, NULL) \
	X(requested_no_map,       KEY,          set_no_map, NULL)     \
	X(requested_is_no_lkey,   RECV_KEY,     set_local, NULL)

#define CNTR_CASES(X)                                         \
	X(cntr_first,             OK,           set_first, NULL) \
	X(cntr_none,              OK,           set_none, NULL)  \
	X(cntr_beyond,            OK,           set_beyond, NULL) \
	X(cntr_huge,              OK,           set_huge, NULL)  \
	X(cntr_huge_atomic,       OK,           set_huge_atomic, NULL) \
	X(cntr_unused,            OK,           set_unused, NULL) \
	X(cntr_no_table,          OK,           set_no_table, NULL)
/* clang-format on */

#define REACHED(name, verdict, set, bend) | (unsigned __int128)1 << XRDMA_V_##verdict
_Static_assert((0 PARSE_CASES(REACHED) STEER_CASES(REACHED) CHECK_CASES(REACHED)
			RECEIVE_CASES(REACHED) INVALIDATE_CASES(REACHED) PLACE_CASES(REACHED)
				READ_CASES(REACHED) LEFT_CASES(REACHED) ATOMIC_CASES(REACHED)
					FORGED_CASES(REACHED) RESPONSE_CASES(REACHED)
						LAYOUT_CASES(REACHED) REPLY_CASES(REACHED)
							PAUSED_CASES(REACHED)) ==
		       ((unsigned __int128)1 << XRDMA_VERDICT_COUNT) - 1,
	       "a verdict is not reached by any case");
#undef REACHED

/* Defines one test for each case of a stage. */
#define CASE_TEST(name, verdict, set, bend)               \
	Test(CASE_STAGE, name)                            \
	{                                                 \
		case_check(XRDMA_V_##verdict, set, bend); \
	}

#endif
