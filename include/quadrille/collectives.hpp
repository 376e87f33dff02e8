// SPDX-License-Identifier: BSD-3-Clause
// The collectives as functions on typed memory, one call each:
//
//   std::vector<double> input(p * n), output(p * n);
//   alltoall(ranks, input, output);                // block j of the input goes to rank j; block i of the output is from rank i
//   alltoall(ranks, in_place, output);             // the same in one buffer
//   alltoallv(ranks, input, send_counts, output, {receive_counts, receive_displacements});   // blocks of different lengths
//   double longest = allreduce(ranks, length, op::max);
//   Request exchange = ialltoall(ranks, input, output);   // request.hpp
//
// `ranks` is a Communicator or a pointer to one (Group in execute.hpp).
//
// Buffers are anything with data() and size() (elements.hpp). Input and output of a call have the same trivially copyable element
// type and must not overlap. Sizes are in elements.
//
// If `in_place` is passed as the input, the buffer of the output holds the input, and the result replaces it, as with
// MPI_IN_PLACE. Either all ranks pass `in_place`, or none. A nonblocking call, whose name begins with i, returns a request; the
// buffers must not be touched until the request is over.
//
// All functions are collective: every rank of `ranks` calls them, in the same order, with the same block length, root, operator and
// options. A call returns when this rank's output is complete and its input may be changed.
//
// The first call with certain sizes, root, operator and options chooses an algorithm and makes a plan together with the other
// ranks; later calls with the same arguments reuse that plan (call.hpp). Therefore the first such call waits for all ranks even
// if it is nonblocking. If ranks compare their calls (see below), every nonblocking call waits for all ranks. To avoid this, make
// plans beforehand (typed_plan.hpp).
//
// Errors: a call throws Error{misuse} on this rank, before anything is sent, if the sizes do not match each other or the number of
// ranks, or if the root is not a rank. It also throws the errors of `plan` and Plan::execute. In debug builds (without NDEBUG),
// and with QUADRILLE_CHECK=1 in the environment, ranks compare, before each call, the arguments that must be equal. If arguments
// differ, all ranks throw Error{misuse}, which names both values. With this comparison, wrong sizes on one rank make all ranks
// throw, too.
#pragma once

#include <memory>
#include <span>

#include "quadrille/execute.hpp"
#include "quadrille/typed_call.hpp"
#include "quadrille/typed_plan.hpp"

