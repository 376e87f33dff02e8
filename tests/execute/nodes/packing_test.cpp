// SPDX-License-Identifier: BSD-3-Clause
// Tests packed messages: what is packed comes out again, and a damaged message is never read past its end.
#include "execute/nodes/node_board.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

struct SentEdge {
  Rank sender, receiver;
  std::string bytes;
};

std::vector<std::byte> packed(Count senders, const std::vector<SentEdge>& edges) {
  const auto totals_of = [&](Rank first, Rank last) {
    EdgeTotals sum;
    for (const SentEdge& edge : edges)
      if (edge.sender >= first && edge.sender < last) sum.add({static_cast<Bytes>(edge.bytes.size()), 1});
    return sum;
  };
  const EdgeTotals all = totals_of(0, senders);
  std::vector<std::byte> message(index(packed_bytes(senders, all)), std::byte{0xEE});
  TableWriter table(message.data());
  for (Rank sender = 0; sender < senders; ++sender) table.add(totals_of(sender, sender + 1).edges);
  table.end();
  for (Rank sender = senders - 1; sender >= 0; --sender) {  // in any order
    std::vector<PackedEdge> own;
    for (const SentEdge& edge : edges)
      if (edge.sender == sender)
        own.push_back(
            {edge.receiver, reinterpret_cast<const std::byte*>(edge.bytes.data()), static_cast<Bytes>(edge.bytes.size())});
    std::stable_sort(own.begin(), own.end(), [](const auto& a, const auto& b) { return a.receiver < b.receiver; });
    if ((sender + all.edges) % 2 == 0) {
      pack(message.data(), senders, all, totals_of(0, sender), own);
      continue;
    }
    const EdgeTotals totals = totals_of(sender, sender + 1);
    std::vector<std::byte> part(index(part_bytes(totals)));
    prepare_part(part.data(), own);
    add_part(message.data(), senders, all, totals_of(0, sender), part.data(), totals);
  }
  return message;
}

std::string text(std::span<const std::byte> bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

TEST(Packing, EdgesComeOutAsTheyWentIn) {
  std::mt19937 draw(3);
  for (int run = 0; run < 200; ++run) {
    const Count senders = 1 + draw() % 5, receivers = 1 + draw() % 5;
    std::vector<SentEdge> edges(draw() % 20);
    for (SentEdge& edge : edges)
      edge = {static_cast<Rank>(draw() % senders), static_cast<Rank>(draw() % receivers),
              std::string(1 + draw() % 50, static_cast<char>('a' + draw() % 26))};
    const std::vector<std::byte> message = packed(senders, edges);
    const PackedMessage read(message.data(), size(message), senders);
    for (Rank sender = 0; sender < senders; ++sender)
      for (Rank receiver = 0; receiver < receivers; ++receiver) {
        const auto found = read.edges(sender, receiver);
        Count number = found.first;
        for (const SentEdge& edge : edges)
          if (edge.sender == sender && edge.receiver == receiver) {
            ASSERT_LT(number, found.last);
            EXPECT_EQ(text(read.edge(number++)), edge.bytes);
          }
        EXPECT_EQ(number, found.last);
      }
  }
}

TEST(Packing, ADamagedMessageIsNotReadPastItsEnd) {
  const std::vector<std::byte> whole = packed(3, {{0, 1, "abc"}, {1, 0, "defg"}, {1, 2, "h"}, {2, 1, "ijk"}});
  std::mt19937 draw(5);
  for (int run = 0; run < 3000; ++run) {
    // The copy ends where the memory ends, so that an address sanitizer sees what is read behind it.
    std::vector<std::byte> message(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(draw() % (whole.size() + 1)));
    message.shrink_to_fit();
    for (int damage = draw() % 4; damage > 0 && !message.empty(); --damage)
      message[draw() % message.size()] = static_cast<std::byte>(draw() % 3 == 0 ? 0xFF : draw());
    const PackedMessage read(message.data(), size(message), 3);
    for (Rank sender = 0; sender < 3; ++sender)
      for (Rank receiver = 0; receiver < 3; ++receiver) {
        const auto found = read.edges(sender, receiver);
        for (Count number = found.first; number < found.last; ++number) {
          const auto edge = read.edge(number);
          ASSERT_GE(edge.data(), message.data());
          ASSERT_LE(edge.data() + edge.size(), message.data() + message.size());
        }
      }
  }
}

}  // namespace
}  // namespace quadrille
