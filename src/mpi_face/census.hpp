// SPDX-License-Identifier: BSD-3-Clause
// Determines whether a call of MPI_Alltoallv synchronises all ranks: it does if no rank sends or receives an empty block. No rank
// knows all counts, so before the call each rank starts a nonblocking collective that tells every other rank whether its own blocks
// are all non-empty. A rank without empty blocks has received data from all ranks once the call returns, so all ranks have started
// the census and waiting for its result is safe. A rank with an empty block already knows the answer (no), and does not wait.
#pragma once

#include <mpi.h>

#include <list>
#include <numeric>
#include <vector>

namespace quadrille::mpi_face {

class Census {
 public:
  // Limit on the ranks. Among more ranks, MPI libraries run alltoallv in several steps. Then a rank would wait for others to make
  // progress after the call, which they may not do.
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

}  // namespace quadrille::mpi_face
