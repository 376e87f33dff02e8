// SPDX-License-Identifier: BSD-3-Clause
// Passes typed calls with counts to the library. irregular_collectives.hpp and typed_plan.hpp use it; programs do not.
#pragma once

#include <iterator>
#include <optional>
#include <vector>

#include "quadrille/call.hpp"
#include "quadrille/elements.hpp"

namespace quadrille {

// The blocks on one side of a plan, one per rank, in elements.
struct Blocks {
  std::vector<Count> counts;
  std::optional<std::vector<Count>> displacements;  // absent: the blocks follow each other without gaps
};

// Reads the caller's counts or displacements, which may have any integer type. It owns nothing.
class CountList {
 public:
  CountList() = default;
  template <CountRange Range>
  explicit CountList(const Range& range) : numbers_(std::data(range)), size_(std::size(range)) {
    read_ = [](const void* numbers, std::size_t i) {
      return static_cast<Count>(static_cast<const ElementOf<const Range>*>(numbers)[i]);
    };
  }

  std::size_t size() const { return size_; }
  Count operator[](std::size_t i) const { return read_(numbers_, i); }

 private:
  const void* numbers_ = nullptr;
  std::size_t size_ = 0;
  Count (*read_)(const void* numbers, std::size_t i) = nullptr;
};

// The blocks on one side of a call. It owns nothing.
struct BlockList {
  BlockList() = default;
  BlockList(const Blocks& blocks) : counts(blocks.counts) {
    if (blocks.displacements) displacements.emplace(*blocks.displacements);
  }
  template <CountRange Counts>
  explicit BlockList(const Counts& each) : counts(each) {}
  template <CountRange Counts, CountRange Displacements>
  BlockList(const Counts& each, const Displacements& places) : counts(each), displacements(places) {}

  CountList counts{};
  std::optional<CountList> displacements{};  // absent: the blocks follow each other without gaps
};

struct IrregularCall {
  CallArguments arguments;
  // alltoallv uses both. In place, `send` may be empty; then each received block replaces the block sent to the same rank.
  // scatterv and reduce_scatterv use `send`; allgatherv and gatherv use `receive`. scatterv and gatherv use them at the root only.
  BlockList send{}, receive{};
  // If false, the numbers of elements in `arguments` are ignored, except the rank's own count in a gatherv or scatterv.
  bool has_buffers = true;
};

template <CountRange Range>
std::vector<Count> as_counts(const Range& range) {
  std::vector<Count> counts;
  for (std::size_t i = 0; i < std::size(range); ++i) counts.push_back(static_cast<Count>(std::data(range)[i]));
  return counts;
}

template <CountRange Counts>
Blocks packed_blocks(const Counts& counts) {
  return {as_counts(counts), std::nullopt};
}

template <CountRange Counts, CountRange Displacements>
Blocks placed_blocks(const Counts& counts, const Displacements& displacements) {
  return {as_counts(counts), as_counts(displacements)};
}

// These three are collective. The counts are read during the call only.
Plan plan_irregular(Communicator& ranks, const IrregularCall& call, const PlanOptions& options);

void execute_irregular(Communicator& ranks, const IrregularCall& call, const CallOptions& options);
Request start_irregular(Communicator& ranks, const IrregularCall& call, const CallOptions& options);

}  // namespace quadrille
