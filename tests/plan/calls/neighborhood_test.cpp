// SPDX-License-Identifier: BSD-3-Clause
// Neighbourhood collectives on typed memory, with random neighbours, and on grids. alltoallw_test.cpp tests those with layouts.
#include "quadrille/neighborhood.hpp"

#include <gtest/gtest.h>

#include <array>
#include <span>

#include "groups/chooser.hpp"
#include "quadrille/collectives.hpp"
#include "support/counts_gathers.hpp"
#include "support/grids.hpp"
#include "support/processes.hpp"
#include "support/random_neighborhood.hpp"
#include "support/told.hpp"
#include "support/variable.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using Around = RandomNeighborhood;

// Each kind of call is started, then made, then completed: requests and calls do not disturb each other.

void exchange_counted(Communicator& ranks, std::uint64_t seed) {
  const Around around(ranks.rank(), ranks.size(), seed);
  const Neighbors neighbors = around.neighbors();
  const auto send_counts = Around::counts_of<unsigned>(around.sent);
  const auto receive_counts = Around::counts_of<unsigned>(around.received);
  const auto packed_sent = Around::packed_places_of(around.sent), packed_received = Around::packed_places_of(around.received);
  const auto sent = Around::places_of(around.sent, 5), received = Around::places_of(around.received, 3);
  const auto packed_input = Around::elements_of(around.sent, packed_sent), input = Around::elements_of(around.sent, sent);
  const auto packed_expected = Around::elements_of(around.received, packed_received);
  const auto expected = Around::elements_of(around.received, received);
  std::vector<int> packed(packed_expected.size(), -1), placed(expected.size(), -1);
  {
    Request first = ineighbor_alltoallv(ranks, neighbors, packed_input, send_counts, packed, receive_counts);
    neighbor_alltoallv(ranks, neighbors, input, {send_counts, sent}, placed, {receive_counts, received});
    first.wait();
  }
  EXPECT_EQ(packed, packed_expected) << seed;
  EXPECT_EQ(placed, expected) << seed;
  std::fill(packed.begin(), packed.end(), -1), std::fill(placed.begin(), placed.end(), -1);
  {
    Request first = ineighbor_alltoallv(ranks, neighbors, input, {send_counts, sent}, placed, {receive_counts, received});
    neighbor_alltoallv(ranks, neighbors, packed_input, send_counts, packed, receive_counts);
    first.wait();
  }
  EXPECT_EQ(packed, packed_expected) << seed;
  EXPECT_EQ(placed, expected) << seed;
}

void exchange_equal(Communicator& ranks, std::uint64_t seed) {
  const Around around(ranks.rank(), ranks.size(), seed);
  const Count length = static_cast<Count>(seed % 40);
  const auto blocks_sent = Around::equal(around.sent, length), blocks_received = Around::equal(around.received, length);
  const auto input = Around::elements_of(blocks_sent, Around::packed_places_of(blocks_sent));
  const auto expected = Around::elements_of(blocks_received, Around::packed_places_of(blocks_received));
  std::vector<int> started(expected.size(), -1), called(expected.size(), -1);
  Request first = ineighbor_alltoall(ranks, around.neighbors(), input, started);
  neighbor_alltoall(ranks, around.neighbors(), input, called);
  first.wait();
  EXPECT_EQ(started, expected) << seed;
  EXPECT_EQ(called, expected) << seed;
}

// What a rank gives to all of its destinations.
std::vector<int> given_by(Rank rank, Count length) {
  std::vector<int> elements;
  for (Count i = 0; i < length; ++i) elements.push_back(static_cast<int>(1000 * rank + i));
  return elements;
}

void gather(Communicator& ranks, std::uint64_t seed) {
  const Rank me = ranks.rank();
  const Around around(me, ranks.size(), seed);
  const auto length = [&](Rank rank) { return static_cast<Count>((seed * 7 + static_cast<std::uint64_t>(rank) * 13) % 50); };
  auto blocks = around.received;
  for (Around::Block& block : blocks) {
    block.count = length(std::max<Rank>(block.peer, 0));
    block.first = static_cast<int>(1000 * block.peer);
  }
  const auto counts = Around::counts_of<long>(blocks), places = Around::places_of(blocks, 4);
  const auto expected = Around::elements_of(blocks, Around::packed_places_of(blocks)), placed = Around::elements_of(blocks, places);
  const auto mine = given_by(me, length(me));
  for (const bool starts : {false, true}) {
    std::vector<int> output(expected.size(), -1), apart(placed.size(), -1);
    if (starts) {
      Request one = ineighbor_allgatherv(ranks, around.neighbors(), mine, output, counts);
      Request other = ineighbor_allgatherv(ranks, around.neighbors(), mine, apart, {counts, places});
      one.wait(), other.wait();
    } else {
      neighbor_allgatherv(ranks, around.neighbors(), mine, output, counts);
      neighbor_allgatherv(ranks, around.neighbors(), mine, apart, {counts, places});
    }
    EXPECT_EQ(output, expected) << seed;
    EXPECT_EQ(apart, placed) << seed;
  }
  blocks = Around::equal(blocks, 6);
  const auto equal = Around::elements_of(blocks, Around::packed_places_of(blocks));
  std::vector<int> started(equal.size(), -1), called(equal.size(), -1);
  const auto six = given_by(me, 6);
  Request first = ineighbor_allgather(ranks, around.neighbors(), six, started);
  neighbor_allgather(ranks, around.neighbors(), six, called);
  first.wait();
  EXPECT_EQ(started, equal) << seed;
  EXPECT_EQ(called, equal) << seed;
}

