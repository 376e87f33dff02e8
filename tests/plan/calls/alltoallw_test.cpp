// SPDX-License-Identifier: BSD-3-Clause
// Exchanges with a layout for each block: random layouts with gaps, and layouts of rows and columns.
#include "quadrille/neighborhood.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "groups/chooser.hpp"
#include "support/counts_gathers.hpp"
#include "support/processes.hpp"
#include "support/random_neighborhood.hpp"
#include "support/told.hpp"
#include "support/variable.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using Block = RandomNeighborhood::Block;  // counts are bytes here

// Memory in which each block lies in pieces, in any order and with gaps. Offsets are relative to a place in its middle.
class Scattered {
 public:
  Scattered(const std::vector<Block>& blocks, std::mt19937_64& random) : layouts(blocks.size()) {
    struct Piece {
      std::size_t block, place;
    };
    std::vector<Piece> pieces;
    for (std::size_t block = 0; block < blocks.size(); ++block) {
      const bool is_whole = random() % 3 == 0;
      for (Bytes left = blocks[block].count; left > 0;) {
        const Bytes length = is_whole ? left : std::min(left, static_cast<Bytes>(random() % 40));
        pieces.push_back({block, layouts[block].size()});
        layouts[block].push_back({0, length});
        left -= length;
      }
    }
    std::shuffle(pieces.begin(), pieces.end(), random);
    Bytes end = 0;
    for (const auto& [block, place] : pieces) {
      end += random() % 2 == 0 ? 0 : static_cast<Bytes>(random() % 9);
      layouts[block][place].offset = end;
      end += layouts[block][place].length;
    }
    origin_ = end / 2;
    for (Layout& layout : layouts) layout = shifted(std::move(layout), -origin_);
    memory.assign(index(end), nothing);
  }

  std::byte* buffer() { return memory.data() + origin_; }

  void fill(const std::vector<Block>& blocks) {
    for (std::size_t block = 0; block < blocks.size(); ++block) {
      auto value = static_cast<std::uint8_t>(blocks[block].first);
      for (const auto& [offset, length] : layouts[block])
        for (Bytes i = 0; i < length && blocks[block].peer >= 0; ++i) buffer()[offset + i] = std::byte{value++};
    }
  }

  // Is everything there, and nothing in the gaps? Forgets it.
  bool is_right(const std::vector<Block>& blocks) {
    const std::vector<std::byte> found = std::exchange(memory, std::vector(memory.size(), nothing));
    fill(blocks);
    return std::exchange(memory, std::vector(memory.size(), nothing)) == found;
  }

  std::vector<Layout> layouts;
  std::vector<std::byte> memory;

 private:
  static constexpr std::byte nothing{0xEE};
  Bytes origin_ = 0;
};

