// SPDX-License-Identifier: BSD-3-Clause
// reduce/rabenseifner: recursive halving among 2^d ranks, then a gather; if there are more ranks, some of them are first folded
// in pairs.
// Source  [thakur2005] Rabenseifner's reduction, as in MPI libraries.
// Needs   nothing: any p, any root, any operator.
// Idea    If p = 2^d + q with 0 < q < 2^d, the first 2 q ranks are pairs, in which one rank combines both vectors (fold), as in
//         allreduce/rabenseifner. The 2^d remaining ranks run recursive halving, near partners first. Shares are gathered from
//         far partners first, so that the gathered shares are contiguous. If the root is not one of the remaining ranks, the
//         first remaining rank sends its share to the root, and the root replaces this rank in the gather.
// Cost    C1 = 2 log2 p rounds and C2 = 2 b (p - 1) / p bytes if p is a power of two. Else C1 = 2 floor(log2 p) + 1 rounds, and
//         one more with fold=halves, and one more if a share is handed over.
// Prefer  long vectors, if p is a power of two.
#include "collectives/reducing/folding.hpp"

namespace quadrille {
namespace {

std::shared_ptr<const Analysis> analyse_rabenseifner(const Problem& problem, const Parameters& parameters) {
  const Rank root = problem.root;
  const auto all = folded_by(problem, parameters, Survivor::lower);
  const FoldedPairs* const folded = all.get();
  const Count count = all->survivors();
  const auto share_at = [problem, count](Buffer buffer, Count place) { return segment(buffer, problem, count, place); };
  std::vector<Bytes> counts;
  for (Count place = 0; place < count; ++place) counts.push_back(share_at(Buffer::output, place).length);

  // The root has its share at the share's place in the result. Each other rank has its share in scratch memory, after its vector.
  const auto share_of = [=](Rank rank, Count place) -> Regions {
    if (rank == root) return {share_at(Buffer::output, place)};
    return {folded->behind_vector(rank, share_at(Buffer::output, place).length)};
  };
  const auto own_share = [=](Rank rank) { return share_of(rank, folded->reversed(folded->number_of(rank))); };
  all->add_of_survivors(
      "combine", SurvivorOrder::reversed, part_of_any_order(problem, Collective::reduce_scatterv, counts), "recursive-halving",
      [=](Rank rank) { return folded->vector_of(rank); }, own_share);

  const auto result = [=](Rank rank) -> Regions {
    if (rank != root) return {};
    return {{Buffer::output, 0, problem.block_bytes, {}}};
  };
  Problem gather = part_of_any_order(problem, Collective::gatherv, counts);
  if (all->survives(root)) {
    gather.root = all->reversed(all->number_of(root));
    all->add_of_survivors("gather", SurvivorOrder::reversed, gather, "binomial", own_share, result);
    return all;
  }
  all->hand_over(root, counts.front(), [=](Rank rank) { return share_of(rank, 0); });
  all->add_of_survivors(
      "gather", SurvivorOrder::reversed, gather, "binomial",
      [=](Rank rank) { return rank == root ? share_of(root, 0) : own_share(rank); }, result);
  return all;
}

}  // namespace

extern const Algorithm reduce_rabenseifner{
    .collective = Collective::reduce,
    .id = "rabenseifner",
    .summary = "halve the vector among a power of two of ranks, then gather it at the root; fold the other ranks in pairs",
    .picture =
        "The messages halve from round to round, near partners first, and double again on the way to the root. So the longest "
        "messages of the rounds add up to less than two vectors, where a binomial tree sends a whole one in each round: it is for "
        "long vectors. Here p is a power of two, so no pair has to be folded.",
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
