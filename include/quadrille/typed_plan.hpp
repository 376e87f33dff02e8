// SPDX-License-Identifier: BSD-3-Clause
// Plans of typed collectives, for calls that a program repeats: plan once, execute often.
//
//   TypedPlan<double> exchange = plan_alltoall<double>(ranks, 100);   // 100 elements from each rank to each
//   exchange.execute(input, output);                                  // 100 p elements each
//   Request request = exchange.start(input, output);
//
// Making a plan is collective, and throws as `plan` does. With PlanOptions::in_place, and for a broadcast, a plan runs on one
// buffer, as a call in place does. An operator that is a function is copied into the plan.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include "quadrille/combine.hpp"
#include "quadrille/elements.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/typed_call.hpp"

namespace quadrille {

// Returns an operator that owns everything it needs. Throws Error{misuse} if its elements do not have `element_bytes` bytes.
std::shared_ptr<const Operator> operator_owning(const CallOperator& operation, Bytes element_bytes);

// Throws Error{misuse} if a buffer has fewer elements than the plan reads or writes there. Used by TypedPlan.
void check_room(std::string_view buffer, Count has, Count needs);

// Returns the least number of elements that a buffer must have to hold the layout or, without a layout, `bytes` bytes. Throws
// Error{misuse} if a piece of the layout begins before the buffer.
Count elements_reached(const Layout& layout, Bytes bytes, Bytes element_bytes);

template <class T>
class TypedPlan {
  static_assert(std::is_trivially_copyable_v<T>, "elements are sent as they lie in memory");

 public:
  // `input_elements` and `output_elements` are the least sizes of the buffers. An in-place buffer must have the larger of the two.
  TypedPlan(Plan made, Count input_elements, Count output_elements)
      : plan_(std::move(made)), input_elements_(input_elements), output_elements_(output_elements) {}

  // As Plan::execute, start, execute_in_place and start_in_place. They also throw Error{misuse} if a buffer is too short.
  template <InputRange Input, OutputRange Output>
  void execute(const Input& input, Output&& output) {
    check(input, output);
    plan_.execute(std::data(input), std::data(output));
  }

  template <InputRange Input, OutputRange Output>
  Request start(const Input& input, Output&& output) {
    check(input, output);
    return plan_.start(std::data(input), std::data(output));
  }

  template <OutputRange Buffer>
  void execute_in_place(Buffer&& buffer) {
    check(buffer);
    plan_.execute_in_place(std::data(buffer));
  }

  template <OutputRange Buffer>
  Request start_in_place(Buffer&& buffer) {
    check(buffer);
    return plan_.start_in_place(std::data(buffer));
  }

  Plan& untyped() { return plan_; }
  const Plan& untyped() const { return plan_; }

 private:
  template <class Input, class Output>
  void check(const Input& input, const Output& output) const {
    static_assert(std::is_same_v<ElementOf<const Input>, T> && std::is_same_v<ElementOf<const Output>, T>,
                  "the buffers have the plan's type of elements");
    check_room("input", count_of(input), input_elements_);
    check_room("output", count_of(output), output_elements_);
  }

  template <class Buffer>
  void check(const Buffer& buffer) const {
    static_assert(std::is_same_v<ElementOf<const Buffer>, T>, "the buffer has the plan's type of elements");
    check_room("buffer", count_of(buffer), std::max(input_elements_, output_elements_));
  }

