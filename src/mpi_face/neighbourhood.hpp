// SPDX-License-Identifier: BSD-3-Clause
// A rank's neighbours in the topology of a communicator, and which block MPI_Neighbor_alltoall and similar functions exchange
// with each neighbour.
//
// The lists are in the order of edges: the k-th edge that rank a lists to rank b is the k-th that b lists from a. For graphs this
// is the order of the blocks. In a grid (a Cartesian communicator) each dimension has two blocks: first the block of the rank
// before, then the block of the rank behind. A block that is sent in one direction arrives from the opposite direction (MPI 4.1,
// section 8.6). In a periodic dimension of one or two ranks both neighbours are the same rank. So there the receives are listed
// in the opposite order.
#pragma once

#include <mpi.h>

#include <vector>

#include "mpi_face/symbols/function.hpp"
#include "quadrille/types.hpp"

namespace quadrille::mpi_face {

struct Neighbour {
  Rank rank;
  Count block;  // its number among the blocks of the call
};

struct Neighbours {
  std::vector<Neighbour> list;  // without those beyond the borders of a grid (MPI_PROC_NULL)
  Count blocks = 0;             // of the call, those beyond the borders included

  void add(int rank, Count block) {
    if (rank != MPI_PROC_NULL) list.push_back({rank, block});
    ++blocks;
  }
};

class Neighbourhood {
 public:
  // Local. `exists` is false if the communicator has no topology.
  explicit Neighbourhood(MPI_Comm communicator);

  bool exists() const { return exists_; }
  const Neighbours& targets() const { return targets_; }
  const Neighbours& sources() const { return sources_; }

  // Collective: makes a communicator with the same topology. `ranks` has the same ranks in the same order.
  MPI_Comm made_on(MPI_Comm ranks) const;

  // Is a rank a neighbour of this one twice? Then the order matters.
  bool has_repeats() const;

  // Does the MPI library pair the edges of this rank in another order than ours? MPICH 4.0.2 reverses the order of all edges in
  // Neighbor_alltoall, and uses the order of the blocks in Neighbor_alltoallv and Neighbor_alltoallw. A call on a communicator of
  // one rank shows the order. `self`: a communicator of this rank alone.
  bool is_otherwise_in_library(Function function, MPI_Comm self) const;

 private:
  bool read_grid(MPI_Comm communicator);
  bool read_graph(MPI_Comm communicator);
  bool read_edges(MPI_Comm communicator);

  bool exists_ = false, is_grid_ = false;
  std::vector<int> sizes_, are_closed_;  // of a grid
  Neighbours targets_, sources_;
};

}  // namespace quadrille::mpi_face
