// SPDX-License-Identifier: BSD-3-Clause
#include "known_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "execute/agreement.hpp"
#include "quadrille/error.hpp"
#include "quadrille/execute.hpp"

namespace quadrille::python {
namespace {

// The places of a side's blocks, in bytes. Throws if they are not as many as the ranks, or if the buffer is too short for them.
Layout places_of(const Blocks& blocks, Count ranks, Bytes element_bytes, Count elements, std::string_view buffer) {
  std::vector<Count> counts, displacements;
  for (std::size_t i = 0; i < blocks.counts.size(); ++i) {
    displacements.push_back(blocks.displacements && i < blocks.displacements->size() ? (*blocks.displacements)[i]
                            : counts.empty()                                         ? 0
                                                                                     : displacements.back() + counts.back());
    counts.push_back(blocks.counts[i]);
  }
  if (static_cast<Count>(counts.size()) != ranks ||
      (blocks.displacements && static_cast<Count>(blocks.displacements->size()) != ranks))
    throw Error(ErrorCode::misuse,
                fmt::format("the lists of the {}'s blocks do not have a number for each of the {} ranks", buffer, ranks));
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] < 0 || (counts[i] > 0 && (displacements[i] < 0 || displacements[i] > elements - counts[i])))
      throw Error(ErrorCode::misuse, fmt::format("alltoallv's {} has {} elements, and block {} is {} elements at {}", buffer,
                                                 elements, i, counts[i], displacements[i]));
  return layout(counts, displacements, element_bytes);
}

void check_received(const Problem& problem, Rank me, const Layout& received) {
  for (Rank from = 0; from < problem.ranks; ++from) {
    const Bytes sent = (*problem.counts)[static_cast<std::size_t>(from * problem.ranks + me)];
    const Bytes expected = received[static_cast<std::size_t>(from)].length;
    if (sent != expected)
      throw Error(ErrorCode::misuse, fmt::format("rank {} sends {} B to rank {}, which expects {} B", from, sent, me, expected));
  }
}

}  // namespace

Plan plan_with_all_counts(Communicator& group, const IrregularCall& call, PlanOptions options) {
  const CallArguments& arguments = call.arguments;
  options.layouts = made_or_thrown(group, [&] {
    return Layouts{places_of(call.send, group.size(), arguments.element_bytes, arguments.input_elements, "input"),
                   places_of(call.receive, group.size(), arguments.element_bytes, arguments.output_elements, "output")};
  });
  std::vector<Bytes> row;
  for (const LayoutPiece& piece : options.layouts.input) row.push_back(piece.length);
  const Problem problem = alltoallv_of_rows(group, row);
  made_or_thrown(group, [&] {
    check_received(problem, group.rank(), options.layouts.output);
    return '\0';
  });
  return plan(group, problem, options);
}

}  // namespace quadrille::python
