// SPDX-License-Identifier: BSD-3-Clause
// A trial compares the times of a site's calls by the MPI library and by Quadrille. It uses buffers of its own, so it never
// changes the program's data or results.
#pragma once

#include <mpi.h>

#include <optional>
#include <vector>

#include "execute/executions/exchanger.hpp"
#include "mpi_face/policy/step.hpp"
#include "mpi_face/sites.hpp"

namespace quadrille::mpi_face {

class Trial {
 public:
  // For calls that run as an exchange, pass `exchange`; such calls have no plans. At most `most_batch` calls are timed together.
  Trial(const Site& site, MPI_Comm communicator, Communicator& group, std::vector<Plan>& plans, Exchanger* exchange,
        int most_batch);
  ~Trial() {
    if (topology_ != MPI_COMM_NULL) PMPI_Comm_free(&topology_);
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  // Seconds on the slowest rank, for each repetition except the warm-up.
  struct Times {
    std::vector<double> vendors_s;
    std::vector<std::vector<double>> ours_s;  // for each plan, or for the exchange
  };

  // Collective; call it once. Runs the MPI library's function and ours alternately and appends the times to `times`. Returns on
  // all ranks why there can be no trial: a rank would need too much memory, or had wrong arguments in the call whose blocks the
  // trial uses. Throws Error{transport, peer_lost}.
  std::optional<Cause> run(Times& times);

 private:
  static constexpr int repetitions = repetitions_of_trial;
  static constexpr int vendor = -1;
  struct Repetition {
    double vendors_s = 0, ours_s[most_plans_of_trial] = {};
  };

  // One side of the calls: this rank's buffer, and the arguments of MPI's functions with counts.
  struct Buffer {
    std::vector<Bytes> blocks;  // of an exchange (SideBlocks::lengths)
    Bytes bytes = 0;            // bytes of data in the buffer
    std::vector<std::byte> memory;
    std::vector<int> counts, displacements;
    std::vector<MPI_Count> large_counts;  // Neighbor_alltoallw
    std::vector<MPI_Aint> places;

    // For consecutive blocks, in items of `item` bytes. There are at least `ranks` counts, because Open MPI 4 reads so many in
    // calls of neighbours.
    void set_counts(const std::vector<Bytes>& of_blocks, Bytes item, Count ranks);
    int first() const { return counts.empty() ? 0 : counts[0]; }
  };

  void hear_blocks();
  std::optional<Cause> agree_on_size();
  void prepare();
  void list_edges();
  int ways() const { return exchange_ ? 1 : static_cast<int>(plans_.size()); }
  double timed(int way);
  void ours(int way);
  void vendors();
  int call_vendor();

  const Site& site_;
  const MPI_Comm communicator_;
  Communicator& group_;
  std::vector<Plan>& plans_;
  Exchanger* const exchange_;
  int batch_;  // equal on all ranks
  Problem problem_;
  Buffer in_, out_;
  // For the exchange.
  EdgeLists edges_;
  std::vector<MPI_Datatype> types_;    // of the blocks of alltoallw and Neighbor_alltoallw: bytes
  MPI_Comm topology_ = MPI_COMM_NULL;  // for calls of neighbours
};

}  // namespace quadrille::mpi_face
