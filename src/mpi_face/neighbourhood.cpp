// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/neighbourhood.hpp"

#include <algorithm>
#include <numeric>

#include "quadrille/error.hpp"

namespace quadrille::mpi_face {
namespace {

bool is_done(int code) { return code == MPI_SUCCESS; }

void check_grid(int code) {
  if (!is_done(code)) throw Error(ErrorCode::transport, "the MPI library failed in a test of its neighbourhood collectives");
}

MPI_Comm grid_on(MPI_Comm ranks, const std::vector<int>& sizes, const std::vector<int>& are_closed) {
  MPI_Comm made = MPI_COMM_NULL;
  check_grid(PMPI_Cart_create(ranks, static_cast<int>(sizes.size()), sizes.data(), are_closed.data(), 0, &made));
  return made;
}

MPI_Comm graph_on(MPI_Comm ranks, const std::vector<int>& sources, const std::vector<int>& targets) {
  MPI_Comm made = MPI_COMM_NULL;
  check_grid(PMPI_Dist_graph_create_adjacent(ranks, static_cast<int>(sources.size()), sources.data(), MPI_UNWEIGHTED,
                                             static_cast<int>(targets.size()), targets.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                             &made));
  return made;
}

std::vector<int> ranks_of(const Neighbours& neighbours) {
  std::vector<int> ranks;
  for (const Neighbour& each : neighbours.list) ranks.push_back(static_cast<int>(each.rank));
  return ranks;
}

bool repeats(const Neighbours& neighbours) {
  std::vector<int> ranks = ranks_of(neighbours);
  std::sort(ranks.begin(), ranks.end());
  return std::adjacent_find(ranks.begin(), ranks.end()) != ranks.end();
}

// Sends blocks that contain their own numbers from the rank to itself, and returns the numbers in the blocks that it receives.
std::vector<int> received_numbers(Function function, MPI_Comm alone, std::size_t blocks) {
  std::vector<int> sent(blocks), received(blocks, -1), ones(blocks, 1);
  std::iota(sent.begin(), sent.end(), 0);
  std::vector<MPI_Aint> bytes(blocks);
  for (std::size_t i = 0; i < blocks; ++i) bytes[i] = static_cast<MPI_Aint>(i * sizeof(int));
  const std::vector<MPI_Datatype> types(blocks, MPI_INT);
  const std::vector<int>& places = sent;
  switch (function) {
    case Function::Neighbor_alltoall:
      check_grid(PMPI_Neighbor_alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, alone));
      break;
    case Function::Neighbor_alltoallv:
      check_grid(PMPI_Neighbor_alltoallv(sent.data(), ones.data(), places.data(), MPI_INT, received.data(), ones.data(),
                                         places.data(), MPI_INT, alone));
      break;
    default:
      check_grid(PMPI_Neighbor_alltoallw(sent.data(), ones.data(), bytes.data(), types.data(), received.data(), ones.data(),
                                         bytes.data(), types.data(), alone));
  }
  return received;
}

}  // namespace

Neighbourhood::Neighbourhood(MPI_Comm communicator) {
  int kind = MPI_UNDEFINED;
  if (!is_done(PMPI_Topo_test(communicator, &kind))) return;
  is_grid_ = kind == MPI_CART;
  exists_ = is_grid_                 ? read_grid(communicator)
            : kind == MPI_GRAPH      ? read_graph(communicator)
            : kind == MPI_DIST_GRAPH ? read_edges(communicator)
                                     : false;
}

bool Neighbourhood::read_grid(MPI_Comm communicator) {
  int dimensions = 0;
  if (!is_done(PMPI_Cartdim_get(communicator, &dimensions))) return false;
  sizes_.resize(static_cast<std::size_t>(dimensions)), are_closed_ = sizes_;
  std::vector<int> own = sizes_;
  if (dimensions > 0 && !is_done(PMPI_Cart_get(communicator, dimensions, sizes_.data(), are_closed_.data(), own.data())))
    return false;
  for (int dimension = 0; dimension < dimensions; ++dimension) {
    int before = MPI_PROC_NULL, behind = MPI_PROC_NULL;
    if (!is_done(PMPI_Cart_shift(communicator, dimension, 1, &before, &behind))) return false;
    const Count first = 2 * Count{dimension};
    targets_.add(before, first), targets_.add(behind, first + 1);
    sources_.add(behind, first + 1), sources_.add(before, first);
  }
  return true;
}

bool Neighbourhood::read_graph(MPI_Comm communicator) {
  int own = 0, count = 0;
  if (!is_done(PMPI_Comm_rank(communicator, &own)) || !is_done(PMPI_Graph_neighbors_count(communicator, own, &count))) return false;
  std::vector<int> ranks(static_cast<std::size_t>(count) + 1);
  if (!is_done(PMPI_Graph_neighbors(communicator, own, count, ranks.data()))) return false;
  for (int i = 0; i < count; ++i) targets_.add(ranks[static_cast<std::size_t>(i)], i);
  sources_ = targets_;
  return true;
}

bool Neighbourhood::read_edges(MPI_Comm communicator) {
  int in = 0, out = 0, is_weighted = 0;
  if (!is_done(PMPI_Dist_graph_neighbors_count(communicator, &in, &out, &is_weighted))) return false;
  std::vector<int> sources(static_cast<std::size_t>(in) + 1), targets(static_cast<std::size_t>(out) + 1), weights_in(sources),
      weights_out(targets);
  if (!is_done(
          PMPI_Dist_graph_neighbors(communicator, in, sources.data(), weights_in.data(), out, targets.data(), weights_out.data())))
    return false;
  for (int i = 0; i < in; ++i) sources_.add(sources[static_cast<std::size_t>(i)], i);
  for (int i = 0; i < out; ++i) targets_.add(targets[static_cast<std::size_t>(i)], i);
  return true;
}

MPI_Comm Neighbourhood::made_on(MPI_Comm ranks) const {
  return is_grid_ ? grid_on(ranks, sizes_, are_closed_) : graph_on(ranks, ranks_of(sources_), ranks_of(targets_));
}

bool Neighbourhood::has_repeats() const { return repeats(targets_) || repeats(sources_); }

bool Neighbourhood::is_otherwise_in_library(Function function, MPI_Comm self) const {
  if (!has_repeats() || gathers_of_neighbours(function)) return false;
  std::size_t closed = 0;  // periodic dimensions of length 1
  for (std::size_t i = 0; i < sizes_.size(); ++i) closed += sizes_[i] == 1 && are_closed_[i] ? 1 : 0;
  const std::vector<int> ones(std::max<std::size_t>(closed, 1), 1), edges(3, 0);
  MPI_Comm alone = is_grid_ ? grid_on(self, ones, ones) : graph_on(self, edges, edges);
  const Neighbourhood own(alone);
  const std::vector<int> received = received_numbers(function, alone, static_cast<std::size_t>(own.sources().blocks));
  check_grid(PMPI_Comm_free(&alone));
  for (std::size_t i = 0; i < own.sources().list.size(); ++i)
    if (received[static_cast<std::size_t>(own.sources().list[i].block)] != own.targets().list[i].block) return true;
  return false;
}

}  // namespace quadrille::mpi_face
