// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/unplanned/pair_slots.hpp"

#include <gtest/gtest.h>

#include "support/apart.hpp"
#include "support/slots.hpp"

namespace quadrille {
namespace {

using testing::Apart;
using testing::run_apart;

// Slots of a group whose ranks run in step: `body` gets them, and returns when the test is over.
void with_slots(Count ranks, const std::function<void(SharedCommunicator&, PairSlots&)>& body) {
  run_apart(ranks, {}, [&](SharedCommunicator& each) {
    SharedSpace& space = *each.space();
    PairSlots slots = testing::slots_of(space);
    body(each, slots);
    space.barrier();
    slots.close(space.allocate(64));
  });
}

// Sends a message of 8 bytes.
void send(PairSlots& slots, Rank to, std::uint64_t exchange, std::int64_t value) {
  Slot* const slot = slots.free_slot(to);
  ASSERT_NE(slot, nullptr) << exchange;
  slot->bytes = sizeof value;
  std::memcpy(slot->here(), &value, sizeof value);
  slots.publish(to, exchange, Slot::Way::here);
}

// Receives one; -1 if none has arrived.
std::int64_t receive(PairSlots& slots, Rank from) {
  const auto [slot, number] = slots.arrived(from);
  if (!slot) return -1;
  std::int64_t value = 0;
  std::memcpy(&value, slot->here(), sizeof value);
  slots.advance(from, number);
  return value;
}

TEST(PairSlots, TwoInTurnAreEnoughIfBothRanksSend) {
  with_slots(2, [](SharedCommunicator& ranks, PairSlots& slots) {
    const Rank other = 1 - ranks.rank();
    std::vector<Slot*> used;
    for (std::uint64_t exchange = 1; exchange <= 50; ++exchange) {
      slots.expect(other, exchange);
      used.push_back(slots.free_slot(other));
      send(slots, other, exchange, static_cast<std::int64_t>(exchange));
      while (!slots.arrived(other).slot) std::this_thread::yield();
      EXPECT_EQ(receive(slots, other), exchange);
      slots.finish(exchange);
    }
    for (std::size_t i = 2; i < used.size(); ++i) EXPECT_EQ(used[i], used[i - 2]);
    EXPECT_NE(used[0], used[1]);
  });
}

// A sender that gets no answers runs ahead by 258 messages, waits then, and may go on when half of the slots are free.
TEST(PairSlots, ASenderRunsAheadOfAReceiverThatSendsNothing) {
  constexpr std::uint64_t ahead = 258;
  with_slots(2, [](SharedCommunicator& ranks, PairSlots& slots) {
    for (std::uint64_t exchange = 1; ranks.rank() == 0 && exchange <= ahead; ++exchange)
      send(slots, 1, exchange, static_cast<std::int64_t>(exchange));
    ranks.barrier();
    if (ranks.rank() == 0) EXPECT_EQ(slots.free_slot(1), nullptr);
    ranks.barrier();
    std::uint64_t received = 0;
    const auto finish = [&](std::uint64_t exchange) {
      while (ranks.rank() == 1 && received < exchange) EXPECT_EQ(receive(slots, 0), ++received);
      if (ranks.rank() == 1) slots.finish(exchange);
      ranks.barrier();
    };
    finish(130);
    if (ranks.rank() == 0) EXPECT_EQ(slots.free_slot(1), nullptr) << "not half of the slots are free";
    ranks.barrier();
    finish(131);
    for (std::uint64_t exchange = ahead + 1; ranks.rank() == 0 && exchange <= ahead + 128; ++exchange)
      send(slots, 1, exchange, static_cast<std::int64_t>(exchange));
    ranks.barrier();
    finish(ahead + 128);
    if (ranks.rank() == 1) EXPECT_EQ(receive(slots, 0), -1);
  });
}

// All but the first message of a pair in an exchange are given back one by one, so their number is not limited.
TEST(PairSlots, OneExchangeMayHaveMoreMessagesThanThereAreSlots) {
  constexpr int messages = 2000;
  with_slots(2, [](SharedCommunicator& ranks, PairSlots& slots) {
    if (ranks.rank() == 0) {
      for (int i = 0; i < messages; ++i) {
        while (!slots.free_slot(1)) std::this_thread::yield();
        send(slots, 1, 1, i);
      }
    } else {
      for (int i = 0; i < messages; ++i) {
        Slot* slot = nullptr;
        while (!(slot = slots.arrived(0).slot)) std::this_thread::yield();
        const std::uint64_t number = slot->number.published();
        EXPECT_EQ(MessageNumber::edge_of(number), i);
        EXPECT_EQ(receive(slots, 0), i);
        EXPECT_EQ(slot->is_given_back(), i > 0);
        if (slot->is_given_back()) slot->loan.give_back(number);
      }
    }
  });
}

// With more pairs than the pool has slots for, senders take their own.
TEST(PairSlots, ManyRanksNeedNoSlotsForPairsThatExchangeNothing) {
  run_apart(3, {}, [](SharedCommunicator& each) {
    const Bytes of_three = PairSlots(*each.space()).control_bytes();
    EXPECT_GT(of_three, 0);
    EXPECT_LT(of_three, 32768);
  });
}

}  // namespace
}  // namespace quadrille