// One block to each rank, and one from each.
std::vector<Block> blocks_of_all(Rank me, Count p, std::uint64_t seed, bool sent, bool is_symmetric) {
  std::vector<Block> blocks;
  for (Rank rank = 0; rank < p; ++rank) {
    const Rank from = sent ? me : rank, to = sent ? rank : me;
    const Rank low = is_symmetric ? std::min(from, to) : from, high = is_symmetric ? std::max(from, to) : to;
    std::mt19937_64 random(seed * 1000 + static_cast<std::uint64_t>(low * p + high));
    blocks.push_back({rank, static_cast<Bytes>(random() % 3 == 0 ? 0 : random() % (random() % 6 == 0 ? 20'000 : 200)),
                      static_cast<int>(from * 31 + to * 7)});
  }
  return blocks;
}

void run_alltoallw(Communicator& ranks, std::uint64_t calls) {
  const Rank me = ranks.rank();
  const Count p = ranks.size();
  for (std::uint64_t seed = 0; seed < calls; ++seed) {
    std::mt19937_64 random(seed * 100 + static_cast<std::uint64_t>(me));
    const auto sent = blocks_of_all(me, p, seed, true, false), received = blocks_of_all(me, p, seed, false, false);
    Scattered input(sent, random), output(received, random);
    input.fill(sent);
    const RandomNeighborhood around(me, p, seed);
    Scattered near_input(around.sent, random), near_output(around.received, random);
    near_input.fill(around.sent);
    {
      Request first = ialltoallw(ranks, input.buffer(), std::vector(input.layouts), output.buffer(), std::vector(output.layouts));
      neighbor_alltoallw(ranks, around.neighbors(), near_input.buffer(), near_input.layouts, near_output.buffer(),
                         near_output.layouts);
      first.wait();
    }
    EXPECT_TRUE(output.is_right(received)) << seed;
    EXPECT_TRUE(near_output.is_right(around.received)) << seed;
    {
      Request first = ineighbor_alltoallw(ranks, around.neighbors(), near_input.buffer(), near_input.layouts, near_output.buffer(),
                                          near_output.layouts);
      alltoallw(ranks, input.buffer(), input.layouts, output.buffer(), output.layouts);
      first.wait();
    }
    EXPECT_TRUE(output.is_right(received)) << seed;
    EXPECT_TRUE(near_output.is_right(around.received)) << seed;

    const auto given = blocks_of_all(me, p, seed, true, true), taken = blocks_of_all(me, p, seed, false, true);
    Scattered one(given, random), other(given, random);
    one.fill(given), other.fill(given);
    Request replacing = ialltoallw(ranks, in_place, one.buffer(), one.layouts);
    alltoallw(ranks, in_place, other.buffer(), other.layouts);
    replacing.wait();
    EXPECT_TRUE(one.is_right(taken)) << seed;
    EXPECT_TRUE(other.is_right(taken)) << seed;
  }
}

TEST(Alltoallw, DeliversAnyLayouts) {
  for (Count p = 1; p <= 8; ++p) run_threads(p, [](Communicator& ranks) { run_alltoallw(ranks, 30); });
  run_threads(3, [](Communicator& threads) { run_alltoallw(*shared_by_processes(threads), 30); });
  const Variable check("QUADRILLE_CHECK", "1");
  run_threads(3, [](Communicator& ranks) { run_alltoallw(ranks, 10); });
}

// The lower ranks get columns of doubles, the others rows of ints; columns arrive as rows.
TEST(Alltoallw, MixesElementTypes) {
  constexpr Count rows = 3, columns = 5;
  run_threads(4, [](Communicator& ranks) {
    struct Both {
      std::array<double, rows * columns> doubles;
      std::array<int, rows * columns> ints;
    } input{}, output{};
    for (std::size_t i = 0; i < input.doubles.size(); ++i) {
      input.doubles[i] = static_cast<double>(100 * ranks.rank()) + static_cast<double>(i);
      input.ints[i] = static_cast<int>(1000 * ranks.rank()) + static_cast<int>(i);
    }
    const Bytes ints = offsetof(Both, ints);
    const auto column = [](Count i) { return shifted(strided(rows, sizeof(double), columns * Bytes{sizeof(double)}), i * 8); };
    const auto row = [&](Count i) { return Layout{{ints + i * columns * 4, columns * 4}}; };
    const bool low = ranks.rank() < 2;
    const std::vector<Layout> sent{column(0), column(1), row(0), row(1)};
    std::vector<Layout> received;
    for (Count from = 0; from < 4; ++from) received.push_back(low ? Layout{{from * rows * 8, rows * 8}} : row(from % 3));
    if (!low) received[3] = {};  // from rank 3 these two ranks get nothing
    std::vector<Layout> given = sent;
    if (ranks.rank() == 3) given[2] = given[3] = {};
    alltoallw(ranks, &input, given, &output, received);
    for (Count from = 0; from < (low ? 4 : 3); ++from)
      for (Count i = 0; i < (low ? rows : columns); ++i) {
        if (low) EXPECT_EQ(output.doubles[index(from * rows + i)], static_cast<double>(100 * from + i * columns + ranks.rank()));
        if (!low) EXPECT_EQ(output.ints[index(from * columns + i)], 1000 * from + (ranks.rank() - 2) * columns + i);
      }
  });
}

TEST(Alltoallw, AgreesUponNothing) {
  run_threads(3, [](Communicator& threads) {
    CountsGathers ranks(threads);
    run_alltoallw(ranks, 1);
    const long before = ranks.gathers();
    run_alltoallw(ranks, 5);
    if (!CallArguments{}.compares) EXPECT_EQ(ranks.gathers(), before);
  });
}

// What rank 1 of two is told of a call. The other rank sends and receives nothing in it.
std::string told_to_rank_1(const std::function<void(Communicator&)>& call) {
  return told(2, [&](Communicator& ranks) {
    const std::vector<Layout> nothing(2);
    ranks.rank() == 1 ? call(ranks) : alltoallw(ranks, nullptr, nothing, nullptr, nothing);
  })[1];
}

TEST(Alltoallw, RefusesWrongArguments) {
  std::array<std::byte, 64> from{}, to{};
  const auto called = [&](const std::vector<Layout>& sent, const std::vector<Layout>& received) {
    return told_to_rank_1([&](Communicator& ranks) { alltoallw(ranks, from.data(), sent, to.data(), received); });
  };
  const Bytes last = std::numeric_limits<Bytes>::max();
  EXPECT_EQ(called({{}}, {{}, {}}), "alltoallw has 1 send_layouts for 2 ranks");
  EXPECT_EQ(called({{}, {}}, {{}, {}, {}}), "alltoallw has 3 receive_layouts for 2 ranks");
  EXPECT_EQ(called({{}, {{0, 8}, {8, -1}}}, {{}, {}}), "send_layouts[1] has a piece of -1 bytes at 8");
  EXPECT_EQ(called({{}, {}}, {{{last, 8}}, {}}), "receive_layouts[0] has a piece of 8 bytes at 9223372036854775807");
  EXPECT_EQ(called({{}, {{0, last}, {0, 8}}}, {{}, {}}), "send_layouts[1] reaches 2^63 bytes (no misuse)");
  EXPECT_EQ(told_to_rank_1([&](Communicator& ranks) { alltoallw(ranks, in_place, to.data(), std::vector<Layout>(3)); }),
            "alltoallw in place has 3 layouts for 2 ranks");
  EXPECT_EQ(
      told_to_rank_1([&](Communicator& ranks) {
        neighbor_alltoallw(ranks, Neighbors({0}, {0, 0}), from.data(), std::vector<Layout>(1), to.data(), std::vector<Layout>(1));
      }),
      "neighbor_alltoallw has 1 send_layouts for 2 destinations");
  EXPECT_EQ(
      told_to_rank_1([&](Communicator& ranks) {
        ineighbor_alltoallw(ranks, Neighbors({0, 9}, {0}), from.data(), std::vector<Layout>(1), to.data(), std::vector<Layout>(2));
      }),
      "neighbor_alltoallw receives from rank 9, but the group has 2 ranks");
  EXPECT_EQ(told_to_rank_1([&](Communicator& ranks) {
              ialltoallw(ranks, nullptr, std::vector<Layout>{{{0, 8}}, {}}, to.data(), std::vector<Layout>(2));
            }),
            "input is a null pointer, and this rank's input has 8 bytes; give execute a buffer");
}

TEST(Alltoallw, FindsOverlapsIfTheRanksCompare) {
  const Variable check("QUADRILLE_CHECK", "1");
  std::array<std::byte, 64> memory{};
  const auto called = [&](const std::vector<Layout>& sent, const std::vector<Layout>& received) {
    const auto all = told(2, [&](Communicator& ranks) {
      const std::vector<Layout> nothing(2);
      const bool wrong = ranks.rank() == 1;
      alltoallw(ranks, memory.data(), wrong ? sent : nothing, memory.data(), wrong ? received : nothing);
    });
    EXPECT_EQ(all[0], "rank 1: " + all[1]);
    return all[1];
  };
  EXPECT_EQ(called({{}, {}}, {{{0, 8}, {16, 8}}, {{8, 8}, {20, 8}}}), "pieces of the output overlap");
  EXPECT_EQ(called({{{24, 8}}, {{0, 4}, {40, 8}}}, {{{32, 8}, {16, 8}}, {{47, 2}}}),
            "a piece of the input overlaps one of the output");
}

TEST(Alltoallw, ReportsLengthsThatDifferAtTheReceiver) {
  run_threads(2, [](Communicator& ranks) {
    std::string said;
    std::array<std::byte, 32> from{}, to{};
    const Layout two{{0, 4}, {8, 4}}, one{{16, 4}};
    const bool is_first = ranks.rank() == 0;
    try {
      alltoallw(ranks, from.data(), std::vector<Layout>{{}, is_first ? two : Layout{}}, to.data(),
                std::vector<Layout>{is_first ? Layout{} : one, {}}, false);
    } catch (const Error& error) {
      said = error.what();
    }
    EXPECT_EQ(said, is_first ? "" : "rank 0 sends 8 bytes to rank 1, which expects 4; let both name the same number");
    run_alltoallw(ranks, 1);
  });
}

}  // namespace
}  // namespace quadrille
