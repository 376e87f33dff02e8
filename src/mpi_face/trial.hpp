// SPDX-License-Identifier: BSD-3-Clause
// A trial compares the times that the MPI library and Quadrille take for a site's calls. It uses buffers of its own, so it never
// changes the program's data or results.
#pragma once

#include <mpi.h>

#include <vector>

#include "execute/executions/exchanger.hpp"
#include "mpi_face/site.hpp"

namespace quadrille::mpi_face {

class Trial {
 public:
  static constexpr Bytes most_memory = Bytes{64} << 20;  // limit on the input and on the output of a rank
  static constexpr std::size_t most_plans = 3;

  // For calls that run as an exchange, and so have no plans, pass `exchange`. At most `most_batch` calls are timed together.
  Trial(const Site& site, MPI_Comm communicator, Communicator& group, std::vector<Plan*> plans, Exchanger* exchange,
        int most_batch);

  // Seconds on the slowest rank, for each repetition that counts (not the warm-up).
  struct Times {
    std::vector<double> vendors_s;
    std::vector<std::vector<double>> ours_s;  // for each plan, or for the exchange
    TrialTimes of(std::size_t way) const { return {ours_s[way], vendors_s}; }
  };

  // Collective; call it once. Runs everything alternately and appends the times to `times`. Returns false, without running
  // anything, if a rank would need too much memory. Throws Error{transport, peer_lost}.
  bool run(Times& times);

 private:
  static constexpr int repetitions = repetitions_of_trial;
  static constexpr int vendor = -1;
  struct Repetition {
    double vendors_s = 0, ours_s[most_plans] = {};
  };

  void hear_blocks();
  bool agree_on_size();
  void prepare();
  int ways() const { return exchange_ ? 1 : static_cast<int>(plans_.size()); }
  double timed(int way);
  void ours(int way);
  void vendors();

  const Site& site_;
  const MPI_Comm communicator_;
  Communicator& group_;
  const std::vector<Plan*> plans_;
  Exchanger* const exchange_;
  EdgeLists edges_;                     // for the exchange
  std::vector<Bytes> sent_, received_;  // for the exchange: this rank's blocks
  Problem problem_;
  Bytes input_bytes_ = 0, output_bytes_ = 0;
  int batch_;  // equal on all ranks
  std::vector<std::byte> input_, output_;
  std::vector<int> counts_[2], displacements_[2];  // for v-collectives: send and receive side
};

}  // namespace quadrille::mpi_face
