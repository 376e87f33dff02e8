// SPDX-License-Identifier: BSD-3-Clause
// reduce_scatter/butterfly, reduce_scatterv/butterfly: halving with near partners first, then shares are exchanged once.
// Source  [traff2005]; if p is no power of two, with the folding and the last exchange of Open MPI.
// Needs   nothing: any p, any operator, shares of any size, which may be empty.
// Idea    If p = 2^d + q with 0 < q < 2^d, the first 2 q ranks are pairs, and the upper rank of each pair combines both vectors.
//         The 2^d remaining ranks have numbers v. Number v exchanges halves of what it has with v ^ 1, v ^ 2, .. The halves are
//         contiguous, and operands are combined in the order of ranks. Let v' have the bits of v in reverse order. At the end v
//         has the shares of v' and of the partner of v' in its pair, and sends the shares to these two ranks.
// Cost    C1 = log2 p + 1 rounds and C2 = p blocks, if p is a power of two. Else C1 = floor(log2 p) + 2 rounds on 2 ports, and C2
//         is about 2 p blocks.
// Prefer  an operator that does not commute. If p is a power of two, recursive-halving with near partners first has a round less,
//         but its messages are not contiguous in memory.
#include <algorithm>

#include "collectives/reducing/folding.hpp"

namespace quadrille {
namespace {

// The ranks that exchange shares at the end: two survivors whose numbers have the same bits in opposite orders (one survivor, if
// both numbers are equal), and the partners in their pairs.
struct Circle {
  std::vector<Rank> ranks;  // ascending
  std::vector<Rank> from;   // the ranks from which they get their shares
};

Circle circle_of(const FoldedPairs& all, Count number) {
  const Count opposite = all.reversed(number);
  Circle circle;
  for (const Count each : {std::min(number, opposite), std::max(number, opposite)}) {
    if (!circle.ranks.empty() && number == opposite) break;
    const RankRange group = all.stands_for(each);
    for (Rank member = group.first; member < group.first + group.count; ++member) {
      circle.ranks.push_back(member);
      circle.from.push_back(all.survivor(all.reversed(each)));
    }
  }
  return circle;
}

Problem exchange_in(const Circle& circle, const Shares& shares) {
  std::vector<Bytes> counts;
  for (const Rank source : circle.ranks)
    for (std::size_t i = 0; i < circle.ranks.size(); ++i)
      counts.push_back(circle.from[i] == source ? shares.of(circle.ranks[i]) : 0);
  return Problem::alltoallv(size(circle.ranks), std::move(counts));
}

std::shared_ptr<const Analysis> analyse_butterfly(const Problem& problem, const Parameters&) {
  const auto made = std::make_shared<FoldedPairs>(problem, Survivor::upper);
  const FoldedPairs* const all = made.get();
  const auto shares = std::make_shared<const Shares>(problem);
  made->fold("binomial");
  const auto held = [=](Rank survivor) -> Regions {
    return {all->behind_vector(survivor, shares->bytes(all->stands_for(all->reversed(all->number_of(survivor)))))};
  };
  made->add_of_survivors(
      "combine", SurvivorOrder::reversed, part_of_survivors(*all, problem, *shares), "recursive-halving:first=far",
      [=](Rank rank) { return all->vector_of(rank); }, held);
  std::vector<Circle> circles;  // by the number of a survivor
  for (Count number = 0; number < made->survivors(); ++number) circles.push_back(circle_of(*all, number));
  made->add("exchange", 1, [=, circles = std::move(circles)](Rank rank) -> std::optional<GroupStep> {
    const Circle& circle = circles[index(all->number_of(rank))];
    const auto at = std::find(circle.ranks.begin(), circle.ranks.end(), rank) - circle.ranks.begin();
    return GroupStep{std::make_shared<const Schedule>(make_schedule(exchange_in(circle, *shares), "direct")), circle.ranks, at,
                     all->survives(rank) ? BufferMap(held(rank)) : BufferMap(),
                     BufferMap({{Buffer::output, 0, shares->of(rank), {}}})};
  });
  return made;
}

}  // namespace

Algorithm reduce_scatter_butterfly(Collective collective) {
  return {
      .collective = collective,
      .id = "butterfly",
      .summary = "exchange halves with near partners first, in the order of ranks, then send each " + share_word(collective) +
                 " to its rank",
      .picture =
          "Near partners come first, so each message is in one piece and operands are combined in the order of the ranks. But some "
          "results are then at other ranks than their own, here those of ranks 1, 3, 4 and 6: the last round sends them home.",
      .source = "traff2005",
      .generate = folded_program,
      .analyse = analyse_butterfly,
      .ports = [](const Problem& problem, const Parameters&) -> Count {
        return FoldedPairs(problem, Survivor::upper).pairs() > 0 ? 2 : 1;
      },
      .combining = combining_of_folded,
      .combining_rule = combining_rule_of_folded,
  };
}

}  // namespace quadrille
