// SPDX-License-Identifier: BSD-3-Clause
// allreduce/reduce-broadcast: vectors are combined at rank 0, then the result is broadcast.
// Source  [grama2003] all-reduce, "identical to all-to-one reduction followed by a one-to-all broadcast".
// Needs   an operator that commutes for reduce=tree, if p > 2; else nothing: any p, any operator, also along the fixed tree.
// Idea    An algorithm for reduce, then one for broadcast. Rank 0 combines the vectors in its output and broadcasts the result
//         from there. Open MPI does so by whatever it takes for the two.
// Cost    By default C1 = 2 ceil(log2 p) rounds and C2 = 2 ceil(log2 p) vectors: twice those of recursive-doubling if p is a
//         power of two.
// Prefer  never; a baseline: recursive-doubling takes half the time if p is a power of two.
#include <algorithm>

#include "collectives/spreading/two_parts.hpp"

namespace quadrille {
namespace {

Problem part_of(const Problem& problem, Collective collective) {
  Problem part = problem;
  part.collective = collective;
  return part;
}

Choice part(const Problem& problem, const Parameters& parameters, Collective collective) {
  return parse_choice(part_of(problem, collective), word(parameters, collective == Collective::reduce ? "reduce" : "broadcast"));
}

std::shared_ptr<const Analysis> analyse(const Problem& problem, const Parameters& parameters) {
  const auto schedule = [&](Collective collective) {
    return make_schedule(part_of(problem, collective), part(problem, parameters, collective));
  };
  return std::make_shared<TwoParts>(schedule(Collective::reduce), schedule(Collective::broadcast));
}

Count ports(const Problem& problem, const Parameters& parameters) {
  Count most = 1;
  for (const Collective collective : {Collective::reduce, Collective::broadcast})
    most = std::max(most, ports_of(part_of(problem, collective), part(problem, parameters, collective)));
  return most;
}

Combining combining(const Problem& problem, const Parameters& parameters) {
  const Choice reduce = part(problem, parameters, Collective::reduce);
  return reduce.algorithm->combining(part_of(problem, Collective::reduce), reduce.parameters);
}

}  // namespace

extern const Algorithm allreduce_reduce_broadcast{
    .collective = Collective::allreduce,
    .id = "reduce-broadcast",
    .summary = "combine all vectors at rank 0, then broadcast the result, by default both along a binomial tree",
    .source = "grama2003",
    .parameters = {{.name = "reduce",
                    .summary = "algorithm for reduce, the first part",
                    .standard = "binomial",
                    .choices = {"binomial", "linear", "tree:segments=1"},
                    .range = {}},
                   {.name = "broadcast",
                    .summary = "algorithm for broadcast, the second part",
                    .standard = "binomial",
                    .choices = {"binomial", "linear", "knomial", "tree:segments=1"},
                    .range = {}}},
    .generate = joined_at_the_beginning,
    .analyse = analyse,
    .ports = ports,
    .combining = combining,
    .combining_rule = "as the reduction: fixed tree, or any order with reduce=tree",
};

}  // namespace quadrille
