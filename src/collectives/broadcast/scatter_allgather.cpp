// SPDX-License-Identifier: BSD-3-Clause
// broadcast/scatter-allgather: cut the vector into a piece for each rank, deal the pieces out, collect them everywhere.
// Source  [grama2003] improving the performance of operations; van de Geijn's broadcast in MPI libraries.
// Needs   nothing: any p, any root, pieces that differ by a byte where p does not divide b.
// Idea    scatterv/binomial, then allgatherv/ring, joined: a rank's share lies in the output where the vector has it.
// Cost    C1 = ceil(log2 p) + p - 1 rounds, C2 = 2 b (p - 1) / p bytes, where p divides b.
// Prefer  long vectors on few ranks.
#include "patterns/cut.hpp"
#include "quadrille/algorithm.hpp"
#include "schedule/transform.hpp"

namespace quadrille {
namespace {

struct Parts : Analysis {
  Schedule scatter, allgather;
};

std::shared_ptr<const Analysis> analyse(const Problem& problem, const Parameters&) {
  std::vector<Bytes> pieces(static_cast<std::size_t>(problem.ranks));
  for (Rank rank = 0; rank < problem.ranks; ++rank)
    pieces[static_cast<std::size_t>(rank)] =
        cut_position(problem.block_bytes, problem.ranks, rank + 1) - cut_position(problem.block_bytes, problem.ranks, rank);
  Problem part = problem;
  part.block_bytes = 0;
  part.counts = std::make_shared<const std::vector<Bytes>>(std::move(pieces));
  auto parts = std::make_shared<Parts>();
  part.collective = Collective::scatterv;
  parts->scatter = make_schedule(part, "binomial");
  part.collective = Collective::allgatherv;
  part.root = 0;
  parts->allgather = make_schedule(part, "ring");
  return parts;
}

Program generate(const Problem& problem, const Parameters&, const Analysis* analysis, Rank me) {
  const auto& parts = static_cast<const Parts&>(*analysis);
  const Placement piece{Buffer::output, cut_position(problem.block_bytes, problem.ranks, me)};
  return joined({.program = parts.scatter.program(me), .output = piece}, {.program = parts.allgather.program(me), .input = piece});
}

}  // namespace

extern const Algorithm broadcast_scatter_allgather{
    .collective = Collective::broadcast,
    .id = "scatter-allgather",
    .summary = "deal out a piece for each rank, then collect the pieces everywhere, round a ring",
    .needs = "",
    .source = "grama2003",
    .parameters = {},
    .generate = generate,
    .analyse = analyse,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
