// SPDX-License-Identifier: BSD-3-Clause
// Tests of readers' progress in all interleavings.
#include "execute/shared/protocol/reader_progress.hpp"

#include <gtest/gtest.h>

#include <array>

#include "execute/shared/protocol/flag.hpp"
#include "support/interleavings/needed_orders.hpp"

namespace quadrille {
namespace {

using namespace interleavings;

// An owner writes a ring of two blocks, one block for each execution, and two readers read all blocks.
struct Ring {
  std::array<std::array<FlagBy<Atomic>, 2>, 2> flags;  // by block and reader
  std::array<Plain<int>, 2> blocks;
  std::array<ReaderProgressBy<Atomic>, 2> progress;
};

constexpr std::uint64_t executions = 4;  // each block is used again once

void write_blocks(Ring& s) {
  std::array<std::uint64_t, 2> reached{};
  for (std::uint64_t n = 1; n <= executions; ++n) {
    if (n > 2)
      wait_until([&] {
        for (std::size_t reader = 0; reader < 2; ++reader) {
          if (reached[reader] + 2 < n) reached[reader] = s.progress[reader].reached();
          if (reached[reader] + 2 < n) return false;
        }
        return true;
      });
    s.blocks[n % 2].write(static_cast<int>(n));
    for (FlagBy<Atomic>& flag : s.flags[n % 2]) flag.publish(n);
  }
}

template <std::size_t me, std::uint64_t tells_each>
void read_blocks(Ring& s) {
  for (std::uint64_t n = 1; n <= executions; ++n) {
    wait_until([&] {
      const std::uint64_t published = s.flags[n % 2][me].published();
      require(published <= n, "the owner waits for its readers");
      return published == n;
    });
    require(s.blocks[n % 2].read() == static_cast<int>(n), "the block of this execution is there");
    if (n % tells_each == 0) s.progress[me].reach(n);
  }
}

const Scenario ring = scenario<Ring>({write_blocks, read_blocks<0, 1>, read_blocks<1, 2>});

// A sender puts a long block through a short area, piece by piece. Progress counts bytes.
struct Pieces {
  FlagBy<Atomic> put;
  Plain<int> area{"area"};
  ReaderProgressBy<Atomic> taken;
};

constexpr std::uint64_t length = 3;

void send_pieces(Pieces& s) {
  for (std::uint64_t bytes = 1; bytes <= length; ++bytes) {
    s.area.write(static_cast<int>(bytes));
    s.put.publish(bytes);
    wait_until([&] { return s.taken.reached() == bytes; });
  }
}

void receive_pieces(Pieces& s) {
  while (s.taken.own() < length) {
    std::uint64_t put = 0;
    wait_until([&] { return (put = s.put.published()) != s.taken.own(); });
    require(s.taken.own() + 1 == put, "a piece comes after the piece before it is taken");
    require(s.area.read() == static_cast<int>(put), "the piece is there");
    s.taken.reach(put);
  }
}

const Scenario pieces = scenario<Pieces>({send_pieces, receive_pieces});

TEST(ReaderProgress, BlocksAreUsedAgainWhenAllHaveReadThem) { expect_right_and_tight("reader_progress.hpp", {ring}); }
TEST(ReaderProgress, AnAreaIsUsedAgainForTheNextPiece) { expect_right_and_tight("reader_progress.hpp", {pieces}); }

}  // namespace
}  // namespace quadrille
