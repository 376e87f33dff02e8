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
// Counts may change from call to call on some ranks only, and no rank sees all counts. Therefore each call, i-forms included,
// makes its plan anew, and no rank returns from it before all ranks have called. It uses the simplest algorithm (direct, or linear
// for rooted collectives) unless CallOptions names another. If counts stay the same, keep a plan instead: plan_alltoallv and so on
// (typed_plan.hpp).
//
// Either all ranks throw Error{misuse} or none does. The reasons are a wrong number of counts, a negative count, a block that
// reaches beyond the end of its buffer, and two ranks that disagree on the length of a block that one sends to the other.
#pragma once

#include <span>

#include "quadrille/combine.hpp"
#include "quadrille/irregular_call.hpp"

namespace quadrille {

// Helpers that assemble the arguments of a call.
namespace call_detail {

template <class Input, class Output>
IrregularCall irregular(Collective collective, const Input& input, Output& output, Blocks send, Blocks receive, Rank root = 0) {
  static_assert(std::is_same_v<ElementOf<Input>, ElementOf<Output>>, "input and output have elements of one type");
  return {{.collective = collective,
           .input = std::data(input),
           .input_elements = count_of(input),
           .output = std::data(output),
           .output_elements = count_of(output),
           .element_bytes = sizeof(ElementOf<Input>),
           .root = root},
          true,
          std::move(send),
          std::move(receive)};
}

template <class Buffer>
IrregularCall irregular_in_place(Collective collective, Buffer& buffer, Blocks send, Blocks receive, Rank root = 0) {
  return {{.collective = collective,
           .in_place = true,
           .output = std::data(buffer),
           .output_elements = count_of(buffer),
           .element_bytes = sizeof(ElementOf<Buffer>),
           .root = root},
          true,
          std::move(send),
          std::move(receive)};
}

}  // namespace call_detail

// send_counts[j] elements of the input go to rank j; receive_counts[i] of the output come from rank i.
template <InputRange Input, CountRange SendCounts, OutputRange Output, CountRange ReceiveCounts>
void alltoallv(Group ranks, const Input& input, const SendCounts& send_counts, Output&& output, const ReceiveCounts& receive_counts,
               const CallOptions& options = {}) {
  execute_irregular(
      ranks,
      call_detail::irregular(Collective::alltoallv, input, output, packed_blocks(send_counts), packed_blocks(receive_counts)),
      options);
}

template <InputRange Input, CountRange SendCounts, OutputRange Output, CountRange ReceiveCounts>
Request ialltoallv(Group ranks, const Input& input, const SendCounts& send_counts, Output&& output,
                   const ReceiveCounts& receive_counts, const CallOptions& options = {}) {
  return start_irregular(
      ranks,
      call_detail::irregular(Collective::alltoallv, input, output, packed_blocks(send_counts), packed_blocks(receive_counts)),
      options);
}

template <InputRange Input, CountRange SendCounts, CountRange SendPlaces, OutputRange Output, CountRange ReceiveCounts,
          CountRange ReceivePlaces>
void alltoallv(Group ranks, const Input& input, const SendCounts& send_counts, const SendPlaces& send_displacements,
               Output&& output, const ReceiveCounts& receive_counts, const ReceivePlaces& receive_displacements,
               const CallOptions& options = {}) {
  execute_irregular(ranks,
                    call_detail::irregular(Collective::alltoallv, input, output, placed_blocks(send_counts, send_displacements),
                                           placed_blocks(receive_counts, receive_displacements)),
                    options);
}

template <InputRange Input, CountRange SendCounts, CountRange SendPlaces, OutputRange Output, CountRange ReceiveCounts,
          CountRange ReceivePlaces>
Request ialltoallv(Group ranks, const Input& input, const SendCounts& send_counts, const SendPlaces& send_displacements,
                   Output&& output, const ReceiveCounts& receive_counts, const ReceivePlaces& receive_displacements,
                   const CallOptions& options = {}) {
  return start_irregular(
      ranks,
      call_detail::irregular(Collective::alltoallv, input, output, placed_blocks(send_counts, send_displacements),
                             placed_blocks(receive_counts, receive_displacements)),
      options);
}

// In place: the block from rank i replaces the block sent to rank i, and has the same length.
template <OutputRange Buffer, CountRange Counts>
void alltoallv_in_place(Group ranks, Buffer&& buffer, const Counts& counts, const CallOptions& options = {}) {
  execute_irregular(ranks, call_detail::irregular_in_place(Collective::alltoallv, buffer, {}, packed_blocks(counts)), options);
}

template <OutputRange Buffer, CountRange Counts>
Request ialltoallv_in_place(Group ranks, Buffer&& buffer, const Counts& counts, const CallOptions& options = {}) {
  return start_irregular(ranks, call_detail::irregular_in_place(Collective::alltoallv, buffer, {}, packed_blocks(counts)), options);
}

template <OutputRange Buffer, CountRange Counts, CountRange Displacements>
void alltoallv_in_place(Group ranks, Buffer&& buffer, const Counts& counts, const Displacements& displacements,
                        const CallOptions& options = {}) {
  execute_irregular(ranks, call_detail::irregular_in_place(Collective::alltoallv, buffer, {}, placed_blocks(counts, displacements)),
                    options);
}

template <OutputRange Buffer, CountRange Counts, CountRange Displacements>
Request ialltoallv_in_place(Group ranks, Buffer&& buffer, const Counts& counts, const Displacements& displacements,
                            const CallOptions& options = {}) {
  return start_irregular(
      ranks, call_detail::irregular_in_place(Collective::alltoallv, buffer, {}, placed_blocks(counts, displacements)), options);
}

// Block i of the output is the whole input of rank i. All ranks give the same counts.
template <InputRange Input, OutputRange Output, CountRange Counts>
void allgatherv(Group ranks, const Input& input, Output&& output, const Counts& counts, const CallOptions& options = {}) {
  execute_irregular(ranks, call_detail::irregular(Collective::allgatherv, input, output, {}, packed_blocks(counts)), options);
}

template <InputRange Input, OutputRange Output, CountRange Counts>
Request iallgatherv(Group ranks, const Input& input, Output&& output, const Counts& counts, const CallOptions& options = {}) {
  return start_irregular(ranks, call_detail::irregular(Collective::allgatherv, input, output, {}, packed_blocks(counts)), options);
}

template <InputRange Input, OutputRange Output, CountRange Counts, CountRange Displacements>
void allgatherv(Group ranks, const Input& input, Output&& output, const Counts& counts, const Displacements& displacements,
                const CallOptions& options = {}) {
  execute_irregular(ranks, call_detail::irregular(Collective::allgatherv, input, output, {}, placed_blocks(counts, displacements)),
                    options);
}

template <InputRange Input, OutputRange Output, CountRange Counts, CountRange Displacements>
Request iallgatherv(Group ranks, const Input& input, Output&& output, const Counts& counts, const Displacements& displacements,
                    const CallOptions& options = {}) {
  return start_irregular(
      ranks, call_detail::irregular(Collective::allgatherv, input, output, {}, placed_blocks(counts, displacements)), options);
}

// In place: this rank's block is already at its place in the buffer.
template <OutputRange Buffer, CountRange Counts>
void allgatherv_in_place(Group ranks, Buffer&& buffer, const Counts& counts, const CallOptions& options = {}) {
  execute_irregular(ranks, call_detail::irregular_in_place(Collective::allgatherv, buffer, {}, packed_blocks(counts)), options);
}

template <OutputRange Buffer, CountRange Counts>
Request iallgatherv_in_place(Group ranks, Buffer&& buffer, const Counts& counts, const CallOptions& options = {}) {
  return start_irregular(ranks, call_detail::irregular_in_place(Collective::allgatherv, buffer, {}, packed_blocks(counts)),
                         options);
}

template <OutputRange Buffer, CountRange Counts, CountRange Displacements>
void allgatherv_in_place(Group ranks, Buffer&& buffer, const Counts& counts, const Displacements& displacements,
                         const CallOptions& options = {}) {
  execute_irregular(
      ranks, call_detail::irregular_in_place(Collective::allgatherv, buffer, {}, placed_blocks(counts, displacements)), options);
}

template <OutputRange Buffer, CountRange Counts, CountRange Displacements>
Request iallgatherv_in_place(Group ranks, Buffer&& buffer, const Counts& counts, const Displacements& displacements,
                             const CallOptions& options = {}) {
  return start_irregular(
      ranks, call_detail::irregular_in_place(Collective::allgatherv, buffer, {}, placed_blocks(counts, displacements)), options);
}

// As allgatherv, but only the root gets the output. Other ranks' output, counts and displacements are not read.
template <InputRange Input, OutputRange Output, CountRange Counts>
void gatherv(Group ranks, const Input& input, Output&& output, const Counts& counts, Rank root = 0,
             const CallOptions& options = {}) {
  execute_irregular(ranks, call_detail::irregular(Collective::gatherv, input, output, {}, packed_blocks(counts), root), options);
}

template <InputRange Input, OutputRange Output, CountRange Counts>
Request igatherv(Group ranks, const Input& input, Output&& output, const Counts& counts, Rank root = 0,
                 const CallOptions& options = {}) {
  return start_irregular(ranks, call_detail::irregular(Collective::gatherv, input, output, {}, packed_blocks(counts), root),
                         options);
}

template <InputRange Input, OutputRange Output, CountRange Counts, CountRange Displacements>
void gatherv(Group ranks, const Input& input, Output&& output, const Counts& counts, const Displacements& displacements,
             Rank root = 0, const CallOptions& options = {}) {
  execute_irregular(
      ranks, call_detail::irregular(Collective::gatherv, input, output, {}, placed_blocks(counts, displacements), root), options);
}

template <InputRange Input, OutputRange Output, CountRange Counts, CountRange Displacements>
Request igatherv(Group ranks, const Input& input, Output&& output, const Counts& counts, const Displacements& displacements,
                 Rank root = 0, const CallOptions& options = {}) {
  return start_irregular(
      ranks, call_detail::irregular(Collective::gatherv, input, output, {}, placed_blocks(counts, displacements), root), options);
}

// In place: the root's buffer holds all blocks, its own already at its place; on other ranks the buffer is the block to send.
template <OutputRange Buffer, CountRange Counts>
void gatherv_in_place(Group ranks, Buffer&& buffer, const Counts& counts, Rank root = 0, const CallOptions& options = {}) {
  execute_irregular(ranks, call_detail::irregular_in_place(Collective::gatherv, buffer, {}, packed_blocks(counts), root), options);
}

template <OutputRange Buffer, CountRange Counts>
Request igatherv_in_place(Group ranks, Buffer&& buffer, const Counts& counts, Rank root = 0, const CallOptions& options = {}) {
  return start_irregular(ranks, call_detail::irregular_in_place(Collective::gatherv, buffer, {}, packed_blocks(counts), root),
                         options);
}

template <OutputRange Buffer, CountRange Counts, CountRange Displacements>
void gatherv_in_place(Group ranks, Buffer&& buffer, const Counts& counts, const Displacements& displacements, Rank root = 0,
                      const CallOptions& options = {}) {
  execute_irregular(
      ranks, call_detail::irregular_in_place(Collective::gatherv, buffer, {}, placed_blocks(counts, displacements), root), options);
}

template <OutputRange Buffer, CountRange Counts, CountRange Displacements>
Request igatherv_in_place(Group ranks, Buffer&& buffer, const Counts& counts, const Displacements& displacements, Rank root = 0,
                          const CallOptions& options = {}) {
  return start_irregular(
      ranks, call_detail::irregular_in_place(Collective::gatherv, buffer, {}, placed_blocks(counts, displacements), root), options);
}

// Rank i's output is block i of the root's input. Other ranks' input, counts and displacements are not read.
template <InputRange Input, CountRange Counts, OutputRange Output>
void scatterv(Group ranks, const Input& input, const Counts& counts, Output&& output, Rank root = 0,
              const CallOptions& options = {}) {
  execute_irregular(ranks, call_detail::irregular(Collective::scatterv, input, output, packed_blocks(counts), {}, root), options);
}

template <InputRange Input, CountRange Counts, OutputRange Output>
Request iscatterv(Group ranks, const Input& input, const Counts& counts, Output&& output, Rank root = 0,
                  const CallOptions& options = {}) {
  return start_irregular(ranks, call_detail::irregular(Collective::scatterv, input, output, packed_blocks(counts), {}, root),
                         options);
}

template <InputRange Input, CountRange Counts, CountRange Displacements, OutputRange Output>
void scatterv(Group ranks, const Input& input, const Counts& counts, const Displacements& displacements, Output&& output,
              Rank root = 0, const CallOptions& options = {}) {
  execute_irregular(
      ranks, call_detail::irregular(Collective::scatterv, input, output, placed_blocks(counts, displacements), {}, root), options);
}

template <InputRange Input, CountRange Counts, CountRange Displacements, OutputRange Output>
Request iscatterv(Group ranks, const Input& input, const Counts& counts, const Displacements& displacements, Output&& output,
                  Rank root = 0, const CallOptions& options = {}) {
  return start_irregular(
      ranks, call_detail::irregular(Collective::scatterv, input, output, placed_blocks(counts, displacements), {}, root), options);
}

// In place: the root's buffer holds all blocks, and its own block stays there; on other ranks the buffer receives the block.
template <OutputRange Buffer, CountRange Counts>
void scatterv_in_place(Group ranks, Buffer&& buffer, const Counts& counts, Rank root = 0, const CallOptions& options = {}) {
  execute_irregular(ranks, call_detail::irregular_in_place(Collective::scatterv, buffer, packed_blocks(counts), {}, root), options);
}

template <OutputRange Buffer, CountRange Counts>
Request iscatterv_in_place(Group ranks, Buffer&& buffer, const Counts& counts, Rank root = 0, const CallOptions& options = {}) {
  return start_irregular(ranks, call_detail::irregular_in_place(Collective::scatterv, buffer, packed_blocks(counts), {}, root),
                         options);
}

template <OutputRange Buffer, CountRange Counts, CountRange Displacements>
void scatterv_in_place(Group ranks, Buffer&& buffer, const Counts& counts, const Displacements& displacements, Rank root = 0,
                       const CallOptions& options = {}) {
  execute_irregular(ranks,
                    call_detail::irregular_in_place(Collective::scatterv, buffer, placed_blocks(counts, displacements), {}, root),
                    options);
}

template <OutputRange Buffer, CountRange Counts, CountRange Displacements>
Request iscatterv_in_place(Group ranks, Buffer&& buffer, const Counts& counts, const Displacements& displacements, Rank root = 0,
                           const CallOptions& options = {}) {
  return start_irregular(
      ranks, call_detail::irregular_in_place(Collective::scatterv, buffer, placed_blocks(counts, displacements), {}, root),
      options);
}

// Combines the inputs of all ranks element by element, in rank order; rank i gets block i. All ranks give the same counts. In
// place: the result is at the beginning of the buffer.
template <InputRange Input, OutputRange Output, CountRange Counts, class Op>
void reduce_scatterv(Group ranks, const Input& input, Output&& output, const Counts& counts, const Op& op,
                     const CallOptions& options = {}) {
  const CallOperator operation = OperatorFor<ElementOf<Input>, Op>::of(op);
  IrregularCall call = call_detail::irregular(Collective::reduce_scatterv, input, output, packed_blocks(counts), {});
  call.arguments.operation = &operation;
  execute_irregular(ranks, call, options);
}

template <OutputRange Buffer, CountRange Counts, class Op>
void reduce_scatterv_in_place(Group ranks, Buffer&& buffer, const Counts& counts, const Op& op, const CallOptions& options = {}) {
  const CallOperator operation = OperatorFor<ElementOf<Buffer>, Op>::of(op);
  IrregularCall call = call_detail::irregular_in_place(Collective::reduce_scatterv, buffer, packed_blocks(counts), {});
  call.arguments.operation = &operation;
  execute_irregular(ranks, call, options);
}

template <InputRange Input, OutputRange Output, CountRange Counts, class Op>
Request ireduce_scatterv(Group ranks, const Input& input, Output&& output, const Counts& counts, const Op& op,
                         const CallOptions& options = {}) {
  const CallOperator operation = OperatorFor<ElementOf<Input>, Op>::of(op);
  IrregularCall call = call_detail::irregular(Collective::reduce_scatterv, input, output, packed_blocks(counts), {});
  call.arguments.operation = &operation;
  return start_irregular(ranks, call, options);
}

template <OutputRange Buffer, CountRange Counts, class Op>
Request ireduce_scatterv_in_place(Group ranks, Buffer&& buffer, const Counts& counts, const Op& op,
                                  const CallOptions& options = {}) {
  const CallOperator operation = OperatorFor<ElementOf<Buffer>, Op>::of(op);
  IrregularCall call = call_detail::irregular_in_place(Collective::reduce_scatterv, buffer, packed_blocks(counts), {});
  call.arguments.operation = &operation;
  return start_irregular(ranks, call, options);
}

}  // namespace quadrille
