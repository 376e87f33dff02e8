// SPDX-License-Identifier: BSD-3-Clause
// Collects the ranks that a verdict shows, and groups those in the same situation.
#pragma once

#include <map>
#include <vector>

#include "mpi_face/watch/seen_run.hpp"
#include "mpi_face/watch/verdict.hpp"

namespace quadrille::mpi_face {

class ShownRanks {
 public:
  explicit ShownRanks(const SeenRun& run) : run_(run) {}

  void add(const std::vector<Rank>& ranks, bool is_cause = false);
  void add_call(Rank rank, const WatchedCall& call) { ranks_[rank].call = &call; }  // shows this call instead of the current one
  std::vector<ShownGroup> take() const;                                             // in the order of their first ranks

 private:
  struct Shown {
    bool is_cause = false;
    const WatchedCall* call = nullptr;
  };
  ShownGroup finding_of(Rank rank, const Shown& shown) const;

  const SeenRun& run_;
  std::map<Rank, Shown> ranks_;
};

}  // namespace quadrille::mpi_face
