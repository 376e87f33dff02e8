// SPDX-License-Identifier: BSD-3-Clause
// Replays a recording: each rank goes through its entries until it has to wait for others in a collective.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "projection/call_prices.hpp"
#include "quadrille/projection.hpp"
#include "quadrille/recording.hpp"

namespace quadrille::projection {

// A member that has to wait until all have entered the call.
struct WaitingMember {
  Rank rank;
  std::size_t member;
};

// One collective call.
struct MatchedCall {
  std::size_t communicator = 0;
  std::vector<std::uint32_t> sites;  // the sites of the members that have entered
  Count entered = 0, left = 0;       // how many members have entered, and have left
  PricedCall* priced = nullptr;      // set when all members have entered
  BySide<std::vector<double>> entries, exits;
  BySide<double> factors{1, 1};  // of the price, in this draw
  std::vector<WaitingMember> waiting;
  double shortest_s = 0;  // the least recorded duration of a member
  double starting_s = 0;  // of a nonblocking call: the recorded durations of all members' starts

  bool is_complete() const { return entered == static_cast<Count>(sites.size()); }
};

// Finds out which calls of different ranks are one collective call: the n-th calls of all members on a communicator. MPI demands
// that all members call the collectives of a communicator in the same order, blocking and nonblocking ones together.
class Matching {
 public:
  explicit Matching(const Recording& recording);

  // Were the calls of all members recorded? The answer is no for intercommunicators and for members from another MPI_COMM_WORLD.
  bool is_matched(std::size_t communicator) const { return all_[communicator].is_matched; }
  std::size_t member_of(std::size_t communicator, Rank rank) const;  // the rank's place among the members

  // Returns the member's next call. The caller must let the member enter it.
  MatchedCall& next(std::size_t communicator, std::size_t member);
  // A member has left. When the last member has left, the call is destroyed.
  void leave(MatchedCall& call);

 private:
  struct Calls {
    bool is_matched = false, is_world = false;          // is_world: member i is rank i
    std::vector<std::pair<Rank, std::size_t>> members;  // sorted
    std::vector<Count> made;                            // how many calls each member has made
    std::deque<std::unique_ptr<MatchedCall>> open;      // null: all members have left
    Count first = 0;                                    // number of the first open call
  };

  std::deque<Calls> all_;
  std::vector<std::unique_ptr<MatchedCall>> spare_;
};

// Maps the site of a completion to the site of the start with the same contents, and other sites to themselves. If several
// collectives of one site are open, the oldest is completed.
std::vector<std::uint32_t> starts_of(const Recording& recording);

using PartTimes = std::array<double, projected_parts>;

// What a rank has done with the collectives of one side.
struct RankTimes {
  double now_s = 0;
  PartTimes parts{};  // their sum is now_s
};

// Calls that are replayed as recorded, because the calls of other members were not recorded.
struct UnmatchedCalls {
  Count calls = 0;
  double seconds = 0;  // the sum over all ranks
};

struct Replayed {
  BySide<std::vector<RankTimes>> ranks;
  std::vector<UnmatchedCalls> unmatched;  // by site
  Count calls = 0;                        // matched calls that all members have entered; each counts once
  std::vector<Rank> stuck;                // ranks that wait for calls that never come
  std::vector<Rank> missed;               // ranks whose recording has ended although stuck ranks wait for them
};

class Draw;  // draws.hpp

// Which gaps and times of calls a replay takes, and how much of the recording.
struct ReplayPart {
  const Draw* draw = nullptr;                              // null: the recorded gaps, and the prices
  Count most_entries = std::numeric_limits<Count>::max();  // of each rank; the first ones
};

// Replays both sides in one pass over the entries. If ranks share cores, each side has a pass of its own.
Replayed replay(const Recording& recording, const ProjectionOptions& options, CallPrices& prices, const ReplayPart& part = {});

}  // namespace quadrille::projection