void run_neighborhood_calls(Communicator& ranks, std::uint64_t calls) {
  for (std::uint64_t seed = 0; seed < calls; ++seed) {
    exchange_counted(ranks, seed);
    exchange_equal(ranks, seed);
    gather(ranks, seed);
    EXPECT_EQ(allreduce(ranks, 1, op::sum), ranks.size());
  }
}

TEST(Neighborhood, DeliversToAnyNeighbours) {
  for (Count p = 1; p <= 8; ++p) run_threads(p, [](Communicator& ranks) { run_neighborhood_calls(ranks, 40); });
  run_threads(3, [](Communicator& threads) { run_neighborhood_calls(*shared_by_processes(threads), 40); });
  const Variable check("QUADRILLE_CHECK", "1");
  run_threads(3, [](Communicator& ranks) { run_neighborhood_calls(ranks, 10); });
}

TEST(Neighborhood, AgreesUponNothing) {
  run_threads(4, [](Communicator& threads) {
    CountsGathers ranks(threads);
    let_choose(ranks);
    run_neighborhood_calls(ranks, 1);
    const long before = ranks.gathers();
    for (std::uint64_t seed = 1; seed < 5; ++seed) exchange_counted(ranks, seed), exchange_equal(ranks, seed), gather(ranks, seed);
    if (!CallArguments{}.compares) EXPECT_EQ(ranks.gathers(), before);
  });
}

// A block in a grid is named by who sends it and where it lies there.
TEST(Neighborhood, FollowsTheRuleOfMpiOnGrids) {
  for (const CartesianGrid& grid : small_grids(3)) {
    const Count p = ranks_of_grid(grid);
    if (p > 8) continue;
    run_threads(p, [&](Communicator& ranks) {
      const Neighbors around(grid, ranks.rank());
      const std::size_t blocks = 2 * grid.dimensions.size();
      std::vector<std::array<Count, 2>> input(blocks), output(blocks, {-1, -1});
      for (std::size_t block = 0; block < blocks; ++block) input[block] = {ranks.rank(), static_cast<Count>(block)};
      neighbor_alltoall(ranks, around, input, output);
      for (std::size_t block = 0; block < blocks; ++block) {
        const auto [rank, place] = origin_of(grid, ranks.rank(), block);
        const std::array<Count, 2> expected =
            rank < 0 ? std::array<Count, 2>{-1, -1} : std::array<Count, 2>{rank, static_cast<Count>(place)};
        EXPECT_EQ(output[block], expected) << described(grid) << ", rank " << ranks.rank() << ", block " << block;
      }
    });
  }
}

TEST(Neighborhood, ExchangesTheRimsOfOneArray) {
  for (const Count p : {1, 2, 3})
    run_threads(p, [p](Communicator& ranks) {
      const Neighbors around({{p}, {true}}, ranks.rank());
      std::array<Count, 5> cells{-1, 10 * ranks.rank(), 0, 10 * ranks.rank() + 1, -1};
      const std::array ones{1, 1};
      neighbor_alltoallv(ranks, around, cells, {ones, std::array{1, 3}}, cells, {ones, std::array{0, 4}});
      EXPECT_EQ(cells.front(), 10 * ((ranks.rank() + p - 1) % p) + 1);
      EXPECT_EQ(cells.back(), 10 * ((ranks.rank() + 1) % p));
    });
}

void call_without_neighbors(Communicator& ranks) {
  const std::span<int> nothing;
  neighbor_alltoall(ranks, Neighbors({}, {}), nothing, nothing);
}

// What rank 1 of a ring of two is told of a call. The other rank has no neighbours in it.
std::string told_in_ring(const std::function<void(Communicator&, const Neighbors& ring)>& call) {
  return told(2, [&](Communicator& ranks) {
    ranks.rank() == 1 ? call(ranks, Neighbors({{2}, {true}}, 1)) : call_without_neighbors(ranks);
  })[1];
}

