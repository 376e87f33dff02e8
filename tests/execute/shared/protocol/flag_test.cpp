// SPDX-License-Identifier: BSD-3-Clause
// Tests of flags in all interleavings.
#include "execute/shared/protocol/flag.hpp"

#include <gtest/gtest.h>

#include <array>

#include "support/interleavings/needed_orders.hpp"

namespace quadrille {
namespace {

using namespace interleavings;

struct Message {
  FlagBy<Atomic> flag;
  Plain<int> data{"data"};
};

const Scenario one_message = scenario<Message>({[](Message& s) {
                                                  s.data.write(7);
                                                  s.flag.publish(1);
                                                },
                                                [](Message& s) {
                                                  wait_until([&] { return s.flag.published() == 1; });
                                                  require(s.data.read() == 7, "the message is there");
                                                }});

// Calls as those of exchanges without a plan: each rank writes its block and tells the others, then reads theirs. Calls alternate
// between two sets of blocks and flags, and nothing else tells a rank that its block of the call before the last has been read.
template <int ranks>
struct Exchange {
  using Each = std::array<std::array<FlagBy<Atomic>, ranks - 1>, ranks>;
  std::array<Each, 2> flags;
  std::array<std::array<Plain<int>, ranks>, 2> blocks;

  FlagBy<Atomic>& flag(int from, int step, int call) {
    return flags[static_cast<std::size_t>(call % 2)][static_cast<std::size_t>(from)][static_cast<std::size_t>(step - 1)];
  }
  Plain<int>& block(int rank, int call) { return blocks[static_cast<std::size_t>(call % 2)][static_cast<std::size_t>(rank)]; }
};

template <int ranks, int me, int calls>
void exchange(Exchange<ranks>& s) {
  for (int call = 1; call <= calls; ++call) {
    const auto number = static_cast<std::uint64_t>(call);
    s.block(me, call).write(10 * call + me);
    for (int step = 1; step < ranks; ++step) s.flag(me, step, call).publish(number);
    for (int step = 1; step < ranks; ++step) {
      const int from = (me + ranks - step) % ranks;
      wait_until([&] {
        const std::uint64_t published = s.flag(from, step, call).published();
        require(published <= number, "no rank is two calls ahead");
        return published == number;
      });
      require(s.block(from, call).read() == 10 * call + from, "the block of this call is there");
    }
  }
}

// Call 3 uses the blocks of call 1 again, and call 4 those of call 2.
const Scenario two_ranks = scenario<Exchange<2>>({exchange<2, 0, 4>, exchange<2, 1, 4>});
const Scenario three_ranks = scenario<Exchange<3>>({exchange<3, 0, 3>, exchange<3, 1, 3>, exchange<3, 2, 3>});

TEST(Flag, MessagesAreReadWhenTheyAreReady) { expect_right_and_tight("flag.hpp", {one_message}); }
TEST(Flag, BlocksAreUsedAgainWhenTheyHaveBeenReadByTwoRanks) { expect_right_and_tight("flag.hpp", {two_ranks}); }
TEST(Flag, BlocksAreUsedAgainWhenTheyHaveBeenReadByThreeRanks) { expect_right_and_tight("flag.hpp", {three_ranks}); }

// One set of blocks would not be enough: a rank writes its block of call 2 while the other reads that of call 1.
struct OneSet {
  std::array<FlagBy<Atomic>, 2> flags;
  std::array<Plain<int>, 2> blocks;
};

template <std::size_t me>
void exchange_by_one_set(OneSet& s) {
  for (std::uint64_t call = 1; call <= 2; ++call) {
    s.blocks[me].write(1);
    s.flags[me].publish(call);
    wait_until([&] { return s.flags[1 - me].published() >= call; });
    s.blocks[1 - me].read();
  }
}

TEST(Flag, OneSetOfBlocksIsNotEnough) { EXPECT_NE(explore<OneSet>({exchange_by_one_set<0>, exchange_by_one_set<1>}).failure, ""); }

}  // namespace
}  // namespace quadrille
