// SPDX-License-Identifier: BSD-3-Clause
// allreduce/reduce-broadcast: vectors combined at rank 0, then the result broadcast.
// Source  [grama2003] all-reduce, "identical to all-to-one reduction followed by a one-to-all broadcast".
// Needs   nothing: any p, any operator, also along the fixed tree.
// Idea    reduce/binomial, then broadcast/binomial, joined: rank 0 combines in its output and broadcasts from there.
// Cost    C1 = 2 ceil(log2 p) rounds and as many vectors: twice those of recursive-doubling where p is a power of two.
// Prefer  nothing: a baseline; recursive-doubling takes half the time where p is a power of two.
#include "collectives/folding.hpp"
#include "schedule/transform.hpp"

namespace quadrille {
namespace {

struct Parts : Analysis {
  Schedule reduce, broadcast;
};

std::shared_ptr<const Analysis> analyse(const Problem& problem, const Parameters&) {
  const auto part = [&](Collective collective) {
    Problem of_part = problem;
    of_part.collective = collective;
    return make_schedule(of_part, "binomial");
  };
  auto parts = std::make_shared<Parts>();
  parts->reduce = part(Collective::reduce);
  parts->broadcast = part(Collective::broadcast);
  return parts;
}

Program generate(const Problem&, const Parameters&, const Analysis* analysis, Rank me) {
  const auto& parts = static_cast<const Parts&>(*analysis);
  return joined({.program = parts.reduce.program(me)}, {.program = parts.broadcast.program(me), .input = {Buffer::output, 0}});
}

}  // namespace

extern const Algorithm allreduce_reduce_broadcast{
    .collective = Collective::allreduce,
    .id = "reduce-broadcast",
    .summary = "combine everything at rank 0, then broadcast the result, both along a binomial tree",
    .needs = "",
    .source = "grama2003",
    .parameters = {},
    .generate = generate,
    .analyse = analyse,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
    .combining = always_fixed_tree,
    .combining_rule = always_fixed_tree_rule,
};

}  // namespace quadrille
