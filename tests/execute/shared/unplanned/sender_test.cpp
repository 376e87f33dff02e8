// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/unplanned/sender.hpp"

#include <gtest/gtest.h>

#include <array>

#include "support/apart.hpp"
#include "support/copy_costs.hpp"
#include "support/slots.hpp"

namespace quadrille {
namespace {

using testing::Apart;
using testing::costs_of;
using testing::run_apart;
using Way = Slot::Way;

// Rank 0 sends messages of these lengths to ranks 1, 2, and so on. Returns by which way each went.
std::vector<Way> ways_of(const std::vector<Bytes>& lengths, const Apart& apart, bool allocated = false) {
  const Count ranks = size(lengths) + 1;
  std::vector<Way> ways(lengths.size());
  run_apart(ranks, apart, [&](SharedCommunicator& each) {
    SharedSpace& space = *each.space();
    PairSlots slots = testing::slots_of(space);
    Sender sender(space, slots, apart.costs);
    const Offset area = space.allocate(sender.area_bytes());
    sender.begin_at(space.at(area));
    Bytes most = 0;
    for (const Bytes bytes : lengths) most = std::max(most, bytes);
    std::vector<std::byte> own(index(most));
    const std::byte* const memory = allocated ? space.at(space.allocate(most)) : own.data();
    std::vector<Edges::Send> sends;
    for (Rank to = 1; to < ranks; ++to) sends.push_back({to, memory, lengths[index(to) - 1]});
    if (space.rank() == 0) sender.begin(sends, 1);
    space.barrier();
    if (space.rank() > 0) {
      ASSERT_NE(slots.arrived(0).slot, nullptr);
      ways[index(space.rank()) - 1] = slots.arrived(0).slot->way();
    }
    space.barrier();
    if (space.rank() == 0) sender.withdraw();
    slots.close(area);
  });
  return ways;
}

std::vector<Way> all(Count count, Way way) { return std::vector<Way>(index(count), way); }

TEST(Sender, PutsTinyMessagesIntoSlotsAndShortOnesIntoTheArea) {
  const Apart apart{.costs = costs_of(10, 1)};
  EXPECT_EQ(ways_of({8, 96, 700, 5000, 60'000}, apart), (std::vector{Way::here, Way::here, Way::area, Way::area, Way::area}));
  EXPECT_EQ(ways_of({2016}, apart), all(1, Way::here));  // two ranks have larger slots
  EXPECT_EQ(ways_of({2017}, apart), all(1, Way::area));
}

TEST(Sender, LendsMessagesIfTogetherTheySaveMoreThanAWait) {
  const Apart apart{.costs = costs_of(1, 2)};  // 64 KiB: saves 1 us
  EXPECT_EQ(ways_of({30'000}, apart), all(1, Way::area));
  EXPECT_EQ(ways_of({60'000, 60'000, 60'000, 60'000, 60'000, 60'000}, apart), all(6, Way::once));
}

TEST(Sender, FirstSendsLongMessagesAsTheCostsPredict) {
  EXPECT_EQ(ways_of({200'000, 200'000, 200'000}, {.costs = costs_of(8, 1)}), all(3, Way::pieces));
  EXPECT_EQ(ways_of({200'000, 200'000, 200'000}, {.costs = costs_of(2, 1)}), all(3, Way::once));
  EXPECT_EQ(ways_of({200'000, 200'000, 200'000}, {.costs = costs_of(2.4, 20)}), all(3, Way::once));  // waits take too long
  EXPECT_EQ(ways_of({200'000}, {.costs = costs_of(8, 2)}), all(1, Way::once));  // one message does not share its waits
  EXPECT_EQ(ways_of({4'000'000, 200'000, 200'000}, {.costs = costs_of(8, 2)}), all(3, Way::once));      // nor does the longest
  EXPECT_EQ(ways_of({200'000, 200'000, 200'000}, {.costs = costs_of(8, 1)}, true), all(3, Way::once));  // it can be loaded
}

TEST(Sender, SendsInPiecesIfMemoryCannotBeRead) {
  EXPECT_EQ(ways_of({200'000}, {.reads_private_memory = false, .costs = costs_of(1, 1)}), all(1, Way::pieces));
}

// However full the area is, and whatever was measured, the first piece has the usual size, and two pieces are there before any is
// taken.
TEST(Sender, PutsPiecesOfOneSize) {
  constexpr Bytes piece = CopyChoice::piece_bytes;
  for (const CopyCosts& costs : {costs_of(1e-6, 0), costs_of(10, 1)})
    for (const Bytes before : {1, 1000, 30'000, 64'000}) {
      if (before > costs.eager_limit()) continue;
      const Apart apart{.reads_private_memory = false, .costs = costs};
      run_apart(2, apart, [&](SharedCommunicator& each) {
        SharedSpace& space = *each.space();
        PairSlots slots = testing::slots_of(space);
        Sender sender(space, slots, apart.costs);
        const Offset area = space.allocate(sender.area_bytes());
        sender.begin_at(space.at(area));
        if (space.rank() == 0) {
          const std::vector<std::byte> own(3 * piece);
          std::uint64_t exchange = 0;
          const std::array<Edges::Send, 3> sends{{{1, own.data(), before}, {1, own.data(), before}, {1, own.data(), 3 * piece}}};
          for (const Edges::Send& send : sends) sender.begin({&send, 1}, ++exchange);  // the receiver never finishes the first ones
          EXPECT_EQ(sender.put_bytes(), piece);
          sender.advance();
          EXPECT_EQ(sender.put_bytes(), 2 * piece);
          sender.advance();
          EXPECT_EQ(sender.put_bytes(), 2 * piece);
        }
        space.barrier();
        if (space.rank() == 0) sender.withdraw();
        slots.close(area);
      });
    }
}

// A wrong figure must not make the area small.
TEST(Sender, HasAnAreaWhoseSizeDependsOnTheNumberOfRanksOnly) {
  for (const Count ranks : {2, 4, 8})
    run_apart(ranks, {}, [&](SharedCommunicator& each) {
      PairSlots slots(*each.space());
      EXPECT_EQ(Sender(*each.space(), slots, costs_of(1e-6, 0)).area_bytes(),
                Sender(*each.space(), slots, costs_of(10, 1)).area_bytes());
    });
}

}  // namespace
}  // namespace quadrille
