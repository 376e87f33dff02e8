// SPDX-License-Identifier: BSD-3-Clause
// The functions in which each rank knows only its own blocks, and which therefore run as exchanges by edges. Nothing here depends
// on MPI.
#pragma once

#include "mpi_face/symbols/function.hpp"

namespace quadrille::mpi_face {

// Do all ranks exchange data with one of them only?
constexpr bool has_root(Function function) { return function == Function::Gatherv || function == Function::Scatterv; }

// Each neighbour gets the same block.
constexpr bool gathers_of_neighbours(Function function) {
  return function == Function::Neighbor_allgather || function == Function::Neighbor_allgatherv;
}
constexpr bool is_of_neighbours(Function function) {  // the blocking ones
  return function >= Function::Neighbor_allgather && function <= Function::Neighbor_alltoallw;
}

// No call of them makes all ranks wait for each other, as far as the ranks know.
constexpr bool never_synchronises(Function function) {
  return has_root(function) || is_of_neighbours(function) || function == Function::Alltoallw;
}

constexpr bool is_exchanged(Function function) { return never_synchronises(function) || function == Function::Alltoallv; }

}  // namespace quadrille::mpi_face
