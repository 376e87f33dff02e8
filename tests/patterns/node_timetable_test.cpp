// SPDX-License-Identifier: BSD-3-Clause
// The timetable of the hierarchical factor algorithm, compared with the published loops and with its proved properties.
#include "patterns/node_timetable.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <tuple>

namespace quadrille {
namespace {

using one_factor::Form;
using Sizes = std::vector<Count>;

struct Operation {
  Count step, U, a, V, b;
};

struct Listing {
  std::vector<Operation> operations;
  std::vector<Count> phase_ends;
  Count steps() const { return phase_ends.back(); }
};

bool in_order(const Sizes& sizes, Count U, Count V) {
  return std::pair(sizes[static_cast<std::size_t>(U)], U) <= std::pair(sizes[static_cast<std::size_t>(V)], V);
}

// The algorithm as a loop over all nodes; a round lasts until its longest pair has finished.
Listing listing(const Sizes& sizes, OwnNode own_node, Form form) {
  Listing all;
  const auto size = [&](Count node) { return sizes[static_cast<std::size_t>(node)]; };
  std::vector<Count> active(sizes.size());
  std::iota(active.begin(), active.end(), Count{0});
  Count done = 0, base = 0;
  while (!active.empty()) {
    Count current = size(active.front());
    for (const Count node : active) current = std::min(current, size(node));
    const auto k = static_cast<Count>(active.size());
    const Count rounds = own_node != OwnNode::apart ? k : k == 1 ? 0 : k % 2 == 0 ? k - 1 : k;
    for (Count i = 0; i < rounds; ++i) {
      Count longest = 0;
      for (Count x = 0; x < k; ++x) {
        const Count U = active[static_cast<std::size_t>(x)];
        const Count V = active[static_cast<std::size_t>(one_factor::partner(form, k, i, x))];
        if (!in_order(sizes, U, V) || (U == V && own_node == OwnNode::apart)) continue;
        Count offset = 0;
        for (Count a = done; a < current; ++a)
          for (Count b = U == V && own_node == OwnNode::exchanges ? a : 0; b < size(V); ++b)
            all.operations.push_back({base + offset++, U, a, V, b});
        longest = std::max(longest, offset);
      }
      base += longest;
    }
    done = current;
    all.phase_ends.push_back(base);
    std::erase_if(active, [&](Count node) { return size(node) == done; });
  }
  return all;
}

std::vector<Sizes> size_lists() {
  std::vector<Sizes> lists{{1},          {5},        {2, 2},          {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1},
                           {1, 1, 1, 8}, {12, 1, 2}, {2, 5, 2, 5, 3}, {5, 1, 5, 1}};
  for (Count a = 1; a <= 4; ++a)
    for (Count b = 1; b <= 4; ++b)
      for (Count c = 1; c <= 4; ++c) lists.push_back({a, b, c});
  std::mt19937 random(8);
  for (int i = 0; i < 60; ++i) {
    Sizes sizes(1 + random() % 9);
    for (Count& size : sizes) size = 1 + static_cast<Count>(random() % 7);
    lists.push_back(sizes);
  }
  return lists;
}

struct Setting {
  OwnNode own_node;
  Form form;
};
constexpr Setting settings[] = {{OwnNode::sends, Form::basic},
                                {OwnNode::sends, Form::concentrated},
                                {OwnNode::exchanges, Form::basic},
                                {OwnNode::exchanges, Form::concentrated},
                                {OwnNode::apart, Form::concentrated}};

template <class Check>
void for_all(Check&& check) {
  for (const Sizes& sizes : size_lists())
    for (const auto& [own_node, form] : settings) {
      SCOPED_TRACE(::testing::Message() << ::testing::PrintToString(sizes) << " own node " << static_cast<int>(own_node)
                                        << ", form " << static_cast<int>(form));
      check(sizes, NodeTimetable(sizes, own_node, {.form = form}), own_node, form);
      if (::testing::Test::HasFailure()) return;
    }
}

TEST(NodeTimetable, MatchesThePublishedLoop) {
  for_all([](const Sizes& sizes, const NodeTimetable& timetable, OwnNode own_node, Form form) {
    const Listing wanted = listing(sizes, own_node, form);
    ASSERT_EQ(timetable.steps(), wanted.steps());
    ASSERT_EQ(timetable.phases().size(), wanted.phase_ends.size());
    for (std::size_t t = 0; t < wanted.phase_ends.size(); ++t) EXPECT_EQ(timetable.phases()[t].end_step(), wanted.phase_ends[t]);
    for (const auto& [step, U, a, V, b] : wanted.operations) {
      ASSERT_EQ(timetable.step(U, a, V, b), step) << U << '.' << a << ' ' << V << '.' << b;
      if (U != V || own_node == OwnNode::exchanges) ASSERT_EQ(timetable.step(V, b, U, a), step);
    }
  });
}

// Everything is delivered once; in each step a processor, and a node, takes part in one operation.
TEST(NodeTimetable, DeliversEverythingOnce) {
  for_all([](const Sizes& sizes, const NodeTimetable& timetable, OwnNode own_node, Form) {
    std::map<std::pair<Count, Count>, std::set<std::tuple<Count, Count, Count, Count>>> of_node;  // by step and node
    const auto nodes = static_cast<Count>(sizes.size());
    for (Count U = 0; U < nodes; ++U)
      for (Count V = 0; V < nodes; ++V)
        for (Count a = 0; a < sizes[static_cast<std::size_t>(U)]; ++a)
          for (Count b = 0; b < sizes[static_cast<std::size_t>(V)]; ++b) {
            if (U == V && own_node == OwnNode::apart) continue;
            const Count step = timetable.step(U, a, V, b);
            ASSERT_TRUE(step >= 0 && step < timetable.steps());
            // An exchange is seen from both ends but counts once.
            const bool one_way = U == V && own_node == OwnNode::sends;
            const auto operation = one_way || std::pair(U, a) < std::pair(V, b) ? std::tuple(U, a, V, b) : std::tuple(V, b, U, a);
            of_node[{step, U}].insert(operation);
            of_node[{step, V}].insert(operation);
          }
    for (const auto& [place, operations] : of_node)
      ASSERT_EQ(operations.size(), 1u) << "step " << place.first << ", node " << place.second;
  });
}

// After each phase, the processors whose turns are over have sent all their messages to nodes of equal or larger size. If messages
// are exchanged, these processors have also received the messages of those nodes.
TEST(NodeTimetable, FinishesTheTurnsOfEachPhase) {
  for_all([](const Sizes& sizes, const NodeTimetable& timetable, OwnNode own_node, Form) {
    const auto nodes = static_cast<Count>(sizes.size());
    for (const NodePhase& phase : timetable.phases())
      for (Count U = 0; U < nodes; ++U)
        for (Count V = 0; V < nodes; ++V)
          for (Count a = 0; a < std::min(phase.current, sizes[static_cast<std::size_t>(U)]); ++a)
            for (Count b = 0; b < sizes[static_cast<std::size_t>(V)]; ++b) {
              if (!in_order(sizes, U, V) || (U == V && own_node == OwnNode::apart)) continue;
              ASSERT_LT(timetable.step(U, a, V, b), phase.end_step());
              if (U != V || own_node == OwnNode::exchanges) ASSERT_LT(timetable.step(V, b, U, a), phase.end_step());
            }
  });
}

TEST(NodeTimetable, HasTheProvedNumberOfSteps) {
  for_all([](const Sizes& sizes, const NodeTimetable& timetable, OwnNode own_node, Form) {
    const Count p = std::accumulate(sizes.begin(), sizes.end(), Count{0}), n = *std::max_element(sizes.begin(), sizes.end());
    EXPECT_EQ(timetable.phases().size(), std::set<Count>(sizes.begin(), sizes.end()).size());
    Count steps = 0;
    for (const NodePhase& phase : timetable.phases()) {
      const auto k = static_cast<Count>(phase.active.size());
      EXPECT_EQ(phase.rounds, own_node != OwnNode::apart ? k : one_factor::factors_with_pairs(k));
      Sizes active;
      for (const Count node : phase.active) active.push_back(sizes[static_cast<std::size_t>(node)]);
      std::sort(active.begin(), active.end(), std::greater<>());
      const Count second = active.size() > 1 ? active[1] : 0;
      const Count factor = k == 1 ? 0 : k % 2 == 0 ? (k - 1) * n : second == n ? k * n : (k - 1) * n + second;
      steps += (phase.current - phase.done) * factor;
    }
    switch (own_node) {
      case OwnNode::sends: EXPECT_EQ(timetable.steps(), n * p); break;
      case OwnNode::exchanges:
        EXPECT_LE(timetable.steps(), n * p);
        EXPECT_GE(timetable.steps(), n * (p - n) + n * (n + 1) / 2);
        break;
      case OwnNode::apart:
        EXPECT_EQ(timetable.steps(), steps);
        EXPECT_GE(timetable.steps(), n * (p - n));
        break;
    }
  });
}

TEST(NodeTimetable, IsNeverLongerWithConcentratedFactors) {
  int shorter = 0;
  for (const Sizes& sizes : size_lists()) {
    const Count basic = NodeTimetable(sizes, OwnNode::exchanges, {.form = Form::basic}).steps();
    const Count concentrated = NodeTimetable(sizes, OwnNode::exchanges, {.form = Form::concentrated}).steps();
    EXPECT_LE(concentrated, basic) << ::testing::PrintToString(sizes);
    shorter += concentrated < basic ? 1 : 0;
  }
  EXPECT_GT(shorter, 0);
}

// In the form that the paper prints, a node of n ranks takes n^2 steps for messages within itself, and the largest nodes are never
// idle.
TEST(NodeTimetable, NeverLeavesALargestNodeIdleAsPrinted) {
  for (const Sizes& sizes : size_lists()) {
    const Listing all = listing(sizes, OwnNode::sends, Form::basic);
    const Count n = *std::max_element(sizes.begin(), sizes.end());
    for (Count U = 0; U < static_cast<Count>(sizes.size()); ++U) {
      Count own = 0;
      std::set<Count> busy;
      for (const Operation& operation : all.operations) {
        own += operation.U == U && operation.V == U ? 1 : 0;
        if (operation.U == U || operation.V == U) busy.insert(operation.step);
      }
      const Count size = sizes[static_cast<std::size_t>(U)];
      EXPECT_EQ(own, size * size);
      if (size == n) EXPECT_EQ(static_cast<Count>(busy.size()), all.steps());
    }
  }
}

TEST(NodeTimetable, HasTheStepsOfTheTable) {
  struct Row {
    Sizes sizes;
    Count paper, exchange, concentrated, hidden, inter, bound;
  };
  const std::vector<Row> table{
      {{1, 2, 3}, 18, 15, 15, 15, 11, 9},
      {{2, 2}, 8, 7, 7, 7, 4, 4},
      {{4, 4, 4}, 48, 48, 48, 48, 48, 32},
      {{4, 4, 4, 4, 4, 4}, 96, 96, 90, 90, 80, 80},
      {{3, 3, 3, 2}, 33, 33, 32, 30, 27, 24},
      {{8, 8, 8, 5}, 232, 232, 222, 204, 192, 168},
      {{1, 1, 1, 8}, 88, 60, 60, 60, 24, 24},
      {{4, 3, 2, 1}, 40, 34, 34, 34, 27, 24},
      {{2, 5, 2, 5, 3}, 85, 78, 78, 75, 75, 60},
      {{1, 2, 3, 4, 5, 6}, 126, 114, 113, 111, 100, 90},
      {{16, 16, 12, 4}, 768, 714, 708, 648, 640, 512},
  };
  for (const Row& row : table) {
    SCOPED_TRACE(::testing::PrintToString(row.sizes));
    const auto steps = [&](OwnNode own_node, Form form) { return NodeTimetable(row.sizes, own_node, {.form = form}).steps(); };
    EXPECT_EQ(steps(OwnNode::sends, Form::basic), row.paper);
    EXPECT_EQ(steps(OwnNode::exchanges, Form::basic), row.exchange);
    EXPECT_EQ(steps(OwnNode::exchanges, Form::concentrated), row.concentrated);
    const Count inter = steps(OwnNode::apart, Form::concentrated);
    EXPECT_EQ(inter, row.inter);
    const Count p = std::accumulate(row.sizes.begin(), row.sizes.end(), Count{0});
    // deficit: exchanges inside a node that do not fit into the steps in which it has none with other nodes.
    Count deficit = 0, bound = 0;
    for (const Count size : row.sizes) {
      deficit = std::max(deficit, size * (size + 1) / 2 - (inter - size * (p - size)));
      bound = std::max(bound, size * (p - size));
    }
    EXPECT_EQ(inter + deficit, row.hidden);
    EXPECT_EQ(*std::max_element(row.sizes.begin(), row.sizes.end()) > p / 2 ? row.bound : bound, row.bound);
  }
}

constexpr Decomposition::Into decompositions[] = {Decomposition::Into::matchings, Decomposition::Into::permutations};

// Permutations as a loop: in each round every active node sends to the node i places further on. The processors of the smaller node
// take turns; if both nodes have the same size, those of the sending node.
TEST(NodeTimetable, MatchesTheLoopOverPermutations) {
  for (const Sizes& sizes : size_lists())
    for (const OwnNode own_node : {OwnNode::sends, OwnNode::exchanges, OwnNode::apart}) {
      SCOPED_TRACE(::testing::Message() << ::testing::PrintToString(sizes) << " own node " << static_cast<int>(own_node));
      const NodeTimetable timetable(sizes, own_node, {.into = Decomposition::Into::permutations});
      const auto size = [&](Count node) { return sizes[static_cast<std::size_t>(node)]; };
      const Count p = std::accumulate(sizes.begin(), sizes.end(), Count{0}), n = *std::max_element(sizes.begin(), sizes.end());
      Sizes active(sizes.size());
      std::iota(active.begin(), active.end(), Count{0});
      for (Count done = 0, base = 0; !active.empty();) {
        Count current = n;
        for (const Count node : active) current = std::min(current, size(node));
        const auto k = static_cast<Count>(active.size());
        for (Count i = 1; i < k; ++i, base += (current - done) * n)
          for (Count x = 0; x < k; ++x) {
            const Count from = active[static_cast<std::size_t>(x)], to = active[static_cast<std::size_t>((x + i) % k)];
            Count step = base;
            for (Count a = done; a < current; ++a)
              for (Count b = 0; b < std::max(size(from), size(to)); ++b, ++step) {
                if (size(from) <= size(to))
                  ASSERT_EQ(timetable.step(from, a, to, b), step) << from << '.' << a << ' ' << to << '.' << b;
                else
                  ASSERT_EQ(timetable.step(from, b, to, a), step) << from << '.' << b << ' ' << to << '.' << a;
              }
          }
        Count longest = 0;
        for (const Count node : active) {
          if (own_node == OwnNode::apart) continue;
          Count step = base;
          for (Count a = done; a < current; ++a)
            for (Count b = own_node == OwnNode::exchanges ? a : 0; b < size(node); ++b, ++step) {
              ASSERT_EQ(timetable.step(node, a, node, b), step);
              if (own_node == OwnNode::exchanges) ASSERT_EQ(timetable.step(node, b, node, a), step);
            }
          longest = std::max(longest, step - base);
        }
        base += longest;
        done = current;
        std::erase_if(active, [&](Count node) { return size(node) == done; });
      }
      const Count between = n * (p - n);  // what a largest node has to send: no schedule takes fewer steps
      EXPECT_EQ(timetable.steps(), own_node == OwnNode::apart   ? between
                                   : own_node == OwnNode::sends ? n * p
                                                                : between + n * (n + 1) / 2);
    }
}

// The formula, as a sum over the phases. In each round of a phase, every processor that the smallest active node has left meets all
// processors of the largest node.
Count steps_by_degree(const Sizes& sizes, const Decomposition& decomposition) {
  Count expected = 0;
  for (Count done = 0; done < *std::max_element(sizes.begin(), sizes.end());) {
    Sizes active;
    for (const Count size : sizes)
      if (size > done) active.push_back(size);
    std::sort(active.begin(), active.end(), std::greater<>());
    const auto k = static_cast<Count>(active.size());
    const Count going = active.back() - done;
    const bool is_odd = decomposition.into == Decomposition::Into::matchings && k % 2 == 1 && k > 1;
    const Count rounds = ceil_divide(is_odd ? k : k - 1, decomposition.degree);
    expected += going * rounds * active.front();
    // If there is only one largest node, it may be alone in a round of one factor.
    if (is_odd && active[1] < active[0]) {
      const Count first = static_cast<Count>(
          std::count_if(sizes.begin(), std::max_element(sizes.begin(), sizes.end()), [done](Count size) { return size > done; }));
      const Count factor = 2 * first % k;
      if (decomposition.degree == 1 || (factor % decomposition.degree == 0 && factor == k - 1))
        expected -= going * (active[0] - active[1]);
    }
    done = active.back();
  }
  return expected;
}

// In each step a node sends at most `degree` messages, each to a different node, and receives at most as many; with
// matchings it receives from the nodes to which it sends.
TEST(NodeTimetable, SendsNoMoreMessagesAtATimeThanTheDegree) {
  std::vector<Sizes> lists = size_lists();
  for (Count nodes = 2; nodes <= 7; ++nodes)
    for (Count n = 1; n <= 8; ++n) lists.emplace_back(static_cast<std::size_t>(nodes), n);
  for (const Sizes& sizes : lists)
    for (const Decomposition::Into into : decompositions)
      for (Count degree = 1; degree < std::min<Count>(6, static_cast<Count>(sizes.size())); ++degree) {
        const Decomposition decomposition{.into = into, .degree = degree};
        SCOPED_TRACE(::testing::Message() << ::testing::PrintToString(sizes) << " into " << static_cast<int>(into) << " degree "
                                          << degree);
        const NodeTimetable timetable(sizes, OwnNode::apart, decomposition);
        const auto nodes = static_cast<Count>(sizes.size());
        const auto steps = static_cast<std::size_t>(timetable.steps());
        const std::size_t of_node = steps * sizes.size();
        std::vector<Count> firsts{0};  // index of each node's first processor
        for (const Count size : sizes) firsts.push_back(firsts.back() + size);
        const auto p = static_cast<std::size_t>(firsts.back());
        std::vector<Count> node_sends(of_node), node_receives(of_node), sends(steps * p), receives(steps * p);
        for (Count U = 0; U < nodes; ++U)
          for (Count V = 0; V < nodes; ++V) {
            if (U == V) continue;
            std::vector<bool> met(steps);
            for (Count a = 0; a < sizes[static_cast<std::size_t>(U)]; ++a)
              for (Count b = 0; b < sizes[static_cast<std::size_t>(V)]; ++b) {
                const Count step = timetable.step(U, a, V, b);
                ASSERT_TRUE(step >= 0 && step < timetable.steps());
                const auto at = static_cast<std::size_t>(step);
                ASSERT_FALSE(met[at]) << U << " sends two messages to " << V << " in step " << step;
                met[at] = true;
                if (into == Decomposition::Into::matchings) ASSERT_EQ(timetable.step(V, b, U, a), step);
                ++node_sends[at * sizes.size() + static_cast<std::size_t>(U)];
                ++node_receives[at * sizes.size() + static_cast<std::size_t>(V)];
                ++sends[at * p + static_cast<std::size_t>(firsts[static_cast<std::size_t>(U)] + a)];
                ++receives[at * p + static_cast<std::size_t>(firsts[static_cast<std::size_t>(V)] + b)];
              }
          }
        const auto most = [](const std::vector<Count>& counts) {
          return counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
        };
        EXPECT_LE(std::max(most(node_sends), most(node_receives)), degree);
        const Count ports = NodeTimetable::processor_ports(sizes, decomposition);
        EXPECT_LE(std::max(most(sends), most(receives)), ports);
        // On nodes of equal size n, processors need only one port up to a degree of n; with matchings, up to about half
        // of that: a turn of n/q places makes cycles of q processors, and if q is odd, one processor of each cycle is
        // left over.
        const Count n = sizes.front();
        Count pairs = n / 2;
        for (Count q = 3; q <= n; q += 2)
          if (n % q == 0) pairs = std::min(pairs, n / q * (q / 2));
        if (degree > 1 && std::all_of(sizes.begin(), sizes.end(), [n](Count size) { return size == n; }))
          EXPECT_EQ(ports == 1, degree <= (into == Decomposition::Into::permutations ? n : pairs)) << n;
        EXPECT_EQ(timetable.steps(), steps_by_degree(sizes, decomposition));
        if (HasFailure()) return;
      }
}

}  // namespace
}  // namespace quadrille
