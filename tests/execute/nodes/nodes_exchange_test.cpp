// SPDX-License-Identifier: BSD-3-Clause
// Tests exchanges among threads that stand for ranks on several nodes, with checked data.
#include "execute/nodes/nodes_exchange.hpp"

#include <gtest/gtest.h>

#include <array>

#include "support/cases.hpp"
#include "support/exchanges.hpp"
#include "support/far_mailboxes.hpp"

namespace quadrille {
namespace {

using testing::FarMailboxes;

const std::vector<ByRank<Count>> shapes{{1, 1}, {2, 2}, {3, 1}, {1, 1, 1}, {1, 3, 2}, {4, 4}, {2, 5, 1}};

using Form = FarEdges::Form;

constexpr PackingRule never{.longest_short = 0}, seldom{.longest_short = 300, .most_bytes = 2000},
    always{.longest_short = 1 << 24, .most_bytes = 1 << 24};

// Runs exchanges with random edges under a rule, on all shapes. Returns the number of messages of each form.
std::array<long, FarEdges::forms> messages_under(const PackingRule& rule) {
  const long calls = testing::long_tests() ? 2000 : 30;
  std::array<long, FarEdges::forms> counts{};
  for (const ByRank<Count>& shape : shapes)
    for (const bool is_cyclic : {false, true}) {
      FarMailboxes boxes;
      testing::run_as_nodes(shape, is_cyclic, rule, boxes, [&](Communicator& ranks) {
        testing::Exchanges exchanges(ranks, 7, false);
        EXPECT_EQ(exchanges.run(calls) + exchanges.run(2 * calls, 200), "");
      });
      for (int form = 0; form < FarEdges::forms; ++form)
        counts[static_cast<std::size_t>(form)] += boxes.count(static_cast<Form>(form));
    }
  return counts;
}

TEST(NodesExchange, RandomEdgesArriveByAllForms) {
  for (const long count : messages_under(PackingRule{})) EXPECT_GT(count, 100);
  for (const long count : messages_under(seldom)) EXPECT_GT(count, 100);
}

TEST(NodesExchange, RandomEdgesArriveWithoutPacking) {
  const auto [early, single, packed] = messages_under(never);
  EXPECT_GT(early, 100);
  EXPECT_EQ(single + packed, 0);
}

TEST(NodesExchange, RandomEdgesArriveByPackingAlone) {
  const auto [early, single, packed] = messages_under(always);
  EXPECT_EQ(early, 0);
  EXPECT_GT(packed, 100);
}

}  // namespace
}  // namespace quadrille
