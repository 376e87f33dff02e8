// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a replay: what each entry of a recording does to a rank's times, and which ranks may go on.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "projection/call_kinds.hpp"
#include "projection/matching.hpp"
#include "projection/replay.hpp"

namespace quadrille::projection {

class Walk {
 public:
  // `first` and `last`: the sides whose times are followed.
  Walk(const Recording& recording, const ProjectionOptions& options, CallPrices& prices, std::size_t first, std::size_t last);

  // Reads the rank's next entry. Returns false at the end.
  bool take(std::size_t rank);
  const RecordedCall& entry(std::size_t rank) const { return players_[rank].entry; }
  double computing_s(std::size_t rank) const { return players_[rank].entry.gap_s * options_.computing; }
  double away_s(std::size_t rank) const { return players_[rank].entry.away_s * options_.away; }

  // The rank has computed, or was away, for so long.
  void pass(std::size_t side, std::size_t rank, ProjectedPart part, double seconds) { pass(side, rank, part, seconds, {}); }
  double now_s(std::size_t side, std::size_t rank) const { return replayed_.ranks[side][rank].now_s; }

  // Does the call of the rank's entry. Returns false if the rank has to wait for others. Appends to `released` ranks that waited
  // and no longer have to.
  bool act(std::size_t rank, std::vector<std::size_t>& released);

  Count taken() const { return taken_; }
  Replayed finish() &&;

 private:
  // A nonblocking collective that the rank has started and not completed.
  struct Started {
    std::uint32_t site;
    MatchedCall* call;
    std::size_t member;
  };
  struct Player {
    RecordedCalls calls;
    RecordedCall entry;
    std::vector<Started> started;
    const MatchedCall* waits_for = nullptr;
    bool has_ended = false;
    double recorded_s = 0;    // the end of the entry in the recorded run
    bool is_watched = false;  // the entry
  };
  // In which call time passes.
  struct Inside {
    const RecordedSite* site = nullptr;
    const MatchedCall* call = nullptr;
  };

  void pass(std::size_t side, std::size_t rank, ProjectedPart part, double seconds, const Inside& inside) {
    RankTimes& times = replayed_.ranks[side][rank];
    const double begin_s = times.now_s;
    times.now_s += seconds;
    times.parts[static_cast<std::size_t>(part)] += seconds;
    if (players_[rank].is_watched) tell(side, rank, part, begin_s, inside);
  }
  void tell(std::size_t side, std::size_t rank, ProjectedPart part, double begin_s, const Inside& inside) const;
  void as_recorded(std::size_t rank, ProjectedPart part);
  void unmatched(std::size_t rank);
  MatchedCall* enter(std::size_t rank, std::size_t& member, std::vector<std::size_t>& released);
  void complete(MatchedCall& call, std::vector<std::size_t>& released);
  void leave(MatchedCall& call, std::size_t rank, std::size_t member);
  std::optional<Started> take_started(std::size_t rank, std::uint32_t completion);

  const Recording& recording_;
  const ProjectionOptions& options_;
  CallPrices& prices_;
  const std::size_t first_, last_;
  Matching matching_;
  std::vector<Player> players_;
  std::vector<std::uint32_t> starts_;  // by site of a completion: the site of its start; itself: there is none
  CallKinds kinds_;
  Replayed replayed_;
  Count taken_ = 0;
};

}  // namespace quadrille::projection
