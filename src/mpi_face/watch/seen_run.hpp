// SPDX-License-Identifier: BSD-3-Clause
// The seen ranks of a run, ordered for a verdict: by rank of the world, and by communicator. It also says what each rank waits for.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mpi_face/watch/seen_rank.hpp"

namespace quadrille::mpi_face {

// "Allreduce" of "Iallreduce" and of "Allreduce_init".
std::string base_of(const std::string& function);

struct Member {
  Rank rank = 0;                                   // of the world
  const SeenCommunicator* communicator = nullptr;  // as this rank sees it; null: it has not been seen
  std::uint64_t begun = 0;                         // collective calls on the communicator
};

// A communicator as all of its members see it.
struct CommonCommunicator {
  std::string label;  // "MPI_COMM_WORLD", "a communicator of ranks 0..3 (the second one)"
  std::uint64_t made = 0;
  bool is_ordered = false;  // `members` has all members, in the order of their ranks
  std::vector<Member> members;
  double usual_s = 0;
};

// What a rank is in, and what it waits for there.
struct Waiting {
  const WatchedCall* in = nullptr;          // the call that the rank is in; null: none
  std::vector<const WatchedCall*> targets;  // that call, or the nonblocking calls that it waits for; empty: unknown
};

class SeenRun {
 public:
  // The ranks must outlive this object.
  SeenRun(std::span<const SeenRank> ranks, Count world_size);

  Count size() const { return static_cast<Count>(by_rank_.size()); }
  const SeenRank& at(Rank rank) const;  // a rank that was not seen is `unknown`
  SeenRank::State state(Rank rank) const { return at(rank).state; }
  const Waiting& waiting(Rank rank) const { return waiting_[index(rank)]; }
  const std::vector<CommonCommunicator>& communicators() const { return communicators_; }
  const CommonCommunicator& communicator(int on) const { return communicators_[static_cast<std::size_t>(on)]; }

  int communicator_of(Rank rank, const WatchedCall& call) const;  // index in communicators(); -1: none or unknown
  Rank peer_of(Rank rank, const WatchedCall& call) const;         // in the world; -1: unknown, -2: any

  // The communicator whose collective a rank waits in, or -1. Then `targets` has one call.
  int waits_on(Rank rank) const;
  bool is_quiet(Rank rank, double limit_s) const;  // it has made no progress for so long, or cannot make any

 private:
  static std::size_t index(Rank rank) { return static_cast<std::size_t>(rank); }
  void add_communicators(const SeenRank& rank);
  void put_in_order(CommonCommunicator& communicator) const;
  Waiting waiting_of(const SeenRank& rank) const;

  std::vector<const SeenRank*> by_rank_;
  std::deque<SeenRank> unseen_;
  std::vector<Waiting> waiting_;
  std::map<CommunicatorKey, int> places_;
  std::vector<CommonCommunicator> communicators_;
  std::vector<std::vector<int>> shared_;  // of each rank's communicators: index in communicators_
};

// Parts of sentences.
std::string ranks_list(const std::vector<Rank>& ranks);    // "0, 2, 3", "4..1023 (1,020)"
std::string ranks_phrase(const std::vector<Rank>& ranks);  // "rank 1", "ranks 0, 2, 3"
std::string number_words(std::uint64_t number);            // "4,711"
std::string size_words(Bytes bytes);                       // exact: "64 KiB", "1,000 B"
std::string duration_words(double seconds);                // "12 s", "2.5 ms"
std::string call_words(const WatchedCall& call);           // "Allreduce, call 4,711"
std::string at_place(const std::string& place);            // " (solver.c:88)", or empty

}  // namespace quadrille::mpi_face
