// SPDX-License-Identifier: BSD-3-Clause
// allreduce/rabenseifner: recursive halving and doubling among 2^d ranks; if there are more ranks, some of them are first folded
// in pairs.
// Source  [thakur2005] Rabenseifner's allreduce, as in MPI libraries.
// Needs   nothing: any p, any operator.
// Idea    If p = 2^d + q with 0 < q < 2^d, the first 2 q ranks are pairs, in which one rank combines both vectors (fold). The 2^d
//         remaining ranks run recursive halving, near partners first, and recursive doubling with the partners in the reverse
//         order. At last the other rank of each pair gets the result. With fold=halves both ranks of a pair combine half of the
//         vector.
// Cost    C1 = 2 log2 p rounds and C2 = 2 b (p - 1) / p bytes if p is a power of two. Else C1 = 2 floor(log2 p) + 2 rounds, and one
//         more with fold=halves.
// Prefer  long vectors. If p is no power of two, circulant of allreduce has fewer rounds and bytes.
#include "collectives/reducing/folding.hpp"

namespace quadrille {
namespace {

std::shared_ptr<const Analysis> analyse_rabenseifner(const Problem& problem, const Parameters& parameters) {
  const Bytes b = problem.block_bytes;
  const auto all = folded_by(problem, parameters, Survivor::upper);
  const FoldedPairs* const folded = all.get();
  const Regions result{{Buffer::output, 0, b, {}}};
  all->add_of_survivors(
      "exchange", SurvivorOrder::reversed, part_of_any_order(problem, Collective::allreduce, all->survivors(), b),
      "reduce-scatter-allgather:scatter=recursive-halving,gather=recursive-doubling",
      [folded](Rank rank) { return folded->vector_of(rank); }, [result](Rank) { return result; });
  if (all->pairs() == 0) return all;
  Problem part = part_of_any_order(problem, Collective::broadcast, 2, b);
  part.root = all->survivor(0);
  const auto unfold = std::make_shared<const Schedule>(make_schedule(part, "linear"));
  all->add("unfold", 1, [folded, unfold, result](Rank rank) -> std::optional<GroupStep> {
    if (!folded->in_pair(rank)) return std::nullopt;
    return GroupStep{unfold, folded->pair_of(rank), rank % 2, folded->survives(rank) ? BufferMap(result) : BufferMap(),
                     BufferMap(result)};
  });
  return all;
}

}  // namespace

extern const Algorithm allreduce_rabenseifner{
    .collective = Collective::allreduce,
    .id = "rabenseifner",
    .summary = "halve and double the vector among a power of two of ranks, near partners first; fold the other ranks in pairs",
    .picture =
        "The messages halve while shares are combined, and double while they spread. The longest ones, in the first round and in "
        "the last, go to a neighbour; only the shortest go to the other node. Here p is a power of two; otherwise pairs are "
        "folded, which takes two more rounds, both with whole vectors.",
    .source = "thakur2005",
    .parameters = {fold_parameter()},
    .generate = folded_program,
    .analyse = analyse_rabenseifner,
    .cuts_blocks = true,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
    .combining = combining_of_folded,
    .combining_rule = combining_rule_of_folded,
};

}  // namespace quadrille
