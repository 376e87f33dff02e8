// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "quadrille/problem.hpp"

namespace quadrille {

// Of MPI's function without "MPI_", as vendor.cpp and vendor_reduction.cpp call it, in small letters: "reduce_scatter_block".
inline std::string mpi_name(Collective collective) {
  switch (collective) {
    case Collective::broadcast: return "bcast";
    case Collective::reduce_scatter: return "reduce_scatter_block";
    case Collective::reduce_scatterv: return "reduce_scatter";
    default: return std::string(name(collective));
  }
}

}  // namespace quadrille
