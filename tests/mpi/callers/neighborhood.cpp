// SPDX-License-Identifier: BSD-3-Clause
// Compares neighbourhood collectives and alltoallw with those of the MPI library: on random graphs with repeated edges, on grids,
// and with random datatypes. Usage: neighborhood, under mpirun.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "quadrille/mpi.hpp"
#include "quadrille/mpi_layout.hpp"
#include "quadrille/neighborhood.hpp"
#include "support/grids.hpp"
#include "support/random_neighborhood.hpp"

namespace quadrille::testing {
namespace {

using Around = RandomNeighborhood;

void expect(bool right, const std::string& what) {
  if (right) return;
  std::fprintf(stderr, "wrong: %s\n", what.c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

std::vector<int> as_ints(const std::vector<Count>& counts) { return {counts.begin(), counts.end()}; }

void compare_on_graphs(Communicator& ranks) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Around around(ranks.rank(), ranks.size(), seed);
    for (auto* list : {&around.sent, &around.received})  // MPI's graphs have no edges to nobody
      std::erase_if(*list, [](const Around::Block& block) { return block.peer < 0; });
    const auto sources = as_ints(Around::peers_of(around.received)), destinations = as_ints(Around::peers_of(around.sent));
    MPI_Comm graph = MPI_COMM_NULL;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(sources.size()), sources.data(), MPI_UNWEIGHTED,
                                   static_cast<int>(destinations.size()), destinations.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &graph);
    const auto places_sent = Around::places_of(around.sent, 4), places_received = Around::places_of(around.received, 4);
    const auto send_counts = Around::counts_of<int>(around.sent), receive_counts = Around::counts_of<int>(around.received);
    const auto input = Around::elements_of(around.sent, places_sent);
    std::vector<int> ours(index(Around::end_of(around.received, places_received)), -1), theirs = ours;
    MPI_Neighbor_alltoallv(input.data(), send_counts.data(), as_ints(places_sent).data(), MPI_INT, theirs.data(),
                           receive_counts.data(), as_ints(places_received).data(), MPI_INT, graph);
    neighbor_alltoallv(ranks, around.neighbors(), input, {send_counts, places_sent}, ours, {receive_counts, places_received});
    expect(ours == theirs, fmt::format("neighbor_alltoallv {} differs at rank {}", seed, ranks.rank()));
    MPI_Comm_free(&graph);
  }
}

// Periodic dimensions of one or two ranks are left out: several versions of the MPI libraries swap their blocks
// (open-mpi/ompi#14416). neighborhood_test.cpp compares these with MPI's rule.
bool is_compared(const CartesianGrid& grid) {
  for (std::size_t d = 0; d < grid.dimensions.size(); ++d)
    if (grid.periodic[d] && grid.dimensions[d] <= 2) return false;
  return true;
}

void compare_on_grids(Communicator& ranks) {
  for (const CartesianGrid& grid : small_grids(4)) {
    if (grid.dimensions.empty() || ranks_of_grid(grid) != ranks.size() || !is_compared(grid)) continue;
    const std::vector<int> sides = as_ints(grid.dimensions), periodic(grid.periodic.begin(), grid.periodic.end());
    MPI_Comm theirs = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, static_cast<int>(sides.size()), sides.data(), periodic.data(), 0, &theirs);
    const std::size_t blocks = 2 * sides.size();
    std::vector<int> input(3 * blocks), expected(3 * blocks, -1), output(3 * blocks, -1);
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<int>(ranks.rank() * 100) + static_cast<int>(i);
    MPI_Neighbor_alltoall(input.data(), 3, MPI_INT, expected.data(), 3, MPI_INT, theirs);
    neighbor_alltoall(ranks, Neighbors(grid, ranks.rank()), input, output);
    expect(output == expected, fmt::format("rank {} of {}", ranks.rank(), described(grid)));
    MPI_Comm_free(&theirs);
  }
}

// A block of an alltoallw: `count` columns of a matrix of doubles or of ints.
struct Columns {
  int count, displacement;
  MPI_Datatype type;
};

constexpr int rows = 6, columns = 16;

MPI_Datatype column_of(MPI_Datatype element, int size) {
  MPI_Datatype column = MPI_DATATYPE_NULL, next = MPI_DATATYPE_NULL;
  MPI_Type_vector(rows, 1, columns, element, &column);
  MPI_Type_create_resized(column, 0, size, &next);
  MPI_Type_free(&column);
  MPI_Type_commit(&next);
  return next;
}

void compare_with_layouts(Communicator& ranks) {
  const Rank me = ranks.rank();
  const Count p = ranks.size();
  MPI_Datatype types[] = {column_of(MPI_DOUBLE, 8), column_of(MPI_INT, 4), MPI_DOUBLE, MPI_INT};
  constexpr int sizes[] = {8, 4};
  for (unsigned seed = 0; seed < 30; ++seed) {
    const auto drawn = [&](Rank from, Rank to, unsigned what) {
      return static_cast<unsigned>(std::mt19937(seed * 10'000 + what * 1000 + static_cast<unsigned>(from * p + to))());
    };
    // Each pair has an element type and a number of columns. At either end they are columns, or the elements follow each other.
    const Bytes room = rows * columns * 8;  // one matrix for each rank
    std::vector<int> counts[2], places[2];
    std::vector<MPI_Datatype> of_type[2];
    std::vector<Layout> layouts[2];
    for (const int side : {0, 1})
      for (Rank rank = 0; rank < p; ++rank) {
        const Rank from = side == 0 ? me : rank, to = side == 0 ? rank : me;
        const unsigned element = drawn(from, to, 0) % 2, number = drawn(from, to, 1) % 5;
        const bool is_packed = drawn(from, to, 2 + static_cast<unsigned>(side)) % 3 == 0;
        counts[side].push_back(static_cast<int>(is_packed ? number * rows : number));
        places[side].push_back(static_cast<int>(rank * room) + sizes[element] * static_cast<int>(drawn(from, to, 4) % 8));
        of_type[side].push_back(types[element + (is_packed ? 2 : 0)]);
        layouts[side].push_back(shifted(layout_of(counts[side].back(), of_type[side].back()), places[side].back()));
      }
    std::vector<std::byte> input(index(p * room)), ours(input.size(), std::byte{0xEE}), theirs = ours;
    for (std::size_t i = 0; i < input.size(); ++i)
      input[i] = static_cast<std::byte>(i * 7 + i / 256 + static_cast<std::size_t>(me));
    MPI_Alltoallw(input.data(), counts[0].data(), places[0].data(), of_type[0].data(), theirs.data(), counts[1].data(),
                  places[1].data(), of_type[1].data(), MPI_COMM_WORLD);
    alltoallw(ranks, input.data(), layouts[0], ours.data(), layouts[1]);
    expect(ours == theirs, fmt::format("alltoallw {} differs at rank {}", seed, me));
  }
  MPI_Type_free(&types[0]), MPI_Type_free(&types[1]);
}

}  // namespace
}  // namespace quadrille::testing

int main(int count, char** arguments) {
  using namespace quadrille;
  using namespace quadrille::testing;
  MPI_Init(&count, &arguments);
  try {
    const auto ranks = over(MPI_COMM_WORLD);
    compare_on_graphs(*ranks);
    compare_on_grids(*ranks);
    compare_with_layouts(*ranks);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
