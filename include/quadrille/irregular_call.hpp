// SPDX-License-Identifier: BSD-3-Clause
// What the typed calls with counts hand to the library. For irregular_collectives.hpp and typed_plan.hpp; programs do not use it.
#pragma once

#include <iterator>
#include <optional>
#include <vector>

#include "quadrille/call.hpp"
#include "quadrille/elements.hpp"

namespace quadrille {

// Blocks of one side of a call, one for each rank, in elements.
struct Blocks {
  std::vector<Count> counts;
  std::optional<std::vector<Count>> displacements;  // none: the blocks follow each other
};

struct IrregularCall {
  // Without buffers its numbers of elements are ignored, except the own count of a gatherv or scatterv.
  CallArguments arguments;
  bool has_buffers = true;
  // alltoallv uses both; in place, `send` may be empty, and then each block that is received replaces the one that is sent.
  // scatterv and reduce_scatterv use `send`, allgatherv and gatherv use `receive`. scatterv and gatherv use them at the root only.
  Blocks send, receive;
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

// Collective, and so are the next two.
Plan plan_irregular(Communicator& ranks, const IrregularCall& call, const PlanOptions& options);

void execute_irregular(Communicator& ranks, const IrregularCall& call, const CallOptions& options);
Request start_irregular(Communicator& ranks, const IrregularCall& call, const CallOptions& options);

}  // namespace quadrille
