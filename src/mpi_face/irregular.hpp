// SPDX-License-Identifier: BSD-3-Clause
// MPI_Alltoallv on a communicator. It has no plan, because each rank knows only its own counts and these may change in each call:
// if all ranks share memory, they exchange by edges (execute/executions/exchanger.hpp). One site stands for all calls.
#pragma once

#include <mpi.h>

#include <memory>

#include "mpi_face/census.hpp"
#include "mpi_face/deciding.hpp"
#include "mpi_face/outcome.hpp"
#include "mpi_face/runner.hpp"
#include "mpi_face/sites.hpp"

namespace quadrille::mpi_face {

class Irregular {
 public:
  Irregular(MPI_Comm communicator, Count ranks, Sites& sites, Deciding& deciding, Runner& runner)
      : communicator_(communicator), ranks_(ranks), sites_(sites), deciding_(deciding), runner_(runner) {}

  int run(const MpiCall& call, VendorCall vendor, CallOutcome& outcome);

  // Completes pending requests while MPI still works. May wait until other ranks have started the same calls.
  void finish() {
    if (census_) census_->finish();
  }

 private:
  int run_due(Site& site, const MpiCall& call, VendorCall vendor, CallOutcome& outcome);

  const MPI_Comm communicator_;
  const Count ranks_;
  Sites& sites_;
  Deciding& deciding_;
  Runner& runner_;
  Site* site_ = nullptr;
  std::uint64_t next_look_ = 0;  // the call, 2^k, in which the site is looked at
  std::unique_ptr<Census> census_;
};

}  // namespace quadrille::mpi_face