  Plan plan_;
  Count input_elements_, output_elements_;
};

namespace call_detail {

// `operation`: null unless the collective is a reduction.
template <class T>
TypedPlan<T> regular_plan(Communicator& ranks, Collective collective, Count count, Rank root, const PlanOptions& options,
                          const Operator* operation = nullptr) {
  Problem problem;
  problem.collective = collective;
  problem.ranks = ranks.size();
  // an overflow becomes the largest size, which the plan refuses
  problem.block_bytes = times_at_most(count, sizeof(T), std::numeric_limits<Bytes>::max());
  problem.root = root;
  if (operation) problem.element_bytes = operation->element_bytes, problem.commutative = operation->commutative;
  Plan made = plan(ranks, problem, options);
  return {std::move(made), elements_reached(options.layouts.input, input_bytes(problem, ranks.rank()), sizeof(T)),
          elements_reached(options.layouts.output, output_bytes(problem, ranks.rank()), sizeof(T))};
}

template <class T, class Op>
TypedPlan<T> combining_plan(Communicator& ranks, Collective collective, Count count, Rank root, const Op& op, PlanOptions options) {
  options.operation = operator_owning(OperatorFor<T, Op>::of(op), sizeof(T));
  if constexpr (std::is_convertible_v<const Op&, std::shared_ptr<const Operator>>)
    options.operation = op;  // keeps its MPI handles, for the MPI library's own collective
  return regular_plan<T>(ranks, collective, count, root, options, options.operation.get());
}

// Returns the number of elements from the buffer's beginning to the end of the last block.
inline Count reach(const Blocks& blocks) {
  Count last = 0, before = 0;
  for (std::size_t i = 0; i < blocks.counts.size(); ++i) {
    const Count count = blocks.counts[i];
    if (blocks.displacements && count > 0) last = std::max(last, (*blocks.displacements)[i] + count);
    if (!blocks.displacements) last = before += count;
  }
  return last;
}

// Returns the number of elements of this rank's block; 0 if the list is too short, which the plan refuses.
inline Count own_count(Communicator& ranks, const Blocks& blocks) {
  const auto me = static_cast<std::size_t>(ranks.rank());
  return me < blocks.counts.size() ? blocks.counts[me] : 0;
}

// `count`: elements of this rank's own block, for collectives in which only the root has the list of blocks.
template <class T>
TypedPlan<T> irregular_plan(Communicator& ranks, Collective collective, const Blocks& send, const Blocks& receive, Count count,
                            Rank root, const CallOperator* operation, const PlanOptions& options) {
  const IrregularCall call{{.collective = collective,
                            .in_place = options.in_place,
                            .input_elements = count,
                            .output_elements = count,
                            .element_bytes = sizeof(T),
                            .root = root,
                            .operation = operation},
                           send,
                           receive,
                           /*has_buffers=*/false};
  const bool has_blocks = !is_rooted(collective) || ranks.rank() == root;
  const auto needs = [&](const Blocks& blocks) { return has_blocks ? reach(blocks) : Count{0}; };
  const bool sends_blocks = collective != Collective::allgatherv && collective != Collective::gatherv;
  const bool receives_blocks = collective != Collective::reduce_scatterv && collective != Collective::scatterv;
  return {plan_irregular(ranks, call, options), sends_blocks ? needs(send) : count, receives_blocks ? needs(receive) : count};
}

}  // namespace call_detail

// `count`: elements in a block, as in MPI. Input and output are those of the function without `plan_` in collectives.hpp.
template <class T>
TypedPlan<T> plan_alltoall(Group ranks, Count count, const PlanOptions& options = {}) {
  return call_detail::regular_plan<T>(ranks, Collective::alltoall, count, 0, options);
}
template <class T>
TypedPlan<T> plan_allgather(Group ranks, Count count, const PlanOptions& options = {}) {
  return call_detail::regular_plan<T>(ranks, Collective::allgather, count, 0, options);
}

// The plan is always in place.
template <class T>
TypedPlan<T> plan_broadcast(Group ranks, Count count, Rank root = 0, PlanOptions options = {}) {
  options.in_place = true;
  return call_detail::regular_plan<T>(ranks, Collective::broadcast, count, root, options);
}

template <class T>
TypedPlan<T> plan_scatter(Group ranks, Count count, Rank root = 0, const PlanOptions& options = {}) {
  return call_detail::regular_plan<T>(ranks, Collective::scatter, count, root, options);
}
template <class T>
TypedPlan<T> plan_gather(Group ranks, Count count, Rank root = 0, const PlanOptions& options = {}) {
  return call_detail::regular_plan<T>(ranks, Collective::gather, count, root, options);
}
template <class T>
TypedPlan<T> plan_reduce(Group ranks, Count count, const auto& op, Rank root = 0, const PlanOptions& options = {}) {
  return call_detail::combining_plan<T>(ranks, Collective::reduce, count, root, op, options);
}
template <class T>
TypedPlan<T> plan_allreduce(Group ranks, Count count, const auto& op, const PlanOptions& options = {}) {
  return call_detail::combining_plan<T>(ranks, Collective::allreduce, count, 0, op, options);
}
template <class T>
TypedPlan<T> plan_reduce_scatter(Group ranks, Count count, const auto& op, const PlanOptions& options = {}) {
  return call_detail::combining_plan<T>(ranks, Collective::reduce_scatter, count, 0, op, options);
}
template <class T>
TypedPlan<T> plan_scan(Group ranks, Count count, const auto& op, const PlanOptions& options = {}) {
  return call_detail::combining_plan<T>(ranks, Collective::scan, count, 0, op, options);
}
template <class T>
TypedPlan<T> plan_exscan(Group ranks, Count count, const auto& op, const PlanOptions& options = {}) {
  return call_detail::combining_plan<T>(ranks, Collective::exscan, count, 0, op, options);
}

// Plans whose blocks differ in length. Blocks are counts or {counts, displacements}, as in collectives.hpp, and are read while the
// plan is made. A plan can be executed again as long as the counts stay the same.
//
// In place, plan_alltoallv sends and receives its blocks at these places of one buffer; received blocks must not overlap each
// other. If `send` is empty, {}, the block received from a rank replaces the block sent to that rank.
template <class T>
TypedPlan<T> plan_alltoallv(Group ranks, const Blocks& send, const Blocks& receive, const PlanOptions& options = {}) {
  return call_detail::irregular_plan<T>(ranks, Collective::alltoallv, send, receive, 0, 0, nullptr, options);
}
template <class T>
TypedPlan<T> plan_allgatherv(Group ranks, const Blocks& receive, const PlanOptions& options = {}) {
  return call_detail::irregular_plan<T>(ranks, Collective::allgatherv, {}, receive, call_detail::own_count(ranks, receive), 0,
                                        nullptr, options);
}

// `count`: elements that this rank contributes. `receive` is significant at the root only.
template <class T>
TypedPlan<T> plan_gatherv(Group ranks, Count count, const Blocks& receive, Rank root = 0, const PlanOptions& options = {}) {
  return call_detail::irregular_plan<T>(ranks, Collective::gatherv, {}, receive, count, root, nullptr, options);
}

// `count`: elements that this rank receives. The blocks are read at the root only.
template <class T>
TypedPlan<T> plan_scatterv(Group ranks, const Blocks& send, Count count, Rank root = 0, const PlanOptions& options = {}) {
  return call_detail::irregular_plan<T>(ranks, Collective::scatterv, send, {}, count, root, nullptr, options);
}

template <class T, class Op>
TypedPlan<T> plan_reduce_scatterv(Group ranks, const Blocks& blocks, const Op& op, const PlanOptions& options = {}) {
  const CallOperator operation = OperatorFor<T, Op>::of(op);
  return call_detail::irregular_plan<T>(ranks, Collective::reduce_scatterv, blocks, {}, call_detail::own_count(ranks, blocks), 0,
                                        &operation, options);
}

}  // namespace quadrille
