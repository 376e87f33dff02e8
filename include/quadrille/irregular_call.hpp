// SPDX-License-Identifier: BSD-3-Clause
// Typed calls with counts: the blocks that they take, and how the library gets them. Programs use only `Blocks`, by way of
// collectives.hpp and typed_plan.hpp.
#pragma once

#include <iterator>
#include <optional>

#include "quadrille/call.hpp"
#include "quadrille/elements.hpp"

namespace quadrille {

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

// The blocks on one side of a call or plan, one for each rank. Calls take them as `counts` or as `{counts, displacements}`, in
// elements. It refers to these lists and owns nothing.
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

}  // namespace quadrille
