// SPDX-License-Identifier: BSD-3-Clause
// alltoallv/two-phase: the data of each pair of ranks is cut into p shares, one for each rank; targets collect the
// shares (A2 of the source).
// Source  [liu2002], algorithm A2.
// Needs   nothing: any counts.
// Idea    Rank i + j + q (mod p) takes the q-th share of the data that rank i has for rank j. So every message of the
//         first pass has 1/p of its sender's data, and every message of the second pass has 1/p of its receiver's data.
// Cost    C1 <= 2(p - 1) rounds. C2 is at most 2L(p-1)/p plus rounding to grains, where L is the most that a rank sends
//         or receives; rounding dominates if messages have fewer grains than there are ranks.
// Prefer  long and very uneven counts. For shorter counts take alltoallv/four-stage: it balances the load as well, in fewer rounds.
#include <algorithm>

#include "collectives/slices/pairs.hpp"
#include "collectives/slices/slice_passes.hpp"
#include "patterns/integers.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {
namespace {

class TwoPhaseRoute : public SliceRoute {
 public:
  TwoPhaseRoute(Count p, Bytes grain) : p_(p), grain_(grain) {}

  Count ranks() const override { return p_; }
  Count passes() const override { return p_ == 1 ? 1 : 2; }
  std::string_view name(Count pass) const override { return is_last(pass) ? "collect" : "spread"; }
  Count place_of(Rank target) const override { return target; }
  Rank at_place(Count place) const override { return place; }

  std::vector<Meeting> meetings(Count, Rank me) const override {
    std::vector<Meeting> list;
    for (Count distance = 1; distance < p_; ++distance) list.push_back({(me + distance) % p_, (me + p_ - distance) % p_});
    return list;
  }

  void deal(Count pass, Rank me, const std::vector<HeldSlice>& held, const Hand& hand) const override {
    for (const HeldSlice& slice : held)
      if (is_last(pass))
        hand(slice, slice.target);
      else
        for (Count q = 0; q < std::min(p_, ceil_divide(slice.length(), grain_)); ++q)
          hand(slice.part(cut(slice.length(), q), cut(slice.length(), q + 1)), (me + slice.target + q) % p_);
  }

  // The share of a pair's data that `taker` takes.
  CodedSlice share(const Pair& pair, Rank taker) const {
    const Count q = modulo(taker - pair.source - pair.target, p_);
    return {pair.target, pair.source, cut(pair.bytes, q), cut(pair.bytes, q + 1)};
  }

 private:
  bool is_last(Count pass) const { return pass == passes() - 1; }

  Bytes cut(Bytes length, Count q) const {  // offset at which the q-th share begins
    const Count units = ceil_divide(length, grain_);
    return times_at_most(q * (units / p_) + std::min(q, units % p_), grain_, length);
  }

  Count p_;
  Bytes grain_;
};

struct AllPairs : Analysis {
  explicit AllPairs(const Problem& problem) : pairs(problem) {}
  PairsByTarget pairs;
  std::shared_ptr<const TwoPhaseRoute> route;
  std::optional<CountsAgreement> agreement;

  Arrivals arrivals(Count pass, Rank me) const {
    Arrivals arrivals;
    if (pass == 0) {
      for (const Pair& pair : pairs.all())
        if (pair.source != me) add_slice(arrivals[pair.source], route->share(pair, me));
      return arrivals;
    }
    for (const Pair& pair : pairs.of(me))
      for (Rank taker = 0; taker < route->ranks(); ++taker)
        if (taker != me) add_slice(arrivals[taker], route->share(pair, taker));
    return arrivals;
  }
};

std::shared_ptr<const Analysis> analyse_two_phase(const Problem& problem, const Parameters& parameters) {
  auto all = std::make_shared<AllPairs>(problem);
  all->route = std::make_shared<TwoPhaseRoute>(problem.ranks, number(parameters, "grain"));
  if (word(parameters, "counts") == "gathered") all->agreement.emplace(problem);
  return all;
}

Program generate_two_phase(const Problem& problem, const Parameters& parameters, const Analysis* analysis, Rank me) {
  const auto& all = static_cast<const AllPairs&>(*analysis);
  return SlicePasses(problem, all.route, number(parameters, "grain"), has_headers(parameters),
                     all.agreement ? &*all.agreement : nullptr, me)
      .run([&](Count pass) { return all.arrivals(pass, me); });
}

std::unique_ptr<IncrementalProgram> two_phase_incremental(const Problem& problem, const Parameters& parameters, Rank me) {
  if (!has_headers(parameters)) return nullptr;
  const Bytes grain = number(parameters, "grain");
  auto route = std::make_shared<TwoPhaseRoute>(problem.ranks, grain);
  return std::make_unique<SlicePasses>(problem, std::move(route), grain, /*with_headers=*/true, nullptr, me);
}

}  // namespace

extern const Algorithm alltoallv_two_phase{
    .collective = Collective::alltoallv,
    .id = "two-phase",
    .summary = "cut all data into a share for each rank, then collect the shares: balanced for any counts",
    .picture =
        "In the first half of the data's rounds each sender deals its data out over all ranks, in the second half they hand it to "
        "the receivers. With long data all messages of a sender, and then all those to a receiver, are about equally long, and "
        "nobody waits for a single long block. Here the blocks are about as short as the 64 B of a dealt piece, so the messages "
        "still differ much. The price: each byte travels twice.",
    .source = "liu2002, algorithm A2",
    .parameters = {grain_parameter(), counts_parameter()},
    .generate = generate_two_phase,
    .analyse = analyse_two_phase,
    .incremental = two_phase_incremental,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
