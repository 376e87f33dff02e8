// SPDX-License-Identifier: BSD-3-Clause
// One session of `tune` on a group: what wisdom lacks is measured, cell by cell, and kept after each.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "quadrille/execute.hpp"
#include "quadrille/wisdom.hpp"
#include "tune_grid.hpp"

namespace quadrille::command {

struct TuneRequest {
  std::vector<Collective> collectives;  // in the order in which they are measured
  std::vector<Bytes> sizes;             // ascending
  std::vector<Executor> executors;      // empty: all that the group has
  double seconds_per_cell = 1;
  std::optional<double> seconds;  // for all
  bool again = false;             // also what is known
  std::size_t launches = 1;       // what fewer have measured is not known yet
  Count days = 90;                // what is older is measured again
  std::size_t ways = 8;           // of a cell, by price
  bool vendor = false;            // instead, the MPI library's own algorithms, kept in a file of their own (plan/vendor_rules.hpp)
};

enum class CellState {
  open,      // not looked at
  known,     // wisdom had it
  measured,  // now
  left_out,  // too large for the machine
};

struct TunedCell {
  Cell cell;
  CellState state = CellState::open;
  WisdomRecord record;  // of known and measured cells
  std::string reason;   // of those that are left out
};

struct TuneOutcome {
  std::string transport, file;
  Count ranks = 0;
  std::vector<TunedCell> cells;
  int signal = 0;            // that ended it; 0: none
  bool out_of_time = false;  // TuneRequest::seconds are over
  bool wrong_data = false;   // as rank 0 knows it

  std::size_t count(CellState state) const;
};

// What is called on rank 0 meanwhile.
struct TuneTalk {
  std::function<void(const std::string& doing)> show;
  std::function<void(const std::string& sentence)> remark;
};

// Collective. Throws Error{misuse} on all ranks where wisdom cannot be read or kept.
TuneOutcome tune(Communicator& communicator, const TuneRequest& request, const TuneTalk& talk);

}  // namespace quadrille::command
