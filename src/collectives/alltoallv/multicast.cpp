// SPDX-License-Identifier: BSD-3-Clause
// alltoallv/multicast: neighbourhood allgatherv in the four stages of A4. A block is dealt out once, for all its targets.
// Source  [liu2002], section 5, says that A4 "can be generalized to perform [..] multiple multi-casting", but does not say how.
//         The stages here are ours.
// Needs   shared blocks: each rank has one block for all its targets (quadrille/traffic.hpp). A relay must know the targets of the
//         blocks of others, so counts are gathered or known.
// Idea    The block of each rank is dealt out like cards, along the rows of a grid of ranks and then along the columns, as in A4.
//         So each rank has an equal part of every block. A part then goes along the row once to each column that has a target of
//         its block, and along the column to these targets. If each block has one target, the exchange is A4.
// Cost    Let b be the longest block, and L the most that a rank receives. About C1 <= 4 sqrt(p) rounds. A stage that deals sends
//         at most b, a stage that collects at most L: C2 <= 2b + 2L, plus rounding to grains. This bound does not depend on the
//         number of targets. In alltoallv/direct a rank with d targets sends d b bytes.
// Prefer  blocks with many targets and few blocks for each target, such as broadcasts from a few ranks to many ranks each.
#include <algorithm>
#include <map>

#include "collectives/slices/array_routes.hpp"
#include "collectives/slices/pairs.hpp"
#include "collectives/slices/slice_code.hpp"
#include "collectives/slices/slice_passes.hpp"

namespace quadrille {
namespace {

// Until the last pass the target of a slice is its source, because it has no other target of its own. So slices are ordered by
// source, in every message.
class MulticastRoute : public GridRoute {
 public:
  MulticastRoute(const Problem& problem, Count columns, Bytes grain)
      : GridRoute(problem.ranks, columns, Split::chain, grain), targets_(index(problem.ranks)) {
    for (Rank source = 0; source < problem.ranks; ++source)
      for (const Share& share : Traffic(problem).sent_by(source))
        targets_[index(source)][array().column_of(share.peer)].push_back(share.peer);
  }

  Count place_of(Rank target) const override { return target; }
  Rank at_place(Count place) const override { return place; }

  void deal(Count number, Rank me, const std::vector<HeldSlice>& held, const Hand& hand) const override {
    std::vector<HeldSlice> slices = held;
    if (number == 0 && !slices.empty()) slices.resize(1);  // the same block for each of its targets
    for (HeldSlice& slice : slices) slice = addressed(slice, slice.source);
    if (is_dealing(number)) return GridRoute::deal(number, me, slices, hand);
    for (const HeldSlice& slice : slices)
      for (const auto& [column, targets] : targets_[index(slice.source)])
        if (pass(number) == Pass::collect_along_rows) {
          const Rank relay = array().relay(me, column);
          hand(number == passes() - 1 ? addressed(slice, relay) : slice, relay);
        } else if (column == array().column_of(me)) {
          for (const Rank target : targets) hand(addressed(slice, target), target);
        }
  }

 private:
  static HeldSlice addressed(HeldSlice slice, Rank target) {
    slice.target = slice.target_place = target;
    return slice;
  }

  std::vector<std::map<Count, std::vector<Rank>>> targets_;  // by source, then by the column of the targets
};

Result<> multicast_applies(const Problem& problem, const Parameters& parameters) {
  if (!Traffic(problem).shares_blocks())
    return cannot("every block has one target; then four-stage has the same messages, and blocks are not shared");
  return columns_apply(problem, parameters);
}

std::shared_ptr<const Analysis> analyse_multicast(const Problem& problem, const Parameters& parameters) {
  const Bytes grain = number(parameters, "grain");
  return replay_route(problem, parameters, std::make_shared<MulticastRoute>(problem, number(parameters, "columns"), grain), grain);
}

}  // namespace

extern const Algorithm alltoallv_multicast{
    .collective = Collective::alltoallv,
    .id = "multicast",
    .summary =
        "deal each block out once, however many targets it has, then collect it for each column and each target that needs it",
    .picture =
        "Rank 0 has a block for all. It is dealt out along the row and the columns, so each rank has an eighth, and collecting it "
        "takes as long as in an allgather. Sent straight, all copies of the block would leave rank 0 one after the other.",
    .picture_problem = "--ranks 8 --block 1KiB --pattern one-to-all --shared-blocks",
    .needs = "shared blocks, and a valid number of columns",
    .source = "liu2002, section 5",
    .parameters = {columns_parameter(), grain_parameter(), counts_of_all_parameter()},
    .generate = program_by_route,
    .applies = multicast_applies,
    .analyse = analyse_multicast,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
