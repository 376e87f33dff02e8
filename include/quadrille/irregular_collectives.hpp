// SPDX-License-Identifier: BSD-3-Clause
// Collectives on typed memory whose blocks differ in length. The rules of collectives.hpp for buffers, in-place forms, i-forms and
// errors apply here, too.
//
//   alltoallv(ranks, input, send_counts, output, receive_counts);   // blocks are contiguous in both buffers
//   alltoallv(ranks, input, send_counts, send_displacements, output, receive_counts, receive_displacements);
//
// Counts and displacements are contiguous ranges of any integer type, with one value per rank, in elements. A buffer may be longer
// than its blocks.
//
// alltoallv, gatherv and scatterv: counts may change in every call, because no plan is made: a rank waits only for the ranks that
// send it something or get something from it, and an i-form waits for nobody. The first such call of a group is an exception: the
// ranks allocate memory together. In an alltoallv on several nodes a rank also waits for ranks of its node, as exchange.hpp
// says, because short blocks from one node to another may go in one message. If CallOptions names an algorithm, a policy or an
// executor, each call makes its plan anew, i-forms included, and no rank returns from it before all ranks have called. If counts
// stay the same, keep a plan instead: plan_alltoallv and so on (typed_plan.hpp).
//
// allgatherv and reduce_scatterv: all ranks give the same counts, so the plan of equal counts is found and kept as in the other
// collectives. Displacements do not matter for that, and ranks may give different ones.
//
// These plans use a simple algorithm (direct, or linear if there is a root) unless CallOptions names another, since choosing takes
// several times as long as making a plan. plan_allgatherv and so on choose.
//
// Errors: a wrong number of counts, a negative count, and a block that reaches beyond the end of its buffer are Error{misuse} at
// the rank that has them, before it sends anything. If two ranks disagree on the length of a block that one sends to the other, the
// receiver throws Error{misuse}, which names both ranks and both lengths; its other blocks are complete then, and all ranks may go
// on. Where a call makes a plan, all ranks throw, and in debug builds and with QUADRILLE_CHECK=1, too.
#pragma once

#include "quadrille/irregular_call.hpp"
#include "quadrille/typed_call.hpp"

