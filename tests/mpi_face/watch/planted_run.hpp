// SPDX-License-Identifier: BSD-3-Clause
// Builds the seen ranks of a run by hand: which calls each rank has made, and where it is now.
#pragma once

#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "foundation/hash.hpp"
#include "mpi_face/watch/seen_rank.hpp"
#include "mpi_face/watch/verdict.hpp"

namespace quadrille::mpi_face::testing {

using State = SeenRank::State;

inline WatchedCall collective(std::string function, std::string place, Bytes bytes = 0) {
  WatchedCall call;
  call.function = std::move(function), call.place = std::move(place), call.bytes = bytes;
  return call;
}
inline WatchedCall barrier(std::string place) { return collective("Barrier", std::move(place)); }
inline WatchedCall bcast(Rank root, Bytes bytes, std::string place) {
  WatchedCall call = collective("Bcast", std::move(place), bytes);
  call.root = root;
  return call;
}
inline WatchedCall rooted(std::string function, Rank root, Bytes bytes, std::string place) {
  WatchedCall call = bcast(root, bytes, std::move(place));
  call.function = std::move(function);
  return call;
}
inline WatchedCall allreduce(Bytes bytes, std::string place, std::string operation = "sum", std::string element = "f64") {
  WatchedCall call = collective("Allreduce", std::move(place), bytes);
  call.operation = std::move(operation), call.element = std::move(element);
  return call;
}
inline WatchedCall nonblocking(WatchedCall call) {
  call.function = "I" + std::string(1, static_cast<char>(call.function[0] + ('a' - 'A'))) + call.function.substr(1);
  call.is_blocking = false;
  return call;
}
inline WatchedCall message(std::string function, Rank peer, int tag, std::string place) {
  WatchedCall call = collective(std::move(function), std::move(place), 8);
  call.is_collective = false;
  call.peer = peer, call.tag = tag;
  return call;
}
// `number`: of the collective whose request it waits for, on the communicator; 0: it waits for messages.
inline WatchedCall wait(std::string place, std::string function = "Wait", std::uint64_t number = 0) {
  WatchedCall call = message(std::move(function), -1, -1, std::move(place));
  call.number = number;
  return call;
}

class PlantedRun {
 public:
  explicit PlantedRun(Count size) {
    for (Rank rank = 0; rank < size; ++rank) {
      SeenRank& seen = ranks.emplace_back();
      seen.rank = rank, seen.host = "node", seen.state = State::computes, seen.since_s = 12, seen.processor_s = -1;
    }
    std::vector<Rank> all(static_cast<std::size_t>(size));
    std::iota(all.begin(), all.end(), Rank{0});
    communicator(all, "MPI_COMM_WORLD");
  }

  // Adds a communicator and returns its number; that of MPI_COMM_WORLD is 0.
  int communicator(const std::vector<Rank>& members, const std::string& name = "") {
    std::uint64_t hash = 1;
    for (const Rank rank : members) hash = hash_with(hash, static_cast<std::uint64_t>(rank));
    for (const Rank rank : members) {
      SeenRank& seen = at(rank);
      std::uint64_t made = 0;
      for (const SeenCommunicator& each : seen.communicators) made += each.key.members == hash;
      places_[{rank, count_}] = static_cast<int>(seen.communicators.size());
      seen.communicators.push_back({{hash, made}, name, members, 0});
    }
    return count_++;
  }

  // The rank makes a call and returns from it.
  void made(Rank rank, WatchedCall call, int on = 0) {
    call.has_left = true;
    add(rank, std::move(call), on);
  }
  void all_made(const WatchedCall& call, int on = 0) {
    for (SeenRank& seen : ranks)
      if (places_.contains({seen.rank, on})) made(seen.rank, call, on);
  }
  // The rank is in a call.
  void in(Rank rank, WatchedCall call, int on = 0, double since_s = 12) {
    add(rank, std::move(call), on);
    is(rank, State::in_call, since_s);
  }
  SeenRank& is(Rank rank, State state, double since_s = 12) {
    at(rank).state = state, at(rank).since_s = since_s;
    return at(rank);
  }
  // All calls on a communicator so far have numbers that are greater by this.
  void shift_numbers(std::uint64_t by) {
    for (SeenRank& seen : ranks) {
      for (SeenCommunicator& each : seen.communicators) each.calls += by;
      for (WatchedCall& call : seen.calls)
        if (call.is_collective) call.number += by;
    }
  }
  SeenRank& at(Rank rank) { return ranks[static_cast<std::size_t>(rank)]; }

  std::vector<SeenRank> ranks;

 private:
  void add(Rank rank, WatchedCall call, int on) {
    SeenRank& seen = at(rank);
    call.communicator = places_.at({rank, on});
    if (call.is_collective) call.number = ++seen.communicators[static_cast<std::size_t>(call.communicator)].calls;
    seen.calls.push_back(std::move(call));
    ++seen.begun;
  }

  int count_ = 0;
  std::map<std::pair<Rank, int>, int> places_;  // of a rank's communicator, in SeenRank::communicators
};

// The text of the verdict on a run; empty if there is none.
inline std::string verdict_on(const PlantedRun& run, double limit_s = 10) {
  const auto verdict = find_hang(run.ranks, static_cast<Count>(run.ranks.size()), {limit_s});
  return verdict ? text_of(*verdict) : "";
}

}  // namespace quadrille::mpi_face::testing
