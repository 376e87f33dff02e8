// SPDX-License-Identifier: BSD-3-Clause
// The calls on a communicator in which each rank knows only its own counts (is_exchanged): MPI_Alltoallv, Alltoallw, Gatherv,
// Scatterv and those of neighbours. They have no plans, because the counts may change in each call: the ranks exchange by edges
// (execute/executions/exchanger.hpp). One site stands for all calls of a function, whatever their counts and roots.
//
// The ranks meet only in calls in which they wait for each other anyway. An alltoallv is such a call if no rank has an empty
// block, which the ranks find out by a census. In calls of the other functions no rank can know whether all wait. So the ranks
// decide about these functions in meetings in other calls on the communicator. In a meeting all ranks have made the same calls on
// the communicator. So they agree on how many gathervs there were, on the root of the latest call 2^k (whose number is a power of
// two), and on the first call that the exchange runs. They need not agree on counts: in a trial each rank takes its counts of
// that call 2^k.
#pragma once

#include <mpi.h>

#include <array>
#include <list>
#include <memory>
#include <numeric>
#include <vector>

#include "mpi_face/blocks.hpp"
#include "mpi_face/call.hpp"
#include "mpi_face/deciding.hpp"
#include "mpi_face/runner.hpp"
#include "mpi_face/sites.hpp"

namespace quadrille::mpi_face {

// Determines whether a call of MPI_Alltoallv synchronises all ranks: it does if no rank sends or receives an empty block. No rank
// knows all counts, so before the call each rank starts a nonblocking collective that tells every other rank whether its own blocks
// are all non-empty. A rank without empty blocks has received data from all ranks once the call returns, so all ranks have started
// the census and waiting for its result is safe. A rank with an empty block already knows the answer (no), and does not wait.
class Census {
 public:
  // Limit on the ranks. Among more ranks, MPI libraries run alltoallv in several steps. Then a rank would wait after the call
  // until other ranks call MPI again.
  static constexpr int most_ranks = 32;

  explicit Census(MPI_Comm communicator, int ranks)
      : communicator_(communicator), ranks_(ranks), ones_(static_cast<std::size_t>(ranks), 1), places_(ones_.size()) {
    std::iota(places_.begin(), places_.end(), 0);
  }

  // Collective, but does not wait. `is_full`: this rank neither sends nor receives an empty block.
  void start(bool is_full);

  // Call it after the MPI_Alltoallv. Returns true if no rank has an empty block. Equal on all ranks.
  bool is_full();

  // Completes all started requests, before the communicator is freed.
  void finish();

 private:
  struct Entry {
    MPI_Request request = MPI_REQUEST_NULL;
    std::vector<char> mine, all;
  };

  const MPI_Comm communicator_;
  const int ranks_;
  std::vector<int> ones_, places_;
  std::list<Entry> entries_;  // started and not known to be complete, the latest last
};

class Irregular {
 public:
  Irregular(const KnownCommunicator& communicator, Deciding& deciding, Runner& runner)
      : communicator_(communicator), deciding_(deciding), runner_(runner) {}

  // Requires is_exchanged(call.function).
  int run(const MpiCall& call, VendorCall vendor, CallOutcome& outcome);

  // Completes pending requests while MPI still works. May wait until other ranks have started the same calls.
  void finish() {
    if (census_) census_->finish();
  }

 private:
  Site* site_of(Function function);
  int run_all_to_all(Site& site, const MpiCall& call, VendorCall vendor, CallOutcome& outcome);
  int run_due(Site& site, const CallBlocks& blocks, VendorCall vendor, CallOutcome& outcome);
  int run_by_mode(Site& site, const CallBlocks& blocks, VendorCall vendor, CallOutcome& outcome);
  void note(Site& site, const MpiCall& call);
  int run_apart(Site& site, const MpiCall& call, VendorCall vendor, CallOutcome& outcome);

  const KnownCommunicator& communicator_;
  Deciding& deciding_;
  Runner& runner_;
  std::array<Site*, ours_count> known_{};  // by function; null: not made yet, or there are too many
  std::uint64_t next_look_ = 0;            // the call of alltoallv, 2^k, in which the ranks may meet; 0: not known yet
  std::unique_ptr<Census> census_;
};

}  // namespace quadrille::mpi_face