namespace quadrille {

// send_counts[j] elements of the input go to rank j; receive_counts[i] of the output come from rank i.
void alltoallv(Group ranks, const InputRange auto& input, const CountRange auto& send_counts, OutputRange auto&& output,
               const CountRange auto& receive_counts, const CallOptions& options = {}) {
  execute_irregular(ranks, {call_on(Collective::alltoallv, input, output), BlockList(send_counts), BlockList(receive_counts)},
                    options);
}
Request ialltoallv(Group ranks, const InputRange auto& input, const CountRange auto& send_counts, OutputRange auto&& output,
                   const CountRange auto& receive_counts, const CallOptions& options = {}) {
  return start_irregular(ranks, {call_on(Collective::alltoallv, input, output), BlockList(send_counts), BlockList(receive_counts)},
                         options);
}
void alltoallv(Group ranks, const InputRange auto& input, const CountRange auto& send_counts,
               const CountRange auto& send_displacements, OutputRange auto&& output, const CountRange auto& receive_counts,
               const CountRange auto& receive_displacements, const CallOptions& options = {}) {
  execute_irregular(ranks,
                    {call_on(Collective::alltoallv, input, output), BlockList(send_counts, send_displacements),
                     BlockList(receive_counts, receive_displacements)},
                    options);
}
Request ialltoallv(Group ranks, const InputRange auto& input, const CountRange auto& send_counts,
                   const CountRange auto& send_displacements, OutputRange auto&& output, const CountRange auto& receive_counts,
                   const CountRange auto& receive_displacements, const CallOptions& options = {}) {
  return start_irregular(ranks,
                         {call_on(Collective::alltoallv, input, output), BlockList(send_counts, send_displacements),
                          BlockList(receive_counts, receive_displacements)},
                         options);
}

// In place: the block from rank i replaces the block sent to rank i, and has the same length.
void alltoallv_in_place(Group ranks, OutputRange auto&& buffer, const CountRange auto& counts, const CallOptions& options = {}) {
  execute_irregular(ranks, {call_on(Collective::alltoallv, buffer), {}, BlockList(counts)}, options);
}
Request ialltoallv_in_place(Group ranks, OutputRange auto&& buffer, const CountRange auto& counts,
                            const CallOptions& options = {}) {
  return start_irregular(ranks, {call_on(Collective::alltoallv, buffer), {}, BlockList(counts)}, options);
}
void alltoallv_in_place(Group ranks, OutputRange auto&& buffer, const CountRange auto& counts, const CountRange auto& displacements,
                        const CallOptions& options = {}) {
  execute_irregular(ranks, {call_on(Collective::alltoallv, buffer), {}, BlockList(counts, displacements)}, options);
}
Request ialltoallv_in_place(Group ranks, OutputRange auto&& buffer, const CountRange auto& counts,
                            const CountRange auto& displacements, const CallOptions& options = {}) {
  return start_irregular(ranks, {call_on(Collective::alltoallv, buffer), {}, BlockList(counts, displacements)}, options);
}

// Block i of the output is the whole input of rank i. All ranks give the same counts.
void allgatherv(Group ranks, const InputRange auto& input, OutputRange auto&& output, const CountRange auto& counts,
                const CallOptions& options = {}) {
  execute_irregular(ranks, {call_on(Collective::allgatherv, input, output), {}, BlockList(counts)}, options);
}
Request iallgatherv(Group ranks, const InputRange auto& input, OutputRange auto&& output, const CountRange auto& counts,
                    const CallOptions& options = {}) {
  return start_irregular(ranks, {call_on(Collective::allgatherv, input, output), {}, BlockList(counts)}, options);
}
void allgatherv(Group ranks, const InputRange auto& input, OutputRange auto&& output, const CountRange auto& counts,
                const CountRange auto& displacements, const CallOptions& options = {}) {
  execute_irregular(ranks, {call_on(Collective::allgatherv, input, output), {}, BlockList(counts, displacements)}, options);
}
Request iallgatherv(Group ranks, const InputRange auto& input, OutputRange auto&& output, const CountRange auto& counts,
                    const CountRange auto& displacements, const CallOptions& options = {}) {
  return start_irregular(ranks, {call_on(Collective::allgatherv, input, output), {}, BlockList(counts, displacements)}, options);
}

// In place: this rank's block is already at its place in the buffer.
void allgatherv_in_place(Group ranks, OutputRange auto&& buffer, const CountRange auto& counts, const CallOptions& options = {}) {
  execute_irregular(ranks, {call_on(Collective::allgatherv, buffer), {}, BlockList(counts)}, options);
}
Request iallgatherv_in_place(Group ranks, OutputRange auto&& buffer, const CountRange auto& counts,
                             const CallOptions& options = {}) {
  return start_irregular(ranks, {call_on(Collective::allgatherv, buffer), {}, BlockList(counts)}, options);
}
void allgatherv_in_place(Group ranks, OutputRange auto&& buffer, const CountRange auto& counts,
                         const CountRange auto& displacements, const CallOptions& options = {}) {
  execute_irregular(ranks, {call_on(Collective::allgatherv, buffer), {}, BlockList(counts, displacements)}, options);
}
Request iallgatherv_in_place(Group ranks, OutputRange auto&& buffer, const CountRange auto& counts,
                             const CountRange auto& displacements, const CallOptions& options = {}) {
  return start_irregular(ranks, {call_on(Collective::allgatherv, buffer), {}, BlockList(counts, displacements)}, options);
}

// As allgatherv, but only the root gets the output. Other ranks' output, counts and displacements are not read.
void gatherv(Group ranks, const InputRange auto& input, OutputRange auto&& output, const CountRange auto& counts, Rank root = 0,
             const CallOptions& options = {}) {
  execute_irregular(ranks, {call_on(Collective::gatherv, input, output, root), {}, BlockList(counts)}, options);
}
Request igatherv(Group ranks, const InputRange auto& input, OutputRange auto&& output, const CountRange auto& counts, Rank root = 0,
                 const CallOptions& options = {}) {
  return start_irregular(ranks, {call_on(Collective::gatherv, input, output, root), {}, BlockList(counts)}, options);
}
void gatherv(Group ranks, const InputRange auto& input, OutputRange auto&& output, const CountRange auto& counts,
             const CountRange auto& displacements, Rank root = 0, const CallOptions& options = {}) {
  execute_irregular(ranks, {call_on(Collective::gatherv, input, output, root), {}, BlockList(counts, displacements)}, options);
}
Request igatherv(Group ranks, const InputRange auto& input, OutputRange auto&& output, const CountRange auto& counts,
                 const CountRange auto& displacements, Rank root = 0, const CallOptions& options = {}) {
  return start_irregular(ranks, {call_on(Collective::gatherv, input, output, root), {}, BlockList(counts, displacements)}, options);
}

// In place: the root's buffer holds all blocks, its own already at its place; on other ranks the buffer is the block to send.
void gatherv_in_place(Group ranks, OutputRange auto&& buffer, const CountRange auto& counts, Rank root = 0,
                      const CallOptions& options = {}) {
  execute_irregular(ranks, {call_on(Collective::gatherv, buffer, root), {}, BlockList(counts)}, options);
}
Request igatherv_in_place(Group ranks, OutputRange auto&& buffer, const CountRange auto& counts, Rank root = 0,
                          const CallOptions& options = {}) {
  return start_irregular(ranks, {call_on(Collective::gatherv, buffer, root), {}, BlockList(counts)}, options);
}
void gatherv_in_place(Group ranks, OutputRange auto&& buffer, const CountRange auto& counts, const CountRange auto& displacements,
                      Rank root = 0, const CallOptions& options = {}) {
  execute_irregular(ranks, {call_on(Collective::gatherv, buffer, root), {}, BlockList(counts, displacements)}, options);
}
Request igatherv_in_place(Group ranks, OutputRange auto&& buffer, const CountRange auto& counts,
                          const CountRange auto& displacements, Rank root = 0, const CallOptions& options = {}) {
  return start_irregular(ranks, {call_on(Collective::gatherv, buffer, root), {}, BlockList(counts, displacements)}, options);
}

// Rank i's output is block i of the root's input. Other ranks' input, counts and displacements are not read.
void scatterv(Group ranks, const InputRange auto& input, const CountRange auto& counts, OutputRange auto&& output, Rank root = 0,
              const CallOptions& options = {}) {
  execute_irregular(ranks, {call_on(Collective::scatterv, input, output, root), BlockList(counts)}, options);
}
Request iscatterv(Group ranks, const InputRange auto& input, const CountRange auto& counts, OutputRange auto&& output,
                  Rank root = 0, const CallOptions& options = {}) {
  return start_irregular(ranks, {call_on(Collective::scatterv, input, output, root), BlockList(counts)}, options);
}
void scatterv(Group ranks, const InputRange auto& input, const CountRange auto& counts, const CountRange auto& displacements,
              OutputRange auto&& output, Rank root = 0, const CallOptions& options = {}) {
  execute_irregular(ranks, {call_on(Collective::scatterv, input, output, root), BlockList(counts, displacements)}, options);
}
Request iscatterv(Group ranks, const InputRange auto& input, const CountRange auto& counts, const CountRange auto& displacements,
                  OutputRange auto&& output, Rank root = 0, const CallOptions& options = {}) {
  return start_irregular(ranks, {call_on(Collective::scatterv, input, output, root), BlockList(counts, displacements)}, options);
}

// In place: the root's buffer holds all blocks, and its own block stays there; on other ranks the buffer receives the block.
void scatterv_in_place(Group ranks, OutputRange auto&& buffer, const CountRange auto& counts, Rank root = 0,
                       const CallOptions& options = {}) {
  execute_irregular(ranks, {call_on(Collective::scatterv, buffer, root), BlockList(counts)}, options);
}
Request iscatterv_in_place(Group ranks, OutputRange auto&& buffer, const CountRange auto& counts, Rank root = 0,
                           const CallOptions& options = {}) {
  return start_irregular(ranks, {call_on(Collective::scatterv, buffer, root), BlockList(counts)}, options);
}
void scatterv_in_place(Group ranks, OutputRange auto&& buffer, const CountRange auto& counts, const CountRange auto& displacements,
                       Rank root = 0, const CallOptions& options = {}) {
  execute_irregular(ranks, {call_on(Collective::scatterv, buffer, root), BlockList(counts, displacements)}, options);
}
Request iscatterv_in_place(Group ranks, OutputRange auto&& buffer, const CountRange auto& counts,
                           const CountRange auto& displacements, Rank root = 0, const CallOptions& options = {}) {
  return start_irregular(ranks, {call_on(Collective::scatterv, buffer, root), BlockList(counts, displacements)}, options);
}

// Combines the inputs of all ranks element by element, in rank order; rank i gets block i. All ranks give the same counts. In
// place: the result is at the beginning of the buffer.
void reduce_scatterv(Group ranks, const InputRange auto& input, OutputRange auto&& output, const CountRange auto& counts,
                     const auto& op, const CallOptions& options = {}) {
  execute_irregular(
      ranks, {combining(call_on(Collective::reduce_scatterv, input, output), operator_on(input, op)), BlockList(counts)}, options);
}
void reduce_scatterv_in_place(Group ranks, OutputRange auto&& buffer, const CountRange auto& counts, const auto& op,
                              const CallOptions& options = {}) {
  execute_irregular(ranks, {combining(call_on(Collective::reduce_scatterv, buffer), operator_on(buffer, op)), BlockList(counts)},
                    options);
}
Request ireduce_scatterv(Group ranks, const InputRange auto& input, OutputRange auto&& output, const CountRange auto& counts,
                         const auto& op, const CallOptions& options = {}) {
  return start_irregular(
      ranks, {combining(call_on(Collective::reduce_scatterv, input, output), operator_on(input, op)), BlockList(counts)}, options);
}
Request ireduce_scatterv_in_place(Group ranks, OutputRange auto&& buffer, const CountRange auto& counts, const auto& op,
                                  const CallOptions& options = {}) {
  return start_irregular(
      ranks, {combining(call_on(Collective::reduce_scatterv, buffer), operator_on(buffer, op)), BlockList(counts)}, options);
}

}  // namespace quadrille
