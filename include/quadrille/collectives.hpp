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
#include <span>

#include "quadrille/execute.hpp"
#include "quadrille/irregular_collectives.hpp"
#include "quadrille/typed_call.hpp"
#include "quadrille/typed_plan.hpp"

namespace quadrille {

// Input and output are p blocks each: block j of the input goes to rank j, block i of the output comes from rank i.
void alltoall(Group ranks, const InputRange auto& input, OutputRange auto&& output, const CallOptions& options = {}) {
  execute_call(ranks, call_on(Collective::alltoall, input, output), options);
}
void alltoall_in_place(Group ranks, OutputRange auto&& buffer, const CallOptions& options = {}) {
  execute_call(ranks, call_on(Collective::alltoall, buffer), options);
}
Request ialltoall(Group ranks, const InputRange auto& input, OutputRange auto&& output, const CallOptions& options = {}) {
  return start_call(ranks, call_on(Collective::alltoall, input, output), options);
}
Request ialltoall_in_place(Group ranks, OutputRange auto&& buffer, const CallOptions& options = {}) {
  return start_call(ranks, call_on(Collective::alltoall, buffer), options);
}

// The input is one block. The output is p blocks; block i is the input of rank i. In place: this rank's block is already at its
// place in the output.
void allgather(Group ranks, const InputRange auto& input, OutputRange auto&& output, const CallOptions& options = {}) {
  execute_call(ranks, call_on(Collective::allgather, input, output), options);
}
void allgather_in_place(Group ranks, OutputRange auto&& buffer, const CallOptions& options = {}) {
  execute_call(ranks, call_on(Collective::allgather, buffer), options);
}
Request iallgather(Group ranks, const InputRange auto& input, OutputRange auto&& output, const CallOptions& options = {}) {
  return start_call(ranks, call_on(Collective::allgather, input, output), options);
}
Request iallgather_in_place(Group ranks, OutputRange auto&& buffer, const CallOptions& options = {}) {
  return start_call(ranks, call_on(Collective::allgather, buffer), options);
}

// Copies the root's buffer into the buffers of all ranks, which have the same length.
void broadcast(Group ranks, OutputRange auto&& buffer, Rank root = 0, const CallOptions& options = {}) {
  execute_call(ranks, call_on(Collective::broadcast, buffer, root), options);
}
void broadcast(Group ranks, SingleValue auto& value, Rank root = 0, const CallOptions& options = {}) {
  broadcast(ranks, std::span(std::addressof(value), 1), root, options);
}
Request ibroadcast(Group ranks, OutputRange auto&& buffer, Rank root = 0, const CallOptions& options = {}) {
  return start_call(ranks, call_on(Collective::broadcast, buffer, root), options);
}

// Rank i receives block i of the root's input. The input has p blocks and is read at the root only. In place: the root's buffer
// holds the p blocks, and its own block stays there.
void scatter(Group ranks, const InputRange auto& input, OutputRange auto&& output, Rank root = 0, const CallOptions& options = {}) {
  execute_call(ranks, call_on(Collective::scatter, input, output, root), options);
}
void scatter_in_place(Group ranks, OutputRange auto&& buffer, Rank root = 0, const CallOptions& options = {}) {
  execute_call(ranks, call_on(Collective::scatter, buffer, root), options);
}
Request iscatter(Group ranks, const InputRange auto& input, OutputRange auto&& output, Rank root = 0,
                 const CallOptions& options = {}) {
  return start_call(ranks, call_on(Collective::scatter, input, output, root), options);
}
Request iscatter_in_place(Group ranks, OutputRange auto&& buffer, Rank root = 0, const CallOptions& options = {}) {
  return start_call(ranks, call_on(Collective::scatter, buffer, root), options);
}

// The output at the root is p blocks; block i is the input of rank i. Other ranks' outputs are not used. In place: the root's
// buffer holds the p blocks, its own already at its place; on other ranks the buffer is the block to send.
void gather(Group ranks, const InputRange auto& input, OutputRange auto&& output, Rank root = 0, const CallOptions& options = {}) {
  execute_call(ranks, call_on(Collective::gather, input, output, root), options);
}
void gather_in_place(Group ranks, OutputRange auto&& buffer, Rank root = 0, const CallOptions& options = {}) {
  execute_call(ranks, call_on(Collective::gather, buffer, root), options);
}
Request igather(Group ranks, const InputRange auto& input, OutputRange auto&& output, Rank root = 0,
                const CallOptions& options = {}) {
  return start_call(ranks, call_on(Collective::gather, input, output, root), options);
}
Request igather_in_place(Group ranks, OutputRange auto&& buffer, Rank root = 0, const CallOptions& options = {}) {
  return start_call(ranks, call_on(Collective::gather, buffer, root), options);
}

// Combines the inputs of all ranks element by element, in rank order, into the root's output. Other ranks' outputs are not used. In
// place: the result replaces the root's buffer.
void reduce(Group ranks, const InputRange auto& input, OutputRange auto&& output, const auto& op, Rank root = 0,
            const CallOptions& options = {}) {
  execute_call(ranks, combining(call_on(Collective::reduce, input, output, root), operator_on(input, op)), options);
}
void reduce_in_place(Group ranks, OutputRange auto&& buffer, const auto& op, Rank root = 0, const CallOptions& options = {}) {
  execute_call(ranks, combining(call_on(Collective::reduce, buffer, root), operator_on(buffer, op)), options);
}
Request ireduce(Group ranks, const InputRange auto& input, OutputRange auto&& output, const auto& op, Rank root = 0,
                const CallOptions& options = {}) {
  return start_call(ranks, combining(call_on(Collective::reduce, input, output, root), operator_on(input, op)), options);
}
Request ireduce_in_place(Group ranks, OutputRange auto&& buffer, const auto& op, Rank root = 0, const CallOptions& options = {}) {
  return start_call(ranks, combining(call_on(Collective::reduce, buffer, root), operator_on(buffer, op)), options);
}

// Combines the inputs of all ranks element by element, in rank order; every rank gets the result.
void allreduce(Group ranks, const InputRange auto& input, OutputRange auto&& output, const auto& op,
               const CallOptions& options = {}) {
  execute_call(ranks, combining(call_on(Collective::allreduce, input, output), operator_on(input, op)), options);
}
void allreduce_in_place(Group ranks, OutputRange auto&& buffer, const auto& op, const CallOptions& options = {}) {
  execute_call(ranks, combining(call_on(Collective::allreduce, buffer), operator_on(buffer, op)), options);
}
template <SingleValue Value>
Value allreduce(Group ranks, const Value& value, const auto& op, const CallOptions& options = {}) {
  Value result = value;
  allreduce(ranks, std::span(std::addressof(value), 1), std::span(std::addressof(result), 1), op, options);
  return result;
}
Request iallreduce(Group ranks, const InputRange auto& input, OutputRange auto&& output, const auto& op,
                   const CallOptions& options = {}) {
  return start_call(ranks, combining(call_on(Collective::allreduce, input, output), operator_on(input, op)), options);
}
Request iallreduce_in_place(Group ranks, OutputRange auto&& buffer, const auto& op, const CallOptions& options = {}) {
  return start_call(ranks, combining(call_on(Collective::allreduce, buffer), operator_on(buffer, op)), options);
}

// Combines inputs of p blocks like allreduce; rank i gets block i of the result (MPI_Reduce_scatter_block). In place: the result is
// at the beginning of the buffer.
void reduce_scatter(Group ranks, const InputRange auto& input, OutputRange auto&& output, const auto& op,
                    const CallOptions& options = {}) {
  execute_call(ranks, combining(call_on(Collective::reduce_scatter, input, output), operator_on(input, op)), options);
}
void reduce_scatter_in_place(Group ranks, OutputRange auto&& buffer, const auto& op, const CallOptions& options = {}) {
  execute_call(ranks, combining(call_on(Collective::reduce_scatter, buffer), operator_on(buffer, op)), options);
}
Request ireduce_scatter(Group ranks, const InputRange auto& input, OutputRange auto&& output, const auto& op,
                        const CallOptions& options = {}) {
  return start_call(ranks, combining(call_on(Collective::reduce_scatter, input, output), operator_on(input, op)), options);
}
Request ireduce_scatter_in_place(Group ranks, OutputRange auto&& buffer, const auto& op, const CallOptions& options = {}) {
  return start_call(ranks, combining(call_on(Collective::reduce_scatter, buffer), operator_on(buffer, op)), options);
}

// Combines the inputs of ranks 0 to this one element by element, in rank order (inclusive prefix).
void scan(Group ranks, const InputRange auto& input, OutputRange auto&& output, const auto& op, const CallOptions& options = {}) {
  execute_call(ranks, combining(call_on(Collective::scan, input, output), operator_on(input, op)), options);
}
void scan_in_place(Group ranks, OutputRange auto&& buffer, const auto& op, const CallOptions& options = {}) {
  execute_call(ranks, combining(call_on(Collective::scan, buffer), operator_on(buffer, op)), options);
}
template <SingleValue Value>
Value scan(Group ranks, const Value& value, const auto& op, const CallOptions& options = {}) {
  Value result = value;
  scan(ranks, std::span(std::addressof(value), 1), std::span(std::addressof(result), 1), op, options);
  return result;
}
Request iscan(Group ranks, const InputRange auto& input, OutputRange auto&& output, const auto& op,
              const CallOptions& options = {}) {
  return start_call(ranks, combining(call_on(Collective::scan, input, output), operator_on(input, op)), options);
}
Request iscan_in_place(Group ranks, OutputRange auto&& buffer, const auto& op, const CallOptions& options = {}) {
  return start_call(ranks, combining(call_on(Collective::scan, buffer), operator_on(buffer, op)), options);
}

// As scan, but without this rank's own input (exclusive prefix). The output of rank 0 is left unchanged.
void exscan(Group ranks, const InputRange auto& input, OutputRange auto&& output, const auto& op, const CallOptions& options = {}) {
  execute_call(ranks, combining(call_on(Collective::exscan, input, output), operator_on(input, op)), options);
}
void exscan_in_place(Group ranks, OutputRange auto&& buffer, const auto& op, const CallOptions& options = {}) {
  execute_call(ranks, combining(call_on(Collective::exscan, buffer), operator_on(buffer, op)), options);
}
Request iexscan(Group ranks, const InputRange auto& input, OutputRange auto&& output, const auto& op,
                const CallOptions& options = {}) {
  return start_call(ranks, combining(call_on(Collective::exscan, input, output), operator_on(input, op)), options);
}
Request iexscan_in_place(Group ranks, OutputRange auto&& buffer, const auto& op, const CallOptions& options = {}) {
  return start_call(ranks, combining(call_on(Collective::exscan, buffer), operator_on(buffer, op)), options);
}

// Returns when all ranks have called it.
inline void barrier(Group ranks, const CallOptions& options = {}) {
  execute_call(ranks, {.collective = Collective::barrier}, options);
}
inline Request ibarrier(Group ranks, const CallOptions& options = {}) {
  return start_call(ranks, {.collective = Collective::barrier}, options);
}

}  // namespace quadrille
