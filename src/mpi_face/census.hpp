// SPDX-License-Identifier: BSD-3-Clause
// Finds out whether a call of MPI_Alltoallv synchronises: it does if no rank has an empty block. No rank knows all counts, so each
// tells all others about its own, by a nonblocking collective that is started before the call. After the call, a rank without empty
// blocks has heard from all ranks in the call itself, and may wait for what they tell. Any other rank knows the answer, and waits
// for nothing.
#pragma once

#include <mpi.h>

#include <list>
#include <numeric>
#include <vector>

namespace quadrille::mpi_face {

class Census {
 public:
  // With more, libraries take several steps, in which a rank depends on what others do after the call.
  static constexpr int most_ranks = 32;

  explicit Census(MPI_Comm communicator, int ranks)
      : communicator_(communicator), ranks_(ranks), ones_(static_cast<std::size_t>(ranks), 1), places_(ones_.size()) {
    std::iota(places_.begin(), places_.end(), 0);
  }

  // Collective, but waits for nobody. `is_full`: this rank sends no empty block and receives none.
  void start(bool is_full);

  // After the call: has no rank an empty block? The same on all ranks.
  bool is_full();

  // Waits for what was started, before the communicator goes.
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
