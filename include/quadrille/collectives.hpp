// SPDX-License-Identifier: BSD-3-Clause
// The collectives as functions on typed memory, one call each:
//
//   std::vector<double> input(p * n), output(p * n);
//   alltoall(ranks, input, output);                // block j of the input goes to rank j; block i of the output is from rank i
//   allreduce(ranks, input, output, op::sum);
//   double longest = allreduce(ranks, length, op::max);
//   Request exchange = ialltoall(ranks, input, output);   // request.hpp
//
// `ranks` is a Communicator or a pointer to one (Group in execute.hpp).
//
// Buffers are anything with data() and size() (elements.hpp). Input and output of a call have the same trivially copyable element
// type and must not overlap. Sizes are in elements.
//
// All functions are collective: every rank of `ranks` calls them, in the same order, with the same block length, root, operator and
// options. A call returns when this rank's output is complete and its input may be changed. An in-place form takes one buffer, in
// which the result replaces the input, as with MPI_IN_PLACE. An i-form (nonblocking) returns a request, and the buffers must not be
// touched until the request is over.
//
// The first call of a kind chooses an algorithm and makes a plan together with the other ranks; later calls reuse that plan
// (call.hpp). Therefore the first i-form of a kind waits for all ranks. If ranks compare their calls (see below), every i-form
// waits for all ranks. To avoid this, make plans beforehand (typed_plan.hpp).
//
// Errors: a call throws Error{misuse} on this rank, before anything is sent, if the sizes do not match each other or the number of
// ranks, or if the root is not a rank. It also throws the errors of `plan` and Plan::execute. In debug builds (without NDEBUG), and
// with QUADRILLE_CHECK=1 in the environment, ranks compare the arguments that must be equal before each call. If arguments differ,
// all ranks throw Error{misuse}, which names both values; an error in one rank's sizes is then also thrown on all ranks.
#pragma once

#include <memory>
#include <type_traits>

#include "quadrille/call.hpp"
#include "quadrille/combine.hpp"
#include "quadrille/elements.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/irregular_collectives.hpp"
#include "quadrille/typed_plan.hpp"

