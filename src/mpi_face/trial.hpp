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

  // `exchange`: for alltoallv, which has no plan.
  Trial(Site& site, MPI_Comm communicator, Communicator& group, DirectExchange* exchange);

  // Collective. Runs both some times, and appends their times to the site. False, and nothing was run, where a rank would need too
  // much memory. Throws Error{transport, peer_lost}.
  bool run();

 private:
  static constexpr int rounds = rounds_of_trial;
  struct Times {
    double ours_s[rounds], vendors_s[rounds];
  };

  bool agree_on_size();
  void prepare();
  double timed(bool by_ours);
  void ours();
  void vendors();

  Site& site_;
  const MPI_Comm communicator_;
  Communicator& group_;
  DirectExchange* const exchange_;
  Problem problem_;
  Bytes input_bytes_ = 0, output_bytes_ = 0;
  int batch_ = 1;  // the same on all ranks
  std::vector<std::byte> input_, output_;
  std::vector<int> counts_[2], displacements_[2];  // of v-collectives, sent and received
};

}  // namespace quadrille::mpi_face