TEST(Neighborhood, RefusesWrongArguments) {
  std::vector<int> four(4), other(4);
  const std::array two{2, 2};
  EXPECT_EQ(told_in_ring([&](auto& ranks, auto&) { neighbor_alltoall(ranks, Neighbors({0}, {2}), four, other); }),
            "neighbor_alltoall sends to rank 2, but the group has 2 ranks");
  EXPECT_EQ(told_in_ring([&](auto& ranks, auto&) { ineighbor_allgather(ranks, Neighbors({3}, {0}), four, other).wait(); }),
            "neighbor_allgather receives from rank 3, but the group has 2 ranks");
  EXPECT_EQ(told_in_ring([&](auto& ranks, auto& ring) { neighbor_alltoall(ranks, ring, std::vector<int>(3), other); }),
            "the input of neighbor_alltoall has 3 elements for 2 destinations; blocks have the same length");
  EXPECT_EQ(told_in_ring([&](auto& ranks, auto&) { neighbor_allgather(ranks, Neighbors({}, {0}), four, other); }),
            "the output of neighbor_allgather has 4 elements for 0 sources; blocks have the same length");
  EXPECT_EQ(told_in_ring([&](auto& ranks, auto& ring) { neighbor_alltoall(ranks, ring, std::vector<int>(6), other); }),
            "neighbor_alltoall sends blocks of 3 elements and receives blocks of 2; they must be equal");
  EXPECT_EQ(told_in_ring([&](auto& ranks, auto& ring) { neighbor_alltoallv(ranks, ring, four, std::vector<int>{2}, other, two); }),
            "neighbor_alltoallv has 1 send_counts for 2 destinations");
  EXPECT_EQ(told_in_ring([&](auto& ranks, auto& ring) {
              neighbor_allgatherv(ranks, ring, four, other, {two, std::array{0, 2, 4}});
            }),
            "neighbor_allgatherv has 3 displacements for 2 sources");
  EXPECT_EQ(told_in_ring([&](auto& ranks, auto& ring) {
              neighbor_alltoallv(ranks, ring, four, std::array{1, -1}, other, two);
            }),
            "send_counts[1] is -1; counts are 0 or more");
  EXPECT_EQ(told_in_ring([&](auto& ranks, auto& ring) {
              neighbor_alltoallv(ranks, ring, four, two, other, std::array{2, 3});
            }),
            "receive_counts[1] is 3 from element 2 on, and the output has 4 elements");
  EXPECT_EQ(told_in_ring([&](auto& ranks, auto& ring) {
              neighbor_alltoallv(ranks, ring, four, {two, two}, other, {two, std::array{0, 1}});
            }),
            "pieces of the output overlap");
  EXPECT_EQ(told_in_ring([&](auto& ranks, auto& ring) {
              neighbor_alltoallv(ranks, ring, four, {two, std::array{0, 1}}, four, {std::array{1, 1}, std::array{3, 2}});
            }),
            "a piece of the input overlaps one of the output");
  EXPECT_EQ(told_in_ring([&](auto& ranks, auto& ring) {
              neighbor_alltoall(ranks, ring, four, std::span<int>(static_cast<int*>(nullptr), 4));
            }),
            "output is a null pointer, and this rank's output has 16 bytes; give execute a buffer");
}

TEST(Neighborhood, TellsAllRanksIfTheyCompare) {
  const Variable check("QUADRILLE_CHECK", "1");
  std::vector<int> four(4), other(4);
  const auto all = told(2, [&](Communicator& ranks) {
    const Neighbors ring({{2}, {true}}, ranks.rank());
    std::vector<int> output(4);
    neighbor_alltoall(ranks, ring, std::vector<int>(ranks.rank() == 1 ? 5 : 4), output);
  });
  EXPECT_EQ(all[1], "the input of neighbor_alltoall has 5 elements for 2 destinations; blocks have the same length");
  EXPECT_EQ(all[0], "rank 1: " + all[1]);
  EXPECT_EQ(told_to_all(2,
                        [&](Communicator& ranks) {
                          const std::span<int> nothing;
                          ranks.rank() == 0 ? call_without_neighbors(ranks)
                                            : neighbor_allgather(ranks, Neighbors({}, {}), nothing, nothing);
                        }),
            "the order of collectives differs: rank 1 is in neighbor_allgather, rank 0 in neighbor_alltoall; all ranks must make "
            "the same call");
}

TEST(Neighborhood, FindsNeighborsThatDifferIfTheRanksCompare) {
  const Variable check("QUADRILLE_CHECK", "1");
  EXPECT_EQ(told_to_all(2,
                        [](Communicator& ranks) {
                          std::vector<int> output(1);
                          neighbor_alltoall(ranks, Neighbors({1 - ranks.rank()}, {}), std::span<int>(), output);
                        }),
            "rank 0 sends nothing to rank 1, which expects 4 bytes; let both list the same edges");
}

TEST(Neighborhood, ReportsLengthsThatDifferAtTheReceiver) {
  if (CallArguments{}.compares) GTEST_SKIP() << "debug builds compare edges first, and tell all ranks";
  run_threads(2, [](Communicator& ranks) {
    std::string said;
    const Neighbors ring({{2}, {true}}, ranks.rank());
    std::vector<int> input(4, 7), output(4, -1);
    const std::array counts{1, ranks.rank() == 0 ? 2 : 1}, expected{1, 1};
    try {
      neighbor_alltoallv(ranks, ring, input, counts, output, expected);
    } catch (const Error& error) {
      said = error.what();
    }
    EXPECT_EQ(said, ranks.rank() == 0 ? ""
                                      : "rank 0 sends 8 bytes to rank 1, which expects 4 (their edge 1, counted from 0); "
                                        "let both name the same number");
    run_neighborhood_calls(ranks, 1);
  });
}

}  // namespace
}  // namespace quadrille
