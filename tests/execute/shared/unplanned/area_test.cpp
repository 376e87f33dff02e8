// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/unplanned/sender.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace quadrille {
namespace {

// Takes a message of so many bytes for an exchange, and returns its place.
Bytes take(Area& area, Bytes bytes) {
  const Bytes place = area.place_for(bytes);
  area.take(place, bytes);
  return place;
}

TEST(Area, UsesTheSameBytesAgainWhenTheyAreFree) {
  Area area(1024);
  for (std::uint64_t exchange = 1; exchange <= 10; ++exchange) {
    area.open(128, [&](std::uint64_t earlier) { return earlier + 1 < exchange; });  // all but the last one are over
    EXPECT_EQ(take(area, 128), exchange % 2 == 1 ? 0 : 128);
    area.close(exchange);
  }
}

TEST(Area, HasNoRoomUntilTheOldestExchangeIsOver) {
  Area area(256);
  std::uint64_t over = 0;
  const auto is_over = [&](std::uint64_t exchange) { return exchange <= over; };
  for (std::uint64_t exchange = 1; exchange <= 4; ++exchange) {
    area.open(64, is_over);
    EXPECT_EQ(take(area, 64), static_cast<Bytes>(exchange - 1) * 64);
    area.close(exchange);
  }
  area.open(64, is_over);
  EXPECT_EQ(area.room_from(area.place_for(64)), 0);
  area.close(5);
  over = 1;
  area.open(64, is_over);
  EXPECT_EQ(area.place_for(64), 0);
  EXPECT_EQ(area.room_from(0), 64);
}

// Against a list of all bytes: what is handed out is free, and lies in the area.
TEST(Area, HandsOutWhatIsFreeInRandomUse) {
  constexpr Bytes bytes = 4096;
  std::mt19937_64 draw(1);
  Area area(bytes);
  struct Chunk {
    std::uint64_t exchange;
    std::vector<std::pair<Bytes, Bytes>> messages;
  };
  std::deque<Chunk> in_use;
  std::uint64_t over = 0, taken = 0;
  for (std::uint64_t exchange = 1; exchange <= 20'000; ++exchange) {
    while (!in_use.empty() && draw() % 3 == 0) over = in_use.front().exchange, in_use.pop_front();
    area.open(static_cast<Bytes>(draw() % 2000), [&](std::uint64_t earlier) { return earlier <= over; });
    Chunk chunk{exchange, {}};
    for (std::uint64_t messages = draw() % 4; messages > 0; --messages) {
      const auto length = static_cast<Bytes>(1 + draw() % 700);
      const Bytes place = area.place_for(length);
      if (length > area.room_from(place)) continue;
      area.take(place, length);
      ++taken;
      ASSERT_GE(place, 0);
      ASSERT_LE(place + length, bytes);
      chunk.messages.emplace_back(place, place + length);
      for (const Chunk& other : in_use)
        for (const auto& [first, last] : other.messages) ASSERT_TRUE(place >= last || place + length <= first) << exchange;
    }
    area.close(exchange);
    if (!chunk.messages.empty()) in_use.push_back(chunk);
  }
  EXPECT_GT(taken, 5000u);
}

TEST(Area, KeepsALimitedNumberOfChunks) {
  Area area(1 << 20);
  std::uint64_t exchange = 0;
  const auto never = [](std::uint64_t) { return false; };
  for (Bytes room = 1; room > 0; ++exchange) {
    area.open(8, never);
    room = area.room_from(area.place_for(8));
    if (room > 0) take(area, 8);
    area.close(exchange);
  }
  EXPECT_EQ(exchange, 513u);
}

}  // namespace
}  // namespace quadrille