namespace quadrille {

// Input and output are p blocks each: block j of the input goes to rank j, block i of the output comes from rank i.
void alltoall(Group ranks, const auto& input, auto&& output, const CallOptions& options = {}) {
  execute_call(ranks, call_on(Collective::alltoall, input, output), options);
}
Request ialltoall(Group ranks, const auto& input, auto&& output, const CallOptions& options = {}) {
  return start_call(ranks, call_on(Collective::alltoall, input, output), options);
}

// The input is one block. The output is p blocks; block i is the input of rank i. In place: this rank's block is already at its
// place in the output.
void allgather(Group ranks, const auto& input, auto&& output, const CallOptions& options = {}) {
  execute_call(ranks, call_on(Collective::allgather, input, output), options);
}
Request iallgather(Group ranks, const auto& input, auto&& output, const CallOptions& options = {}) {
  return start_call(ranks, call_on(Collective::allgather, input, output), options);
}

// Copies the root's buffer into the buffers of all other ranks. All buffers have the same length.
void broadcast(Group ranks, auto&& buffer, Rank root = 0, const CallOptions& options = {}) {
  execute_call(ranks, call_on(Collective::broadcast, in_place, buffer, root), options);
}
void broadcast(Group ranks, SingleValue auto& value, Rank root = 0, const CallOptions& options = {}) {
  broadcast(ranks, std::span(std::addressof(value), 1), root, options);
}
Request ibroadcast(Group ranks, auto&& buffer, Rank root = 0, const CallOptions& options = {}) {
  return start_call(ranks, call_on(Collective::broadcast, in_place, buffer, root), options);
}

// Rank i receives block i of the root's input. The input has p blocks and is read at the root only. In place: the root's buffer
// holds the p blocks, and the root's own block stays in it.
void scatter(Group ranks, const auto& input, auto&& output, Rank root = 0, const CallOptions& options = {}) {
  execute_call(ranks, call_on(Collective::scatter, input, output, root), options);
}
Request iscatter(Group ranks, const auto& input, auto&& output, Rank root = 0, const CallOptions& options = {}) {
  return start_call(ranks, call_on(Collective::scatter, input, output, root), options);
}

// The output at the root is p blocks; block i is the input of rank i. Other ranks' outputs are not used. In place: the root's
// buffer holds the p blocks, and the root's own block is already at its place; on other ranks the buffer is the block to send.
void gather(Group ranks, const auto& input, auto&& output, Rank root = 0, const CallOptions& options = {}) {
  execute_call(ranks, call_on(Collective::gather, input, output, root), options);
}
Request igather(Group ranks, const auto& input, auto&& output, Rank root = 0, const CallOptions& options = {}) {
  return start_call(ranks, call_on(Collective::gather, input, output, root), options);
}

// Combines the inputs of all ranks element by element, in rank order, into the root's output. Other ranks' outputs are not used. In
// place: the result replaces the root's buffer.
void reduce(Group ranks, const auto& input, auto&& output, const auto& op, Rank root = 0, const CallOptions& options = {}) {
  execute_call(ranks, combining(call_on(Collective::reduce, input, output, root), operator_on(output, op)), options);
}
Request ireduce(Group ranks, const auto& input, auto&& output, const auto& op, Rank root = 0, const CallOptions& options = {}) {
  return start_call(ranks, combining(call_on(Collective::reduce, input, output, root), operator_on(output, op)), options);
}

// Combines the inputs of all ranks element by element, in rank order; every rank gets the result.
void allreduce(Group ranks, const auto& input, auto&& output, const ElementOperation auto& op, const CallOptions& options = {}) {
  execute_call(ranks, combining(call_on(Collective::allreduce, input, output), operator_on(output, op)), options);
}
template <SingleValue Value>
Value allreduce(Group ranks, const Value& value, const auto& op, const CallOptions& options = {}) {
  Value result = value;
  allreduce(ranks, std::span(std::addressof(value), 1), std::span(std::addressof(result), 1), op, options);
  return result;
}
Request iallreduce(Group ranks, const auto& input, auto&& output, const auto& op, const CallOptions& options = {}) {
  return start_call(ranks, combining(call_on(Collective::allreduce, input, output), operator_on(output, op)), options);
}

// Combines inputs of p blocks like allreduce; rank i gets block i of the result (MPI_Reduce_scatter_block). In place: the result is
// at the beginning of the buffer.
void reduce_scatter(Group ranks, const auto& input, auto&& output, const auto& op, const CallOptions& options = {}) {
  execute_call(ranks, combining(call_on(Collective::reduce_scatter, input, output), operator_on(output, op)), options);
}
Request ireduce_scatter(Group ranks, const auto& input, auto&& output, const auto& op, const CallOptions& options = {}) {
  return start_call(ranks, combining(call_on(Collective::reduce_scatter, input, output), operator_on(output, op)), options);
}

// Rank i gets the combination of the inputs of ranks 0 to i, element by element, in rank order (inclusive prefix).
void scan(Group ranks, const auto& input, auto&& output, const ElementOperation auto& op, const CallOptions& options = {}) {
  execute_call(ranks, combining(call_on(Collective::scan, input, output), operator_on(output, op)), options);
}
template <SingleValue Value>
Value scan(Group ranks, const Value& value, const auto& op, const CallOptions& options = {}) {
  Value result = value;
  scan(ranks, std::span(std::addressof(value), 1), std::span(std::addressof(result), 1), op, options);
  return result;
}
Request iscan(Group ranks, const auto& input, auto&& output, const auto& op, const CallOptions& options = {}) {
  return start_call(ranks, combining(call_on(Collective::scan, input, output), operator_on(output, op)), options);
}

// As scan, but without this rank's own input (exclusive prefix). The output of rank 0 is left unchanged.
void exscan(Group ranks, const auto& input, auto&& output, const auto& op, const CallOptions& options = {}) {
  execute_call(ranks, combining(call_on(Collective::exscan, input, output), operator_on(output, op)), options);
}
Request iexscan(Group ranks, const auto& input, auto&& output, const auto& op, const CallOptions& options = {}) {
  return start_call(ranks, combining(call_on(Collective::exscan, input, output), operator_on(output, op)), options);
}

// Returns when all ranks have called it.
inline void barrier(Group ranks, const CallOptions& options = {}) {
  execute_call(ranks, {.collective = Collective::barrier}, options);
}
inline Request ibarrier(Group ranks, const CallOptions& options = {}) {
  return start_call(ranks, {.collective = Collective::barrier}, options);
}

// ---- Blocks of different lengths
//
// Blocks are given as `counts`, if they follow each other in the buffer, or as `{counts, displacements}`. Counts and
// displacements are contiguous ranges of any integer type, with one value per rank, in elements. A buffer may be longer than its
// blocks.
//
// alltoallv, gatherv and scatterv make no plan, so counts may change in every call. A rank waits only for the ranks that send it
// data or get data from it, and a nonblocking call waits for no rank. In the first such call of a group, however, all ranks wait
// for each other, because they allocate memory together. In an alltoallv on several nodes a rank also waits for ranks of its
// node, as exchange.hpp says, because short blocks from one node to another may go in one message. If CallOptions names an
// algorithm, a policy or an executor, each call makes a new plan, and no rank returns before all ranks have called. This also
// holds for nonblocking calls. If counts stay the same, keep a plan instead: plan_alltoallv and so on (typed_plan.hpp).
//
// allgatherv and reduce_scatterv: all ranks give the same counts. So plans are kept, and a call finds the plan of an earlier call
// with equal counts. Displacements may differ between calls and between ranks.
//
// Plans that these calls make use the algorithm `direct` (`linear` if there is a root) unless CallOptions names another one,
// because choosing an algorithm takes several times as long as making a plan. plan_allgatherv and the other plan functions choose
// an algorithm.
//
// Errors: a wrong number of counts, a negative count, and a block that reaches beyond the end of its buffer are Error{misuse} at
// the rank that has them, before it sends anything. If two ranks disagree on the length of a block that one sends to the other, the
// receiver throws Error{misuse}, which names both ranks and both lengths. The receiver's other blocks are then complete, and all
// ranks may go on. If the call makes a plan, or the ranks compare their calls, all ranks throw.

// Block j of `send` goes to rank j; block i of `receive` comes from rank i. In place, `send` is {}: the block from rank i replaces
// the block sent to rank i, and has the same length.
void alltoallv(Group ranks, const auto& input, const Blocks& send, auto&& output, const Blocks& receive,
               const CallOptions& options = {}) {
  execute_irregular(ranks, {call_on(Collective::alltoallv, input, output), send, receive}, options);
}
Request ialltoallv(Group ranks, const auto& input, const Blocks& send, auto&& output, const Blocks& receive,
                   const CallOptions& options = {}) {
  return start_irregular(ranks, {call_on(Collective::alltoallv, input, output), send, receive}, options);
}

// Block i of the output is the whole input of rank i. All ranks give the same counts. In place: this rank's block is already at its
// place in the buffer.
void allgatherv(Group ranks, const auto& input, auto&& output, const Blocks& blocks, const CallOptions& options = {}) {
  execute_irregular(ranks, {call_on(Collective::allgatherv, input, output), {}, blocks}, options);
}
Request iallgatherv(Group ranks, const auto& input, auto&& output, const Blocks& blocks, const CallOptions& options = {}) {
  return start_irregular(ranks, {call_on(Collective::allgatherv, input, output), {}, blocks}, options);
}

// As allgatherv, but only the root gets the output. Other ranks' output and blocks are not read. In place: the root's buffer
// holds all blocks, and the root's own block is already at its place; on other ranks the buffer is the block to send.
void gatherv(Group ranks, const auto& input, auto&& output, const Blocks& blocks, Rank root = 0, const CallOptions& options = {}) {
  execute_irregular(ranks, {call_on(Collective::gatherv, input, output, root), {}, blocks}, options);
}
Request igatherv(Group ranks, const auto& input, auto&& output, const Blocks& blocks, Rank root = 0,
                 const CallOptions& options = {}) {
  return start_irregular(ranks, {call_on(Collective::gatherv, input, output, root), {}, blocks}, options);
}

// Rank i's output is block i of the root's input. Other ranks' input and blocks are not read. In place: the root's buffer holds
// all blocks, and the root's own block stays in it; on other ranks the buffer receives the block.
void scatterv(Group ranks, const auto& input, const Blocks& blocks, auto&& output, Rank root = 0, const CallOptions& options = {}) {
  execute_irregular(ranks, {call_on(Collective::scatterv, input, output, root), blocks}, options);
}
Request iscatterv(Group ranks, const auto& input, const Blocks& blocks, auto&& output, Rank root = 0,
                  const CallOptions& options = {}) {
  return start_irregular(ranks, {call_on(Collective::scatterv, input, output, root), blocks}, options);
}

// Combines the inputs of all ranks element by element, in rank order; rank i gets block i. All ranks give the same counts. In
// place: the result is at the beginning of the buffer.
void reduce_scatterv(Group ranks, const auto& input, auto&& output, const Blocks& blocks, const auto& op,
                     const CallOptions& options = {}) {
  execute_irregular(ranks, {combining(call_on(Collective::reduce_scatterv, input, output), operator_on(output, op)), blocks},
                    options);
}
Request ireduce_scatterv(Group ranks, const auto& input, auto&& output, const Blocks& blocks, const auto& op,
                         const CallOptions& options = {}) {
  return start_irregular(ranks, {combining(call_on(Collective::reduce_scatterv, input, output), operator_on(output, op)), blocks},
                         options);
}

}  // namespace quadrille
