// SPDX-License-Identifier: BSD-3-Clause
// Running a site's call on buffers of ours, by the MPI library and by ours, to compare their times. The program's data is not
// touched, so that the result of its own call never depends on a trial.
#pragma once

#include <mpi.h>

#include <vector>

#include "execute/shared/direct_exchange.hpp"
#include "mpi_face/site.hpp"

namespace quadrille::mpi_face {

// The site's problem; not of alltoallv.
Problem problem_of(const Site& site, Count ranks);

class Trial {
 public:
  static constexpr Bytes most_memory = Bytes{64} << 20;  // for what a rank gives or gets
  static constexpr std::size_t most_plans = 3;

  // For alltoallv, which has no plan, there is `exchange`.
  Trial(const Site& site, MPI_Comm communicator, Communicator& group, std::vector<Plan*> plans, DirectExchange* exchange);

  // Seconds of the slowest rank, of each round that counts.
  struct Times {
    std::vector<double> vendors_s;
    std::vector<std::vector<double>> ours_s;  // of each plan, or of the exchange
  };

  // Collective, once. Runs all by turns, and appends to `times`. False, and nothing was run, where a rank would need too much
  // memory. Throws Error{transport, peer_lost}.
  bool run(Times& times);

 private:
  static constexpr int rounds = rounds_of_trial;
  static constexpr int vendor = -1;
  struct Round {
    double vendors_s = 0, ours_s[most_plans] = {};
  };

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
  DirectExchange* const exchange_;
  Problem problem_;
  Bytes input_bytes_ = 0, output_bytes_ = 0;
  int batch_ = 1;  // the same on all ranks
  std::vector<std::byte> input_, output_;
  std::vector<int> counts_[2], displacements_[2];  // of v-collectives, sent and received
};

}  // namespace quadrille::mpi_face
