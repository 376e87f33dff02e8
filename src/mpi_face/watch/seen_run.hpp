// SPDX-License-Identifier: BSD-3-Clause
// The seen ranks of a run, ordered for a verdict: by rank of the world, and by communicator. It also says what each rank waits for.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mpi_face/symbols/function.hpp"
#include "mpi_face/watch/seen_rank.hpp"

namespace quadrille::mpi_face {

struct Member {
  Rank rank = 0;            // of the world
  std::uint64_t begun = 0;  // collective calls on the communicator
};

// A communicator as all of its members see it.
struct CommonCommunicator {
  std::string label;  // "MPI_COMM_WORLD", "a communicator of ranks 0..3 (the second one)"
  std::uint64_t made = 0;
  const std::vector<Rank>* listed = nullptr;  // the members as one of them lists them
  bool is_ordered = false;                    // `members` lists all members by their ranks in the communicator
  std::vector<Member> members;
  std::vector<Rank> waiters;  // members that wait in a collective on it
  bool is_quiet = true;       // no member makes progress
};

// What a rank is in, and what it waits for there.
struct Waiting {
  const WatchedCall* in = nullptr;          // the call that the rank is in; null: none
  std::vector<const WatchedCall*> targets;  // that call, or the nonblocking calls that it waits for; empty: unknown
};

// A communicator on which ranks wait, and no member makes progress.
struct Stuck {
  int on = -1;
  std::vector<Rank> waiters;
  const WatchedCall* call = nullptr;  // that ends first: the one with the least number that a waiter is in
  std::vector<Rank> missing;          // the members for which it waits
};

class SeenRun {
 public:
  // The ranks must outlive this object. A rank is quiet if it has made no progress for the limit, or cannot make any.
  SeenRun(std::span<const SeenRank> ranks, Count world_size, double limit_s);

  Count size() const { return static_cast<Count>(by_rank_.size()); }
  const SeenRank& at(Rank rank) const { return *by_rank_[index(rank)]; }  // a rank that was not seen is `unknown`
  SeenRank::State state(Rank rank) const { return at(rank).state; }
  const Waiting& waiting(Rank rank) const { return waiting_[index(rank)]; }
  const std::vector<CommonCommunicator>& communicators() const { return communicators_; }
  const CommonCommunicator& communicator(int on) const { return communicators_[index(on)]; }

  int communicator_of(Rank rank, const WatchedCall& call) const;  // index in communicators(); -1: none or unknown
  Rank peer_of(Rank rank, const WatchedCall& call) const;         // in the world; -1: unknown, -2: any

  // The communicator whose collective a rank waits in, or -1. Then `targets` has one call.
  int waits_on(Rank rank) const;
  bool waits(Rank rank) const;  // in a collective, or for a message of a known peer
  bool is_quiet(Rank rank) const;
  bool are_long(const std::vector<Rank>& ranks) const;  // one of them has been where it is for the limit
  std::optional<Stuck> stuck_on(int on) const;

 private:
  static std::size_t index(Rank rank) { return static_cast<std::size_t>(rank); }
  void put_in_order(CommonCommunicator& communicator) const;
  Waiting waiting_of(const SeenRank& rank) const;

  double limit_s_;
  std::vector<const SeenRank*> by_rank_;
  std::vector<Waiting> waiting_;
  std::vector<CommonCommunicator> communicators_;
  std::vector<std::vector<int>> shared_;  // of each rank's communicators: index in communicators_
};

// The blocking form of a collective of the whole communicator; nothing of other calls.
std::optional<Function> form_of(const WatchedCall& call);

// Parts of sentences.
std::string ranks_phrase(const std::vector<Rank>& ranks);  // "rank 1", "ranks 0, 2, 3", "ranks 4..1023 (1,020)"
std::string number_words(std::uint64_t number);            // "4,711"
std::string size_words(Bytes bytes);                       // exact: "64 KiB", "1,000 B"
std::string duration_words(double seconds);                // "12 s", "2.50 ms"
std::string call_words(const WatchedCall& call);           // "Allreduce, call 4,711"
std::string at_place(const std::string& place);            // " (solver.c:88)", or empty

}  // namespace quadrille::mpi_face
