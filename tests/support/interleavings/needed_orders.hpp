// SPDX-License-Identifier: BSD-3-Clause
// Tests that a protocol is right in all executions, and that it needs each memory order that it states.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "support/interleavings.hpp"

namespace quadrille::interleavings {

// A part of the protocol, explored with an order weakened.
using Scenario = std::function<Result(const std::optional<Order>&)>;

template <class Shared>
Scenario scenario(std::vector<void (*)(Shared&)> ranks) {
  return [ranks = std::move(ranks)](const std::optional<Order>& weakened) { return explore<Shared>(ranks, weakened); };
}

// Returns how many acquires, releases and full fences a file states.
inline std::size_t count_orders(const std::string& path) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto count = [&](std::string_view order) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = text.find(order, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  return count("memory_order_acquire") + count("memory_order_release") + 2 * count("memory_order_acq_rel") +
         count("Fence::make();") + count("Fence::make_for_all();");
}

// Expects that no scenario fails, that the scenarios together use all orders that the header of a protocol states, and that each
// order is needed: if it is weakened, some scenario fails.
inline void expect_right_and_tight(const std::string& header, const std::vector<Scenario>& scenarios) {
  std::set<Order> orders;
  for (const Scenario& run : scenarios) {
    const Result result = run(std::nullopt);
    EXPECT_TRUE(result.failure.empty()) << result.failure;
    const auto property = "scenario_" + std::to_string(&run - scenarios.data());
    ::testing::Test::RecordProperty(property + "_executions", std::to_string(result.executions));
    ::testing::Test::RecordProperty(property + "_states", std::to_string(result.states));
    for (const Order& order : result.orders)
      if (order.file == header) orders.insert(order);
  }
  EXPECT_EQ(orders.size(), count_orders(QUADRILLE_SOURCE_DIR "/src/execute/shared/protocol/" + header));
  for (const Order& order : orders)
    EXPECT_TRUE(std::any_of(scenarios.begin(), scenarios.end(), [&](const Scenario& run) { return !run(order).failure.empty(); }))
        << "no scenario notices that this is relaxed: " << shown(order);
}

}  // namespace quadrille::interleavings
