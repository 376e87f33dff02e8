// SPDX-License-Identifier: BSD-3-Clause
// The table of the program's communicators. Its columns hold what deciding, running, counting and recording need to know of each
// communicator. When a communicator is freed, the delete callback of an attribute deletes its row, whatever the program's
// language.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "mpi_face/call.hpp"
#include "mpi_face/deciding.hpp"
#include "mpi_face/irregular.hpp"
#include "mpi_face/known_calls.hpp"
#include "mpi_face/policy/meetings.hpp"
#include "mpi_face/recording/recorded_sites.hpp"
#include "mpi_face/report/record_layout.hpp"
#include "mpi_face/runner.hpp"
#include "mpi_face/sites.hpp"
#include "mpi_face/symbols/function.hpp"

namespace quadrille::mpi_face {

// Measures from time to time how long a rank waits for late ranks: runs a barrier before a call.
class LateRanks {
 public:
  explicit LateRanks(const KnownCommunicator& communicator);

  // Counts a call that synchronises, and returns whether all ranks measure before it. `price_s` as for Sampling.
  bool counts(double price_s) { return sampling_.counts(price_s); }

  // Collective. Returns the seconds that measuring took, without the waiting.
  double measure(CallOutcome& outcome);

 private:
  const KnownCommunicator& communicator_;
  Sampling sampling_;
  double last_s_;                  // when the last measurement ended
  std::int64_t last_cost_ns_ = 0;  // cost of the last measurement on this rank
  double cost_s_ = 0;              // cost of recent measurements on the slowest rank; equal on all ranks; 0: not known yet
  std::uint64_t barrier_ticks_ = ~std::uint64_t{0};  // the least time of a barrier on the rank that came last; equal on all ranks
};

// Where the calls on a communicator are counted. The pointers save a search in each call that is counted.
struct CountedCommunicator {
  // The counters of one function and size class. `passed` belongs to the reason whose text is at address `why`.
  struct Entry {
    std::atomic<Counters*> counters{nullptr};
    std::atomic<PassedCalls*> passed{nullptr};
    std::atomic<const char*> why{nullptr};
  };
  using Entries = std::array<Entry, size_classes>;

  std::atomic<int> number{-1};                                      // index in Record; -1: not in it yet
  std::atomic<std::uint32_t> identity{RingEntry::no_communicator};  // RingEntry::communicator; set before `number`
  std::uint64_t calls = 0;                                          // collectives begun, if the rank is watched
  std::atomic<int> nodes_that_compare{-1};                          // as the function of Counting; -1: not known yet
  std::array<std::atomic<Entries*>, static_cast<std::size_t>(Function::count)> entries{};

  CountedCommunicator() = default;
  CountedCommunicator(const CountedCommunicator&) = delete;
  CountedCommunicator& operator=(const CountedCommunicator&) = delete;
  ~CountedCommunicator() {
    for (auto& each : entries) delete each.load(std::memory_order_relaxed);
  }
};

class CommunicatorState {
 public:
  // Looks the communicator up, and adds it if it is new. Local. Returns null if the MPI library must run the call: QUADRILLE is
  // off, MPI is not initialised or is finalised, or there is no such communicator.
  [[gnu::hot]] static CommunicatorState* of(MPI_Comm communicator);

  // Call it in MPI_Init. Then all ranks use the drop-in until the callbacks of the program's own attributes have run, and ranks
  // that never call a collective hand over their counters, too.
  static void expect_end();

  explicit CommunicatorState(MPI_Comm communicator);

  void finish() { irregular_.finish(); }

  [[gnu::hot]] int run(const MpiCall& call, VendorCall vendor, CallOutcome& outcome);

  // Call it before a call that synchronises the ranks: measures from time to time how long they wait for late ranks. `price_s`:
  // the call's price, equal on all ranks.
  void sample(double price_s, CallOutcome& outcome) {
    if (counts_everywhere_ && late_ranks_.counts(price_s)) [[unlikely]]
      measure_late_ranks(outcome);
  }

  const KnownCommunicator& communicator() const { return facts_; }
  bool only_observes() const { return only_observes_; }  // Settings::only_observes
  KnownCalls& calls() { return calls_; }
  CountedCommunicator& counted() { return counted_; }
  std::unique_ptr<CommunicatorHere>& recorded() { return recorded_; }  // null until it is recorded

 private:
  void measure_late_ranks(CallOutcome& outcome);
  int run_alone(const MpiCall& call, VendorCall vendor, CallOutcome& outcome);
  int run_known_alone(SeenCall& seen, const MpiCall& call, VendorCall vendor, CallOutcome& outcome);
  int exchange_alone(const MpiCall& call, VendorCall vendor, CallOutcome& outcome);
  int copy_alone(const Elements& from, const Elements& to, VendorCall vendor, CallOutcome& outcome);
  [[gnu::hot]] int run_planned(const MpiCall& call, VendorCall vendor, CallOutcome& outcome);
  [[gnu::hot]] void synchronise(bool synchronises, double price_s, CallOutcome& outcome);
  int run_first(const MpiCall& call, VendorCall vendor, CallOutcome& outcome);
  const Shape& shape_again(KnownCall& known, const MpiCall& call);
  [[gnu::hot]] int run_at(Site& site, const MpiCall& call, const auto& shape, VendorCall vendor, CallOutcome& outcome);
  int run_tried(Site& site, const Shape& shape, VendorCall vendor, CallOutcome& outcome);

  const KnownCommunicator facts_;
  KnownCalls calls_;
  CountedCommunicator counted_;
  std::unique_ptr<CommunicatorHere> recorded_;
  Deciding deciding_;
  Runner runner_;
  Irregular irregular_;
  LateRanks late_ranks_;
  const bool only_observes_, counts_everywhere_;
};

}  // namespace quadrille::mpi_face
