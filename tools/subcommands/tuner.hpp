// SPDX-License-Identifier: BSD-3-Clause
// One session of `tune` on a group: measures the cells that wisdom lacks, one after the other, and stores each at once.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "quadrille/execute.hpp"
#include "quadrille/wisdom.hpp"
#include "subcommands/tune_grid.hpp"

namespace quadrille::command {

struct TuneRequest {
  std::vector<Collective> collectives;  // in the order in which they are measured
  std::vector<Bytes> sizes;             // ascending
  std::vector<WantedCell> wanted;       // if there are any, these are measured instead, in this order
  std::vector<Executor> executors;      // empty: all that the group has
  double seconds_per_cell = 1;
  std::optional<double> seconds;  // time limit of the session
  bool again = false;             // also measure known cells again
  std::size_t launches = 1;       // a cell measured in fewer launches counts as unknown
  Count days = 90;                // older measurements are made again
  std::size_t ways = 8;           // number of ways to race in a cell, those with the lowest prices
  bool vendor = false;  // measure the MPI library's own algorithms instead, for a file of their own (tune/rules/vendor_rules.hpp)
};

enum class CellState {
  open,      // not examined
  known,     // wisdom already had it
  measured,  // measured in this session
  left_out,  // left out because it is too large for the machine
};

struct TunedCell {
  Cell cell;
  CellState state = CellState::open;
  WisdomRecord record;  // filled for known and measured cells
  std::string reason;   // filled for cells that are left out
};

struct TuneOutcome {
  std::string transport, file;
  Count ranks = 0;
  std::vector<TunedCell> cells;
  int signal = 0;            // the signal that ended the session; 0: none
  bool out_of_time = false;  // the limit TuneRequest::seconds was reached
  bool wrong_data = false;   // known on rank 0

  std::size_t count(CellState state) const;
};

// Functions that are called on rank 0 during the session.
struct TuneTalk {
  std::function<void(const std::string& doing)> show;
  std::function<void(const std::string& sentence)> remark;
};

// Collective. Runs a session. Throws Error{misuse} on all ranks if wisdom cannot be read or written.
TuneOutcome tune(Communicator& communicator, const TuneRequest& request, const TuneTalk& talk);

}  // namespace quadrille::command
