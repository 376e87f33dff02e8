// SPDX-License-Identifier: BSD-3-Clause
// Tests exchanges among threads that stand for ranks on several nodes, with checked data.
#include "execute/nodes/nodes_exchange.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "support/cases.hpp"
#include "support/exchanges.hpp"
#include "support/far_mailboxes.hpp"
#include "support/simulated_time.hpp"

namespace quadrille {
namespace {

using testing::FarMailboxes, testing::SimulatedTime;

const std::vector<ByRank<Count>> shapes{{1, 1}, {2, 2}, {3, 1}, {1, 1, 1}, {1, 3, 2}, {4, 4}, {2, 5, 1}};

using Form = FarEdges::Form;

constexpr PackingRule never{.longest_short = 0}, seldom{.longest_short = 300, .most_bytes = 2000},
    always{.longest_short = 1 << 24, .most_bytes = 1 << 24};

// Runs exchanges with random edges under a rule, on all shapes. Returns the number of messages of each form.
std::array<long, FarEdges::forms> messages_under(const PackingRule& rule) {
  const long calls = testing::long_tests() ? 2000 : 15;
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
  for (const PackingRule& rule : {PackingRule{}, seldom}) {
    const auto [early, single, packed, straight] = messages_under(rule);
    for (const long count : {early, single, packed}) EXPECT_GT(count, 100);
    EXPECT_EQ(straight, 0);
  }
}

TEST(NodesExchange, RandomEdgesArriveWithoutPacking) {
  const auto [early, single, packed, straight] = messages_under(never);
  EXPECT_GT(early, 100);
  EXPECT_EQ(single + packed + straight, 0);
}

TEST(NodesExchange, RandomEdgesArriveByPackingAlone) {
  const auto [early, single, packed, straight] = messages_under(always);
  EXPECT_EQ(early + straight, 0);
  EXPECT_GT(packed, 100);
}

// One message at a time in each direction, over mailboxes in which a sender waits for its receiver.
constexpr MessageWindow narrow{.link_bytes = 1, .least = 1, .most = 1};

TEST(NodesExchange, ANarrowWindowHoldsNobodyUp) {
  const long calls = testing::long_tests() ? 500 : 15;
  for (const PackingRule& rule : {PackingRule{}, seldom, never})
    for (const ByRank<Count>& shape : shapes)
      for (const bool is_cyclic : {false, true}) {
        FarMailboxes boxes;
        testing::run_as_nodes(
            shape, is_cyclic, rule, boxes,
            [&](Communicator& ranks) {
              testing::Exchanges exchanges(ranks, 13, false);
              EXPECT_EQ(exchanges.run(calls, 3000), "");
            },
            narrow);
      }
}

// All patterns of up to two edges for each pair of three ranks, listed in one order by one rank and in another by the next.
TEST(NodesExchange, ANarrowWindowEndsForAllPatternsOfThreeRanks) {
  constexpr std::size_t pairs = 6;
  FarMailboxes boxes;
  testing::run_as_nodes(
      {1, 1, 1}, false, PackingRule{}, boxes,
      [&](Communicator& ranks) {
        const auto exchange = Exchanger::of(ranks);
        std::vector<std::byte> memory(3000);
        for (int pattern = 0; pattern < 729; ++pattern) {
          std::array<std::array<Rank, 2>, pairs> order{{{0, 1}, {1, 0}, {0, 2}, {2, 0}, {1, 2}, {2, 1}}};
          std::array<int, pairs> counts{};
          for (std::size_t pair = 0, left = static_cast<std::size_t>(pattern); pair < pairs; ++pair, left /= 3)
            counts[pair] = static_cast<int>(left % 3);
          EdgeLists edges;
          for (std::size_t i = 0; i < pairs; ++i) {
            const std::size_t pair = ranks.rank() == 1 ? pairs - 1 - i : (i + static_cast<std::size_t>(pattern)) % pairs;
            const auto [from, to] = order[pair];
            for (int edge = 0; edge < counts[pair]; ++edge) {
              const Bytes bytes = edge == pattern % 2 ? 20 : 600;
              if (ranks.rank() == from) edges.send(to, memory.data(), bytes);
              if (ranks.rank() == to) edges.receive(from, memory.data() + 1000 * to, bytes);
            }
          }
          exchange->execute(edges.edges());
        }
      },
      narrow);
}

// Two nodes have two ranks each. Rank 0 sends two edges to rank 2, and rank 1 sends one to rank 3. The two ends of the second edge
// may name different lengths.
EdgeLists unequal_edges(Rank rank, std::vector<std::byte>& memory, Bytes sent, Bytes expected) {
  EdgeLists edges;
  if (rank < 2) edges.send(rank + 2, memory.data(), 8);
  if (rank == 0) edges.send(2, memory.data(), sent);
  if (rank >= 2) edges.receive(rank - 2, memory.data(), 8);
  if (rank == 2) edges.receive(0, memory.data() + 8, expected);
  return edges;
}

// Returns what rank 2 throws, or "".
std::string error_of_lengths(const PackingRule& rule, Bytes sent, Bytes expected) {
  std::string what;
  FarMailboxes boxes;
  testing::run_as_nodes({2, 2}, false, rule, boxes, [&](Communicator& ranks) {
    const auto exchange = Exchanger::of(ranks);
    std::vector<std::byte> memory(8192, std::byte{1});
    const EdgeLists edges = unequal_edges(ranks.rank(), memory, sent, expected);
    try {
      exchange->execute(edges.edges());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::misuse);
      EXPECT_EQ(ranks.rank(), 2);
      what = error.what();
    }
    ranks.barrier();
    EdgeLists next;  // the ranks may go on
    std::byte in{}, out = static_cast<std::byte>(ranks.rank());
    next.send((ranks.rank() + 1) % 4, &out, 1);
    next.receive((ranks.rank() + 3) % 4, &in, 1);
    exchange->execute(next.edges());
    EXPECT_EQ(in, static_cast<std::byte>((ranks.rank() + 3) % 4));
  });
  return what;
}

TEST(NodesExchange, LengthsThatDifferAreNamedAtTheReceiver) {
  const SimulatedTime time;
  EXPECT_EQ(error_of_lengths(always, 20, 20), "");
  const std::string shorter =
      "rank 0 sends 20 bytes to rank 2, which expects 24 (their edge 1, counted from 0); let both name the same number";
  EXPECT_EQ(error_of_lengths(always, 20, 24), shorter);
  EXPECT_EQ(error_of_lengths(never, 20, 24), shorter);
  EXPECT_EQ(error_of_lengths(always, 20, 16),
            "rank 0 sends 20 bytes to rank 2, which expects 16 (their edge 1, counted from 0); let both name the same number");
  EXPECT_EQ(error_of_lengths(never, 20, 16),
            "rank 0 sends more bytes to rank 2 than the 16 that it expects (their edge 1, counted from 0); let both name the same "
            "number");
}

// A rule under which the two nodes decide differently if the lengths at the two ends differ: up to 100 bytes are packed.
TEST(NodesExchange, NodesThatDecideDifferentlyFail) {
  const SimulatedTime time;
  for (const auto& [sent, expected, said] :
       {std::tuple{40, 60,
                   "the node of rank 0 sends one packed message to the node of rank 2, which expects a message for each of its "
                   "edges: 3 edges with 76 bytes together; rank 0 has sent rank 2 a message of 92 bytes instead; let both ends of "
                   "each edge name the same number of bytes"},
        std::tuple{
            60, 40,
            "the node of rank 0 sends a message for each of its edges to the node of rank 2, which expects one packed message: 3 "
            "edges with 56 bytes together; rank 0 has sent rank 2 a message of 8 bytes instead; let both ends of each edge name "
            "the same number of bytes"}}) {
    const PackingRule rule{.longest_short = 70, .most_bytes = 12 + 24 + 16 + 50};
    FarMailboxes boxes;
    std::mutex mutex;
    std::string errors;
    testing::run_as_nodes({2, 2}, false, rule, boxes, [&](Communicator& ranks) {
      const auto exchange = Exchanger::of(ranks);
      std::vector<std::byte> memory(200);
      const EdgeLists edges = unequal_edges(ranks.rank(), memory, sent, expected);
      try {
        exchange->execute(edges.edges());
        if (ranks.rank() >= 2) exchange->execute({});
      } catch (const Error& error) {
        const std::scoped_lock lock(mutex);
        errors += error.what();
      }
    });
    EXPECT_NE(errors.find(said), std::string::npos) << errors;
  }
}

// The last rank of the first node sends an edge to the last rank of the second one, which expects another length. `others` says
// which other edges are between the two nodes: none (0), some short ones (1), also long ones (2), the same in a narrow window (3).
// With `between_last` the first ranks of both nodes have that edge. The last ranks have short ones, and lead if that edge is long.
// Returns the errors of all ranks.
constexpr int between_last = 4;
std::vector<std::string> errors_of_wrong_edge(const ByRank<Count>& shape, bool buffers, int others, Bytes sent, Bytes expected) {
  std::mutex mutex;
  std::vector<std::string> errors;
  FarMailboxes boxes(buffers);
  const auto body = [&](Communicator& ranks) {
    const auto exchange = Exchanger::of(ranks);
    const bool is_first = others == between_last;
    const Rank sender = is_first ? 0 : shape[0] - 1, receiver = is_first ? shape[0] : ranks.size() - 1;
    std::vector<std::byte> memory(10'000);
    EdgeLists edges;
    const auto add = [&](Rank from, Rank to, Bytes out, Bytes in) {
      if (ranks.rank() == from) edges.send(to, memory.data(), out);
      if (ranks.rank() == to) edges.receive(from, memory.data(), in);
    };
    if (others > 1 && !is_first) add(sender, receiver, 2000, 2000);
    if (others > 0 && !is_first) add(sender, receiver, 8, 8);
    add(sender, receiver, sent, expected);
    for (int i = 0; is_first && i < 2; ++i) add(shape[0] - 1, ranks.size() - 1, 8, 8);
    if (others > 0 && !is_first)
      for (Rank from = 0; from < shape[0]; ++from)
        for (Rank to = shape[0]; to < ranks.size(); ++to) add(from, to, 8, 8);
    for (const Edges& each : {edges.edges(), Edges{}}) try {  // a leader that has done its part also looks in the next exchange
        exchange->execute(each);
      } catch (const Error& error) {
        const std::scoped_lock lock(mutex);
        errors.emplace_back(error.what());
      }
  };
  testing::run_as_nodes(shape, false, PackingRule{}, boxes, body, others == 3 ? narrow : MessageWindow{});
  return errors;
}

// On both sides of the border between short and long edges, of which one end may be on each side.
TEST(NodesExchange, NoLengthThatDiffersMakesRanksHang) {
  const SimulatedTime time;
  const std::vector<Bytes> lengths = testing::long_tests() ? std::vector<Bytes>{20, 512, 513, 5000} : std::vector<Bytes>{512, 513};
  for (const ByRank<Count>& shape : {ByRank<Count>{1, 1}, {2, 2}, {1, 3}})
    for (const bool buffers : {false, true})
      for (const int others : {0, 1, 2, 3, between_last})
        for (const Bytes sent : lengths)
          for (const Bytes expected : lengths) {
            const auto errors = errors_of_wrong_edge(shape, buffers, others, sent, expected);
            const std::string all = fmt::format("{}", fmt::join(errors, "\n"));
            SCOPED_TRACE(fmt::format("nodes of {}, {}, {} others, {} B sent, {} B expected: {}", fmt::join(shape, " and "),
                                     buffers ? "buffered" : "not buffered", others, sent, expected, all));
            EXPECT_EQ(errors.empty(), sent == expected);
            const Rank sender = others == between_last ? 0 : shape[0] - 1;
            EXPECT_TRUE(sent == expected || all.find(std::to_string(sender)) != std::string::npos);
            if (HasFailure()) return;
          }
}

TEST(NodesExchange, BothLengthsAndBothNodesAreNamed) {
  const SimulatedTime time;
  const auto said = [](int others, Bytes sent, Bytes expected) {
    return fmt::format("{}", fmt::join(errors_of_wrong_edge({2, 2}, true, others, sent, expected), "\n"));
  };
  const auto sentence = [](Bytes sent, Bytes expected) {
    return fmt::format(
        "rank 1, on the node of rank 0, sends {} bytes to rank 3, on the node of rank 2, which expects {}; let both ends "
        "of each edge name the same number of bytes",
        sent, expected);
  };
  EXPECT_NE(said(0, 20, 600).find(sentence(20, 600)), std::string::npos) << said(0, 20, 600);
  EXPECT_NE(said(0, 600, 20).find(sentence(600, 20)), std::string::npos) << said(0, 600, 20);
  EXPECT_NE(said(1, 20, 600).find(sentence(20, 600)), std::string::npos) << said(1, 20, 600);
  EXPECT_NE(said(1, 600, 20).find("rank 1 sends 600 bytes to rank 3, which expects 20 (their edge 1, counted from 0)"),
            std::string::npos)
      << said(1, 600, 20);
}

// Rank 0 alone lists an edge, to rank 2. So its node takes ranks 0 and 2 for the leaders, and the other one ranks 1 and 3. Rank 2
// notices it in its next exchange.
TEST(NodesExchange, NodesThatExpectDifferentLeadersFail) {
  const SimulatedTime time;
  FarMailboxes boxes(/*buffers=*/true);
  std::mutex mutex;
  std::string errors;
  testing::run_as_nodes({2, 2}, false, PackingRule{}, boxes, [&](Communicator& ranks) {
    const auto exchange = Exchanger::of(ranks);
    std::vector<std::byte> memory(100);
    EdgeLists edges, next;
    if (ranks.rank() == 0) edges.send(2, memory.data(), 8);
    for (int i = 0; i < 2; ++i) {
      if (ranks.rank() == 1) edges.send(3, memory.data(), 8);
      if (ranks.rank() == 3) edges.receive(1, memory.data() + 8 * i, 8);
    }
    if (ranks.rank() == 3) next.send(2, memory.data(), 8);
    if (ranks.rank() == 2) next.receive(3, memory.data(), 8);
    try {
      exchange->execute(edges.edges());
      exchange->execute(next.edges());
    } catch (const Error& error) {
      const std::scoped_lock lock(mutex);
      errors += error.what();
    }
  });
  EXPECT_NE(
      errors.find("the node of rank 0 sends one packed message to the node of rank 2, which expects one packed message from or to "
                  "other ranks: 2 edges with 16 bytes together; rank 0 has sent rank 2 a message of 60 bytes instead"),
      std::string::npos)
      << errors;
}

// Nobody would notice an edge in a packed message for a rank that expects none, so a leader does.
TEST(NodesExchange, APackedEdgeThatNobodyExpectsIsNamed) {
  FarMailboxes boxes;
  std::string error;
  testing::run_as_nodes({2, 2}, false, PackingRule{}, boxes, [&](Communicator& ranks) {
    const auto exchange = Exchanger::of(ranks);
    std::vector<std::byte> memory(100);
    EdgeLists edges;
    for (Count i = 0; i < 2; ++i) {
      if (ranks.rank() == 0) edges.send(2, memory.data(), 8);
      if (ranks.rank() == 2) edges.receive(0, memory.data(), 8);
    }
    if (ranks.rank() == 1) edges.send(3, memory.data(), 40);
    try {
      exchange->execute(edges.edges());
    } catch (const Error& why) {
      EXPECT_EQ(ranks.rank(), 2);  // the leader
      error = why.what();
    }
  });
  EXPECT_EQ(error,
            "the ranks of the node of rank 0 send 1 edges with 40 bytes together to rank 3, on the node of rank 2, which expects 0 "
            "with 0 bytes; let both ends of each edge name the same number of bytes");
}

// Ranks that are late for some looks, in programs with edges of all forms.
TEST(NodesExchange, NoCorrectProgramWithLateRanksFails) {
  const SimulatedTime time;
  for (const bool buffers : {false, true}) {
    FarMailboxes boxes(buffers);
    testing::run_as_nodes({2, 3}, true, seldom, boxes, [&](Communicator& ranks) {
      testing::Exchanges exchanges(ranks, 11, false);
      for (int late = 0; late < 4; ++late) {
        if (late % ranks.size() == ranks.rank()) std::this_thread::sleep_for(3 * SharedSpace::between_questions);
        EXPECT_EQ(exchanges.run(1), "");
      }
    });
  }
}

// A program that waits often, but never for long, at its end has waited for much longer than the time after which ranks look for
// other forms. (In real time, a busy machine may stop a rank for that long; so the test tries again.)
TEST(NodesExchange, RanksThatWaitShortlyNeverLookForOtherForms) {
  const SimulatedTime time;
  long probes = 1;
  for (int attempt = 0; attempt < 5 && probes > 0; ++attempt) {
    FarMailboxes boxes;
    testing::run_as_nodes({2, 2}, false, PackingRule{}, boxes, [&](Communicator& ranks) {
      const auto exchange = Exchanger::of(ranks);
      std::vector<std::byte> in(2000), out(2000);
      const Rank partner = (ranks.rank() + 2) % 4;
      for (int call = 0; call < 400; ++call) {
        if (ranks.rank() == 0) std::this_thread::sleep_for(SharedSpace::between_questions / 100);
        EdgeLists edges;
        for (const Bytes bytes : {8, 20, 600}) {
          edges.send(partner, &out[index(bytes)], bytes);
          edges.receive(partner, &in[index(bytes)], bytes);
        }
        exchange->execute(edges.edges());
      }
    });
    probes = boxes.probes();
  }
  EXPECT_EQ(probes, 0);
}

// Rank 4 is late, and rank 2 waits for it in the first call. Meanwhile the others are in the second call: rank 3 misses an edge of
// rank 0, which must first send one to rank 2, and rank 1 has sent rank 2 a packed message.
TEST(NodesExchange, AMessageForALaterCallIsNotTakenForOneOfTheOtherForm) {
  const SimulatedTime time;
  FarMailboxes boxes;
  testing::run_as_nodes(
      {2, 2, 1}, false, PackingRule{}, boxes,
      [&](Communicator& ranks) {
        const auto exchange = Exchanger::of(ranks);
        std::vector<std::byte> in(2000), out(2000);
        if (ranks.rank() == 4) std::this_thread::sleep_for(5 * SharedSpace::between_questions);
        const auto run = [&](const std::vector<std::tuple<Rank, Rank, Bytes>>& all) {
          EdgeLists edges;
          Bytes at = 0;
          for (const auto& [from, to, bytes] : all) {
            if (ranks.rank() == from) edges.send(to, &out[index(at)], bytes);
            if (ranks.rank() == to) edges.receive(from, &in[index(at)], bytes);
            at += bytes;
          }
          EXPECT_NO_THROW(exchange->execute(edges.edges()));
        };
        run({{4, 2, 600}});
        run({{0, 2, 600}, {0, 3, 600}, {1, 2, 8}, {1, 2, 8}});
      },
      narrow);
}

// Rank 3 is late. Meanwhile node 0, which gets nothing, runs so far ahead that its messages have the tags of those for which rank 2
// waits, and rank 2 looks for another decision.
TEST(NodesExchange, ANodeMayBeFarAheadOfALateRank) {
  const SimulatedTime time;
  for (const Count edges_of_first : {1, 4}) {
    FarMailboxes boxes(/*buffers=*/true);
    std::atomic<int> through{0};
    testing::run_as_nodes({2, 2}, false, PackingRule{}, boxes, [&](Communicator& ranks) {
      const auto exchange = Exchanger::of(ranks);
      constexpr int calls = 2 * FarEdges::exchanges;
      if (ranks.rank() == 3)
        while (through < 2) std::this_thread::yield();
      for (int call = 0; call < calls; ++call) {
        if (ranks.rank() == 3 && call == 1) std::this_thread::sleep_for(5 * SharedSpace::between_questions);
        const std::byte out{static_cast<unsigned char>(call)};
        std::vector<std::byte> in(4, std::byte{255});
        EdgeLists edges;
        for (Count i = 0; i < (call < 2 ? edges_of_first : 2); ++i) {  // one edge is sent alone, others packed
          if (ranks.rank() == 0) edges.send(2, &out, 1);
          if (ranks.rank() == 2) edges.receive(0, &in[index(i)], 1);
        }
        exchange->execute(edges.edges());
        EXPECT_TRUE(ranks.rank() != 2 || in[0] == out);
      }
      ++through;
    });
  }
}

// What is not packed waits for its own ends only: rank 1 of the node enters after the others are through.
TEST(NodesExchange, ARankThatPacksNothingWaitsForItsOwnEdgesOnly) {
  FarMailboxes boxes;
  std::atomic<int> through{0};
  testing::run_as_nodes({2, 1}, false, always, boxes, [&](Communicator& ranks) {
    const auto exchange = Exchanger::of(ranks);
    std::byte in{}, out{7};
    EdgeLists edges;
    if (ranks.rank() == 0) edges.send(2, &out, 1);
    if (ranks.rank() == 2) edges.receive(0, &in, 1);
    if (ranks.rank() == 1)
      while (through < 2) std::this_thread::yield();
    exchange->execute(edges.edges(/*may_pack=*/false));
    ++through;
    EXPECT_TRUE(ranks.rank() != 2 || in == std::byte{7});
  });
}

// Rank 1 enters its first call only when the others have completed all of theirs.
TEST(NodesExchange, ARankWithoutShortEdgesWaitsForItsOwnEdgesOnly) {
  FarMailboxes boxes;
  std::atomic<int> through{0};
  testing::run_as_nodes({2, 1}, false, PackingRule{}, boxes, [&](Communicator& ranks) {
    const auto exchange = Exchanger::of(ranks);
    std::vector<std::byte> in(600), out(600, std::byte{7});
    EdgeLists edges;
    if (ranks.rank() == 0) edges.send(2, out.data(), 600);
    if (ranks.rank() == 2) edges.receive(0, in.data(), 600);
    if (ranks.rank() == 1)
      while (through < 2) std::this_thread::yield();
    for (int call = 0; call < 10; ++call) exchange->execute(edges.edges());
    ++through;
    EXPECT_TRUE(ranks.rank() != 2 || in == out);
  });
}

// Rank 0 has no edge with rank 1. Rank 1 enters its first call only after rank 0 has come to a stop.
TEST(NodesExchange, ARankIsAtMostSixteenCallsAheadOfItsNode) {
  const SimulatedTime time;
  FarMailboxes boxes(/*buffers=*/true);
  std::atomic<int> calls_of_first{0};
  constexpr int most = NodeBoard::most_ahead;
  testing::run_as_nodes({2, 1}, false, PackingRule{}, boxes, [&](Communicator& ranks) {
    const auto exchange = Exchanger::of(ranks);
    std::vector<std::byte> memory(600);
    EdgeLists edges;
    if (ranks.rank() == 0) edges.send(2, memory.data(), 600);
    if (ranks.rank() == 2) edges.receive(0, memory.data(), 600);
    if (ranks.rank() == 1) {
      while (calls_of_first < most) std::this_thread::yield();
      std::this_thread::sleep_for(SharedSpace::between_questions);
      EXPECT_EQ(calls_of_first, most);
    }
    for (int call = 0; call < 3 * most; ++call) {
      exchange->execute(edges.edges());
      if (ranks.rank() == 0) ++calls_of_first;
    }
  });
}

// Exchanges in which ranks of a node have short edges in turn: a page is written again while others read the next one.
TEST(NodesExchange, RanksWithShortEdgesNowAndThen) {
  FarMailboxes boxes(/*buffers=*/true);
  testing::run_as_nodes({3, 2}, false, PackingRule{}, boxes, [&](Communicator& ranks) {
    const auto exchange = Exchanger::of(ranks);
    const auto drawn = [](int call, int what) { return (static_cast<unsigned>(call * 8 + what) * 0x9e3779b1u) >> 29; };
    for (int call = 0; call < (testing::long_tests() ? 20'000 : 1000); ++call) {
      EdgeLists edges;
      std::array<std::byte, 6> in{}, out{};
      std::array<std::byte, 6> expected{};
      for (Rank from = 0; from < 3; ++from)
        for (Rank to = 3; to < 5; ++to) {
          const std::size_t pair = index(from * 2 + to - 3);
          if (drawn(call, static_cast<int>(pair)) < 5) continue;
          const std::byte value{static_cast<unsigned char>(call + static_cast<int>(pair))};
          if (ranks.rank() == from) out[pair] = value, edges.send(to, &out[pair], 1);
          if (ranks.rank() == to) expected[pair] = value, edges.receive(from, &in[pair], 1);
        }
      exchange->execute(edges.edges());
      ASSERT_EQ(in, expected) << "call " << call;
    }
  });
}

TEST(NodesExchange, SeveralExchangesAreInFlight) {
  FarMailboxes boxes;
  testing::run_as_nodes({2, 3}, true, PackingRule{}, boxes, [&](Communicator& ranks) {
    const auto exchange = Exchanger::of(ranks);
    const Count p = ranks.size();
    constexpr int depth = 5;
    std::vector<std::vector<Count>> in(depth, std::vector<Count>(index(p), -1)), out = in;
    std::vector<EdgeLists> lists(depth);
    std::vector<Edges> edges(depth);
    std::vector<Request> open;
    for (int i = 0; i < depth; ++i) {
      const auto at = static_cast<std::size_t>(i);
      for (Rank rank = 0; rank < p; ++rank) {
        out[at][index(rank)] = i * 100 + ranks.rank() * 10 + rank;
        lists[at].send(rank, reinterpret_cast<std::byte*>(&out[at][index(rank)]), sizeof(Count));
        lists[at].receive(rank, reinterpret_cast<std::byte*>(&in[at][index(rank)]), sizeof(Count));
      }
      edges[at] = lists[at].edges();
      open.push_back(exchange->start(edges[at]));
    }
    for (Request& request : open) request.wait();
    for (int i = 0; i < depth; ++i)
      for (Rank rank = 0; rank < p; ++rank)
        EXPECT_EQ(in[static_cast<std::size_t>(i)][index(rank)], i * 100 + rank * 10 + ranks.rank());
  });
}

}  // namespace
}  // namespace quadrille
