// SPDX-License-Identifier: BSD-3-Clause
// Learning between runs: rank 0 of MPI_COMM_WORLD reads what earlier runs found once, when the ranks first meet, and writes what
// this run found once, when MPI is finalised.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "mpi_face/policy/findings.hpp"
#include "mpi_face/policy/step.hpp"

namespace quadrille::mpi_face {

class Learning {
 public:
  static Learning& get();

  // Call it on rank 0 of MPI_COMM_WORLD, when its ranks first meet. `ranks`: of the world. Reads the file.
  void begin(Count ranks);

  // What earlier runs found with this MPI library on this kind of machine, for at most as many ranks as the world has. Empty on
  // other ranks, and if the user wants no learning.
  Findings known() {
    const std::lock_guard lock(mutex_);
    return known_;
  }

  // Notes what was found on a communicator that ends.
  void note(const State& state);

  // Writes the file, if there is something new to write.
  void save();

 private:
  std::mutex mutex_;  // other threads may meet on other communicators
  std::string file_;  // empty: it has not begun, or there is no learning
  std::uint32_t machine_ = 0;
  Findings known_;
  std::vector<CallFinding> found_;
};

}  // namespace quadrille::mpi_face
