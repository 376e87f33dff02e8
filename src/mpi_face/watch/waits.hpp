// SPDX-License-Identifier: BSD-3-Clause
// Who waits on which communicator, and for whom.
#pragma once

#include <optional>
#include <vector>

#include "mpi_face/watch/seen_run.hpp"

namespace quadrille::mpi_face {

// A communicator on which ranks wait.
struct Stuck {
  std::vector<Rank> waiters;
  const WatchedCall* call = nullptr;  // that ends first: the one with the least number that a waiter is in
  std::vector<Rank> missing;          // the members for which it waits
  double quiet_s = 0;
};

// A step of the analysis: a rank, or a communicator.
struct Node {
  bool is_rank = false;
  Rank id = 0;
  auto operator<=>(const Node&) const = default;
};

class Waits {
 public:
  Waits(const SeenRun& run, double limit_s);  // the run must outlive this object

  const std::vector<Rank>& waiters(int on) const { return waiters_[static_cast<std::size_t>(on)]; }
  bool are_long(const std::vector<Rank>& ranks) const;  // one of them has been where it is for the limit
  bool is_quiet_rank(Rank rank) const { return run_.is_quiet(rank, limit_s_); }
  bool is_quiet(int on) const { return on < 0 ? is_quiet_ : quiet_[static_cast<std::size_t>(on)]; }  // -1: of all ranks
  std::optional<Stuck> stuck_on(int on) const;                                                       // nothing: not quiet
  std::optional<Node> node_of(Rank rank) const;  // where a rank that is in a call waits itself

 private:
  const SeenRun& run_;
  const double limit_s_;
  std::vector<std::vector<Rank>> waiters_;  // for each communicator
  std::vector<bool> quiet_;                 // for each communicator: no member makes progress
  bool is_quiet_ = true;                    // no rank makes progress
};

}  // namespace quadrille::mpi_face
