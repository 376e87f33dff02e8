// SPDX-License-Identifier: BSD-3-Clause
// Describes typed calls to the library. collectives.hpp, neighborhood.hpp and typed_plan.hpp use it; programs use only `Blocks`,
// through these headers.
#pragma once

#include <iterator>
#include <optional>
#include <type_traits>

#include "quadrille/call.hpp"
#include "quadrille/combine.hpp"
#include "quadrille/elements.hpp"

namespace quadrille {

// ---- Calls with counts

// Reads the caller's counts or displacements, which may have any integer type. It owns nothing.
class CountList {
 public:
  CountList() = default;
  template <class Range>
  explicit CountList(const Range& range) {
    static_assert(CountRange<const Range>,
                  "counts and displacements are contiguous ranges of an integer type, such as std::vector<int>, with one value for "
                  "each rank; blocks are given as counts, {counts, displacements}, or {}");
    if constexpr (CountRange<const Range>) {
      numbers_ = std::data(range), size_ = std::size(range);
      read_ = [](const void* numbers, std::size_t i) {
        return static_cast<Count>(static_cast<const ElementOf<const Range>*>(numbers)[i]);
      };
    }
  }

  std::size_t size() const { return size_; }
  Count operator[](std::size_t i) const { return read_(numbers_, i); }

 private:
  const void* numbers_ = nullptr;
  std::size_t size_ = 0;
  Count (*read_)(const void* numbers, std::size_t i) = nullptr;
};

// The blocks that a call or plan sends, or those that it receives, one for each rank. Calls take them as `counts` or as `{counts,
// displacements}`, in elements. The object refers to these lists and owns nothing.
struct Blocks {
  Blocks() = default;
  template <class Counts>
  Blocks(const Counts& each) : counts(each) {}
  template <class Counts, class Displacements>
  Blocks(const Counts& each, const Displacements& places) : counts(each), displacements(places) {}

  CountList counts{};
  std::optional<CountList> displacements{};  // absent: the blocks follow each other without gaps
};

struct IrregularCall {
  CallArguments arguments;
  // alltoallv uses both. In place, `send` may be empty; then each received block replaces the block sent to the same rank.
  // scatterv and reduce_scatterv use `send`; allgatherv and gatherv use `receive`. scatterv and gatherv use them at the root only.
  Blocks send{}, receive{};
  // If false, the numbers of elements in `arguments` are ignored, except the rank's own count in a gatherv or scatterv.
  bool has_buffers = true;
};

// These three are collective. The counts are read during the call only.
Plan plan_irregular(Communicator& ranks, const IrregularCall& call, const PlanOptions& options);

void execute_irregular(Communicator& ranks, const IrregularCall& call, const CallOptions& options);
Request start_irregular(Communicator& ranks, const IrregularCall& call, const CallOptions& options);

// ---- What a call reads and writes

// Any type but CallOptions. Otherwise a call on one value, with options, would match the form that takes an output.
template <class Op>
concept ElementOperation = !std::is_same_v<Op, CallOptions>;

// For a wrong argument the compiler prints one sentence. No other template is then instantiated, because it would add further
// errors.
template <class Input, class Output>
CallArguments call_on(Collective collective, const Input& input, Output& output, Rank root = 0) {
  constexpr bool is_in_place = std::is_same_v<Input, InPlace>;
  static_assert(is_in_place || InputRange<const Input>,
                "an input is a contiguous range of trivially copyable elements, such as a std::vector or std::span, or in_place; "
                "pass one value as std::span(&value, 1)");
  static_assert(OutputRange<Output>,
                "an output is a contiguous range of trivially copyable elements that are not const, such as a std::vector or "
                "std::span; pass one value as std::span(&value, 1)");
  CallArguments arguments{.collective = collective, .in_place = is_in_place, .root = root};
  if constexpr (OutputRange<Output>) {
    arguments.output = std::data(output);
    arguments.output_elements = count_of(output);
    arguments.element_bytes = sizeof(ElementOf<Output>);
  }
  if constexpr (InputRange<const Input> && OutputRange<Output>) {
    static_assert(std::is_same_v<ElementOf<const Input>, ElementOf<Output>>, "input and output have elements of one type");
    arguments.input = std::data(input);
    arguments.input_elements = count_of(input);
  }
  return arguments;
}

// Returns the operator that combines elements of the buffer. It must not outlive `op`.
template <class Buffer, class Op>
CallOperator operator_on(const Buffer&, const Op& op) {
  if constexpr (InputRange<const Buffer>)
    return OperatorFor<ElementOf<const Buffer>, Op>::of(op);
  else
    return {};  // refused by call_on
}

// Returns the call with its operator, which must outlive the result.
inline CallArguments combining(CallArguments arguments, const CallOperator& operation) {
  arguments.operation = &operation;
  return arguments;
}

}  // namespace quadrille