namespace quadrille {

// Helpers that assemble the arguments of a call.
namespace call_detail {

template <class Input, class Output>
CallArguments apart(Collective collective, Input& input, Output& output, Rank root = 0) {
  static_assert(std::is_same_v<ElementOf<Input>, ElementOf<Output>>, "input and output have elements of one type");
  return {.collective = collective,
          .input = std::data(input),
          .input_elements = count_of(input),
          .output = std::data(output),
          .output_elements = count_of(output),
          .element_bytes = sizeof(ElementOf<Input>),
          .root = root};
}

template <class Buffer>
CallArguments in_place(Collective collective, Buffer& buffer, Rank root = 0) {
  return {.collective = collective,
          .in_place = true,
          .output = std::data(buffer),
          .output_elements = count_of(buffer),
          .element_bytes = sizeof(ElementOf<Buffer>),
          .root = root};
}

template <class Value>
CallArguments of_values(Collective collective, const Value& input, Value& output) {
  return {.collective = collective,
          .input = std::addressof(input),
          .input_elements = 1,
          .output = std::addressof(output),
          .output_elements = 1,
          .element_bytes = sizeof(Value)};
}

template <class T, class Given>
void execute_combining(Communicator& ranks, CallArguments arguments, const Given& given, const CallOptions& options) {
  const CallOperator operation = OperatorFor<T, Given>::of(given);
  arguments.operation = &operation;
  execute_call(ranks, arguments, options);
}

template <class T, class Given>
Request start_combining(Communicator& ranks, CallArguments arguments, const Given& given, const CallOptions& options) {
  const CallOperator operation = OperatorFor<T, Given>::of(given);
  arguments.operation = &operation;
  return start_call(ranks, arguments, options);
}

}  // namespace call_detail

// Input and output are p blocks each: block j of the input goes to rank j, block i of the output comes from rank i.
template <InputRange Input, OutputRange Output>
void alltoall(Group ranks, const Input& input, Output&& output, const CallOptions& options = {}) {
  execute_call(ranks, call_detail::apart(Collective::alltoall, input, output), options);
}

template <OutputRange Buffer>
void alltoall_in_place(Group ranks, Buffer&& buffer, const CallOptions& options = {}) {
  execute_call(ranks, call_detail::in_place(Collective::alltoall, buffer), options);
}

template <InputRange Input, OutputRange Output>
Request ialltoall(Group ranks, const Input& input, Output&& output, const CallOptions& options = {}) {
  return start_call(ranks, call_detail::apart(Collective::alltoall, input, output), options);
}

template <OutputRange Buffer>
Request ialltoall_in_place(Group ranks, Buffer&& buffer, const CallOptions& options = {}) {
  return start_call(ranks, call_detail::in_place(Collective::alltoall, buffer), options);
}

// The input is one block. The output is p blocks; block i is the input of rank i. In place: this rank's block is already at its
// place in the output.
template <InputRange Input, OutputRange Output>
void allgather(Group ranks, const Input& input, Output&& output, const CallOptions& options = {}) {
  execute_call(ranks, call_detail::apart(Collective::allgather, input, output), options);
}

template <OutputRange Buffer>
void allgather_in_place(Group ranks, Buffer&& buffer, const CallOptions& options = {}) {
  execute_call(ranks, call_detail::in_place(Collective::allgather, buffer), options);
}

template <InputRange Input, OutputRange Output>
Request iallgather(Group ranks, const Input& input, Output&& output, const CallOptions& options = {}) {
  return start_call(ranks, call_detail::apart(Collective::allgather, input, output), options);
}

template <OutputRange Buffer>
Request iallgather_in_place(Group ranks, Buffer&& buffer, const CallOptions& options = {}) {
  return start_call(ranks, call_detail::in_place(Collective::allgather, buffer), options);
}

// Copies the root's buffer into the buffers of all ranks, which have the same length.
template <OutputRange Buffer>
void broadcast(Group ranks, Buffer&& buffer, Rank root = 0, const CallOptions& options = {}) {
  execute_call(ranks, call_detail::in_place(Collective::broadcast, buffer, root), options);
}

template <SingleValue Value>
void broadcast(Group ranks, Value& value, Rank root = 0, const CallOptions& options = {}) {
  broadcast(ranks, std::span<Value, 1>(std::addressof(value), 1), root, options);
}

template <OutputRange Buffer>
Request ibroadcast(Group ranks, Buffer&& buffer, Rank root = 0, const CallOptions& options = {}) {
  return start_call(ranks, call_detail::in_place(Collective::broadcast, buffer, root), options);
}

// Rank i receives block i of the root's input. The input has p blocks and is read at the root only. In place: the root's buffer
// holds the p blocks, and its own block stays there.
template <InputRange Input, OutputRange Output>
void scatter(Group ranks, const Input& input, Output&& output, Rank root = 0, const CallOptions& options = {}) {
  execute_call(ranks, call_detail::apart(Collective::scatter, input, output, root), options);
}

template <OutputRange Buffer>
void scatter_in_place(Group ranks, Buffer&& buffer, Rank root = 0, const CallOptions& options = {}) {
  execute_call(ranks, call_detail::in_place(Collective::scatter, buffer, root), options);
}

template <InputRange Input, OutputRange Output>
Request iscatter(Group ranks, const Input& input, Output&& output, Rank root = 0, const CallOptions& options = {}) {
  return start_call(ranks, call_detail::apart(Collective::scatter, input, output, root), options);
}

template <OutputRange Buffer>
Request iscatter_in_place(Group ranks, Buffer&& buffer, Rank root = 0, const CallOptions& options = {}) {
  return start_call(ranks, call_detail::in_place(Collective::scatter, buffer, root), options);
}

// The output at the root is p blocks; block i is the input of rank i. Other ranks' outputs are not used. In place: the root's
// buffer holds the p blocks, its own already at its place; on other ranks the buffer is the block to send.
template <InputRange Input, OutputRange Output>
void gather(Group ranks, const Input& input, Output&& output, Rank root = 0, const CallOptions& options = {}) {
  execute_call(ranks, call_detail::apart(Collective::gather, input, output, root), options);
}

template <OutputRange Buffer>
void gather_in_place(Group ranks, Buffer&& buffer, Rank root = 0, const CallOptions& options = {}) {
  execute_call(ranks, call_detail::in_place(Collective::gather, buffer, root), options);
}

template <InputRange Input, OutputRange Output>
Request igather(Group ranks, const Input& input, Output&& output, Rank root = 0, const CallOptions& options = {}) {
  return start_call(ranks, call_detail::apart(Collective::gather, input, output, root), options);
}

template <OutputRange Buffer>
Request igather_in_place(Group ranks, Buffer&& buffer, Rank root = 0, const CallOptions& options = {}) {
  return start_call(ranks, call_detail::in_place(Collective::gather, buffer, root), options);
}

// Combines the inputs of all ranks element by element, in rank order, into the root's output. Other ranks' outputs are not used. In
// place: the result replaces the root's buffer.
template <InputRange Input, OutputRange Output, class Op>
void reduce(Group ranks, const Input& input, Output&& output, const Op& op, Rank root = 0, const CallOptions& options = {}) {
  call_detail::execute_combining<ElementOf<Input>>(ranks, call_detail::apart(Collective::reduce, input, output, root), op, options);
}

template <OutputRange Buffer, class Op>
void reduce_in_place(Group ranks, Buffer&& buffer, const Op& op, Rank root = 0, const CallOptions& options = {}) {
  call_detail::execute_combining<ElementOf<Buffer>>(ranks, call_detail::in_place(Collective::reduce, buffer, root), op, options);
}

template <InputRange Input, OutputRange Output, class Op>
Request ireduce(Group ranks, const Input& input, Output&& output, const Op& op, Rank root = 0, const CallOptions& options = {}) {
  return call_detail::start_combining<ElementOf<Input>>(ranks, call_detail::apart(Collective::reduce, input, output, root), op,
                                                        options);
}

template <OutputRange Buffer, class Op>
Request ireduce_in_place(Group ranks, Buffer&& buffer, const Op& op, Rank root = 0, const CallOptions& options = {}) {
  return call_detail::start_combining<ElementOf<Buffer>>(ranks, call_detail::in_place(Collective::reduce, buffer, root), op,
                                                         options);
}

// Combines the inputs of all ranks element by element, in rank order; every rank gets the result.
template <InputRange Input, OutputRange Output, class Op>
void allreduce(Group ranks, const Input& input, Output&& output, const Op& op, const CallOptions& options = {}) {
  call_detail::execute_combining<ElementOf<Input>>(ranks, call_detail::apart(Collective::allreduce, input, output), op, options);
}

template <OutputRange Buffer, class Op>
void allreduce_in_place(Group ranks, Buffer&& buffer, const Op& op, const CallOptions& options = {}) {
  call_detail::execute_combining<ElementOf<Buffer>>(ranks, call_detail::in_place(Collective::allreduce, buffer), op, options);
}

template <SingleValue Value, class Op>
Value allreduce(Group ranks, const Value& value, const Op& op, const CallOptions& options = {}) {
  Value result = value;
  call_detail::execute_combining<Value>(ranks, call_detail::of_values(Collective::allreduce, value, result), op, options);
  return result;
}

template <InputRange Input, OutputRange Output, class Op>
Request iallreduce(Group ranks, const Input& input, Output&& output, const Op& op, const CallOptions& options = {}) {
  return call_detail::start_combining<ElementOf<Input>>(ranks, call_detail::apart(Collective::allreduce, input, output), op,
                                                        options);
}

template <OutputRange Buffer, class Op>
Request iallreduce_in_place(Group ranks, Buffer&& buffer, const Op& op, const CallOptions& options = {}) {
  return call_detail::start_combining<ElementOf<Buffer>>(ranks, call_detail::in_place(Collective::allreduce, buffer), op, options);
}

// Combines inputs of p blocks like allreduce; rank i gets block i of the result (MPI_Reduce_scatter_block). In place: the result is
// at the beginning of the buffer.
template <InputRange Input, OutputRange Output, class Op>
void reduce_scatter(Group ranks, const Input& input, Output&& output, const Op& op, const CallOptions& options = {}) {
  call_detail::execute_combining<ElementOf<Input>>(ranks, call_detail::apart(Collective::reduce_scatter, input, output), op,
                                                   options);
}

template <OutputRange Buffer, class Op>
void reduce_scatter_in_place(Group ranks, Buffer&& buffer, const Op& op, const CallOptions& options = {}) {
  call_detail::execute_combining<ElementOf<Buffer>>(ranks, call_detail::in_place(Collective::reduce_scatter, buffer), op, options);
}

template <InputRange Input, OutputRange Output, class Op>
Request ireduce_scatter(Group ranks, const Input& input, Output&& output, const Op& op, const CallOptions& options = {}) {
  return call_detail::start_combining<ElementOf<Input>>(ranks, call_detail::apart(Collective::reduce_scatter, input, output), op,
                                                        options);
}

template <OutputRange Buffer, class Op>
Request ireduce_scatter_in_place(Group ranks, Buffer&& buffer, const Op& op, const CallOptions& options = {}) {
  return call_detail::start_combining<ElementOf<Buffer>>(ranks, call_detail::in_place(Collective::reduce_scatter, buffer), op,
                                                         options);
}

// Combines the inputs of ranks 0 to this one element by element, in rank order (inclusive prefix).
template <InputRange Input, OutputRange Output, class Op>
void scan(Group ranks, const Input& input, Output&& output, const Op& op, const CallOptions& options = {}) {
  call_detail::execute_combining<ElementOf<Input>>(ranks, call_detail::apart(Collective::scan, input, output), op, options);
}

template <OutputRange Buffer, class Op>
void scan_in_place(Group ranks, Buffer&& buffer, const Op& op, const CallOptions& options = {}) {
  call_detail::execute_combining<ElementOf<Buffer>>(ranks, call_detail::in_place(Collective::scan, buffer), op, options);
}

template <SingleValue Value, class Op>
Value scan(Group ranks, const Value& value, const Op& op, const CallOptions& options = {}) {
  Value result = value;
  call_detail::execute_combining<Value>(ranks, call_detail::of_values(Collective::scan, value, result), op, options);
  return result;
}

template <InputRange Input, OutputRange Output, class Op>
Request iscan(Group ranks, const Input& input, Output&& output, const Op& op, const CallOptions& options = {}) {
  return call_detail::start_combining<ElementOf<Input>>(ranks, call_detail::apart(Collective::scan, input, output), op, options);
}

template <OutputRange Buffer, class Op>
Request iscan_in_place(Group ranks, Buffer&& buffer, const Op& op, const CallOptions& options = {}) {
  return call_detail::start_combining<ElementOf<Buffer>>(ranks, call_detail::in_place(Collective::scan, buffer), op, options);
}

// As scan, but without this rank's own input (exclusive prefix). The output of rank 0 is left unchanged.
template <InputRange Input, OutputRange Output, class Op>
void exscan(Group ranks, const Input& input, Output&& output, const Op& op, const CallOptions& options = {}) {
  call_detail::execute_combining<ElementOf<Input>>(ranks, call_detail::apart(Collective::exscan, input, output), op, options);
}

template <OutputRange Buffer, class Op>
void exscan_in_place(Group ranks, Buffer&& buffer, const Op& op, const CallOptions& options = {}) {
  call_detail::execute_combining<ElementOf<Buffer>>(ranks, call_detail::in_place(Collective::exscan, buffer), op, options);
}

template <InputRange Input, OutputRange Output, class Op>
Request iexscan(Group ranks, const Input& input, Output&& output, const Op& op, const CallOptions& options = {}) {
  return call_detail::start_combining<ElementOf<Input>>(ranks, call_detail::apart(Collective::exscan, input, output), op, options);
}

template <OutputRange Buffer, class Op>
Request iexscan_in_place(Group ranks, Buffer&& buffer, const Op& op, const CallOptions& options = {}) {
  return call_detail::start_combining<ElementOf<Buffer>>(ranks, call_detail::in_place(Collective::exscan, buffer), op, options);
}

// Returns when all ranks have called it.
inline void barrier(Group ranks, const CallOptions& options = {}) {
  execute_call(ranks, {.collective = Collective::barrier}, options);
}

inline Request ibarrier(Group ranks, const CallOptions& options = {}) {
  return start_call(ranks, {.collective = Collective::barrier}, options);
}

}  // namespace quadrille
