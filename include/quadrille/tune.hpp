// SPDX-License-Identifier: BSD-3-Clause
// Tunes a machine: measures which ways to run collectives are the fastest on a group of ranks, and keeps the results as wisdom,
// from which plans choose afterwards. This is what `quadrille tune` does. A session goes through cells, one after the other: a
// cell is a collective at a size. A session measures the cells that wisdom lacks and stores each result at once. So it may end at
// any time, and the next session measures the remaining cells.
//
//   run_launched(4, [](Communicator& ranks) {
//     const TuneResult result = tune(ranks, {.collectives = {Collective::alltoall}, .sizes = {8, 1024}, .seconds_per_cell = 0.2});
//     for (const TuneCell& cell : result.cells)
//       if (cell.state == CellState::measured && ranks.rank() == 0)
//         std::printf("%ld B: %s\n", cell.size, to_string(cell.record.entries.front().way).c_str());
//   });
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "quadrille/execute.hpp"
#include "quadrille/operator.hpp"
#include "quadrille/problem.hpp"
#include "quadrille/wisdom.hpp"

namespace quadrille {

enum class CellState : std::uint8_t {
  open,      // not examined
  known,     // wisdom already had it
  measured,  // measured in this session
  left_out,  // left out because it is too large for the machine
};

struct TuneCell {
  Problem problem;    // rooted collectives have root 0
  std::string shape;  // of an alltoallv's counts: "uniform" (drawn around the size), "spike" or "transpose"; otherwise empty
  // Bytes of a block. For irregular collectives the mean of all blocks or, for spike and transpose, the largest one.
  Bytes size = 0;
  bool own_counts_only = false;               // alltoallv: each rank knows only its own counts
  std::shared_ptr<const Operator> operation;  // reductions use the sum of f64; null for other collectives
  CellState state = CellState::open;
  WisdomRecord record;  // of known and measured cells, the fastest way first
  std::string reason;   // why the cell was left out

  Situation situation() const;
};

// A kind of call that a program makes.
struct WantedCell {
  Collective collective = Collective::alltoall;
  Bytes size = 0;  // mean bytes of a block
};

// How far a session is.
struct TuneProgress {
  enum Work : std::uint8_t {
    fitting_executors,  // measuring the times of messages and copies
    fitting_vendor,     // timing the MPI library's own collectives
    racing,             // measuring a cell
  };
  Work work = racing;
  // While racing:
  const TuneCell* cell = nullptr;       // valid during the call
  std::size_t number = 0, cells = 0;    // the number of the cell, from 1 on, and how many cells there are
  int repetition = 0, repetitions = 0;  // number of the repetition, from 0, and how many the present elimination round has
  std::size_t ways = 0;                 // number of ways that race in this round
  std::optional<double> seconds_left;   // estimate for the remaining cells; absent before the first one is measured
};

// All ranks must pass the same options, except for the functions.
struct TuneOptions {
  // Collectives on which programs spend most time are measured first, whatever their order here. Empty: all.
  std::vector<Collective> collectives;
  std::vector<Bytes> sizes;         // bytes of a block; sizes between others are measured later. Empty: nine, from 8 B to 1 MiB
  std::vector<WantedCell> wanted;   // if there are any, these are measured instead, in this order
  std::vector<Executor> executors;  // empty: all that the group has
  double seconds_per_cell = 1;      // approximate
  std::optional<double> seconds;    // after this time no further cell is begun
  bool again = false;               // also measure known cells again, and add the results to the known ones
  std::size_t launches = 1;         // from 1 to 8: a cell that was measured in fewer sessions counts as unknown
  Count days = 90;                  // measurements that are older than this are repeated
  std::size_t ways = 8;             // number of ways to race in a cell, those with the lowest prices
  // Measure the MPI library's own algorithms instead, and keep the results in another file. `quadrille wisdom export` reads this
  // file; plans do not. See allow_vendor_algorithms.
  bool vendor = false;

  // These are called on rank 0.
  std::function<void(std::size_t open, std::size_t cells)> begin;                // `open` of `cells` cells have to be measured
  std::function<void(const TuneProgress& progress)> progress;                    // several times in each cell
  std::function<void(const TuneCell& cell, const std::string& sentence)> wrong;  // a way gave wrong data
  // Called on every rank before each cell. The session ends if it returns anything but 0 on any rank, such as a signal's number.
  std::function<int()> stop;
};

struct TuneResult {
  std::string transport;        // transport of the group, such as "threads"
  std::string file;             // where the results are kept
  Count ranks = 0;              // number of ranks of the group
  std::vector<TuneCell> cells;  // in the order of measurement
  int stopped = 0;              // what TuneOptions::stop returned to end the session; 0: it did not
  bool out_of_time = false;     // the limit TuneOptions::seconds was reached
  bool wrong_data = false;      // a way gave wrong data; known on rank 0

  std::size_t count(CellState state) const;
};

// Returns the cells of a session on `ranks` ranks, all of them open. `nodes` is the node of each rank, as in Problem::nodes.
// Local. Throws Error{misuse} for negative sizes and if a reduction's size is no multiple of 8 bytes, and Error{too_large} for
// problems of 2^62 bytes or more.
std::vector<TuneCell> cells_of(const TuneOptions& options, Count ranks, const std::vector<Count>& nodes = {});

// Runs a session. Collective; all ranks get the same cells. The results are kept in the file that wisdom_file names on rank 0;
// plans that were made before do not change, and `forget_wisdom` lets later ones read the file again. Throws on all ranks:
// Error{misuse} for a single rank, for options out of range, if there is no file to keep wisdom in, and if this file cannot be
// read or written; otherwise the errors of `cells_of` and `race`. Cells that were measured before the error stay in the file.
TuneResult tune(Communicator& communicator, const TuneOptions& options = {});

// Makes Open MPI accept forced algorithms, for TuneOptions::vendor. Open MPI looks for forced algorithms only if an environment
// variable says so when it is initialised, so call this function before MPI is initialised. As long as no algorithm is forced,
// Open MPI decides as usual. Does nothing if the environment already sets the variable.
void allow_vendor_algorithms();

}  // namespace quadrille
