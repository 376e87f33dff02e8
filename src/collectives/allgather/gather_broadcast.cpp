// SPDX-License-Identifier: BSD-3-Clause
// allgather/gather-broadcast: all blocks collected at rank 0 up a binomial tree, then handed down the same tree.
// Source  [bruck1997] section 4, the folklore algorithm that the concatenation algorithm is measured against.
// Needs   nothing: any p.
// Idea    gather/binomial, then broadcast/binomial of everything, joined: rank 0 gathers in its output and broadcasts from there.
// Cost    C1 = 2 ceil(log2 p) rounds, C2 = p - 1 + p ceil(log2 p) blocks.
// Prefer  nothing: a baseline; circulant takes half the rounds and p - 1 blocks.
#include "quadrille/algorithm.hpp"
#include "schedule/transform.hpp"

namespace quadrille {
namespace {

struct Parts : Analysis {
  Schedule gather, broadcast;
};

std::shared_ptr<const Analysis> analyse(const Problem& problem, const Parameters&) {
  const auto part = [&](Collective collective, Bytes block_bytes) {
    Problem of_part = problem;
    of_part.collective = collective;
    of_part.block_bytes = block_bytes;
    return make_schedule(of_part, "binomial");
  };
  auto parts = std::make_shared<Parts>();
  parts->gather = part(Collective::gather, problem.block_bytes);
  parts->broadcast = part(Collective::broadcast, problem.ranks * problem.block_bytes);
  return parts;
}

Program generate(const Problem&, const Parameters&, const Analysis* analysis, Rank me) {
  const auto& parts = static_cast<const Parts&>(*analysis);
  return joined({.program = parts.gather.program(me)}, {.program = parts.broadcast.program(me), .input = {Buffer::output, 0}});
}

}  // namespace

extern const Algorithm allgather_gather_broadcast{
    .collective = Collective::allgather,
    .id = "gather-broadcast",
    .summary = "collect all blocks at rank 0, then broadcast them, both along a binomial tree: the folklore algorithm",
    .needs = "",
    .source = "bruck1997, section 4",
    .parameters = {},
    .generate = generate,
    .analyse = analyse,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
