// SPDX-License-Identifier: BSD-3-Clause
// Exchanges that a program calls. tests/execute/shared/unplanned/exchange_test.cpp tests how messages travel.
#include "quadrille/exchange.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "groups/chooser.hpp"
#include "quadrille/collectives.hpp"
#include "quadrille/indexed.hpp"
#include "support/counts_gathers.hpp"
#include "support/processes.hpp"
#include "support/told.hpp"
#include "support/variable.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

// The lists and the memory of one rank's edges. All ranks draw the same edges: several for some pairs, none for others. A rank
// lists them in an order of its own, except that edges of one pair keep theirs.
class RandomEdges {
 public:
  RandomEdges(Rank me, Count p, std::uint64_t seed) {
    std::mt19937_64 random(seed), own(seed + static_cast<std::uint64_t>(me) + 1);
    struct Listed {
      std::size_t turn;  // of the pair, in this rank's order
      Rank peer;
      std::size_t count;
      int first;
    };
    std::vector<Listed> sent, received;
    std::vector<std::size_t> turns(2 * index(p));
    for (std::size_t& turn : turns) turn = own() % 10;
    for (Rank from = 0; from < p; ++from)
      for (Rank to = 0; to < p; ++to)
        for (std::size_t edge = 0, edges = random() % 4; edge < edges; ++edge) {
          const std::size_t count = random() % 3 == 0 ? 0 : random() % (random() % 4 == 0 ? 9000 : 30);
          const int first = static_cast<int>(random() % 1'000'000);
          if (from == me) sent.push_back({turns[index(to)], to, count, first});
          if (to == me) received.push_back({turns[index(p + from)], from, count, first});
        }
    for (auto* list : {&sent, &received})
      std::stable_sort(list->begin(), list->end(), [](const Listed& one, const Listed& other) { return one.turn < other.turn; });
    for (const auto& [turn, peer, count, first] : sent) {
      sent_.emplace_back(count);
      for (std::size_t i = 0; i < count; ++i) sent_.back()[i] = first + static_cast<int>(i);
    }
    for (const auto& [turn, peer, count, first] : received) {
      received_.emplace_back(count, -1);
      firsts_.push_back(first);
    }
    // Called by pointers that the compiler must read, so that they are in the program (tests/headers/instantiated_test.cpp).
    Edges::Send (*volatile const to)(Rank, const std::vector<int>&) = edge_to<std::vector<int>>;
    Edges::Receive (*volatile const from)(Rank, std::vector<int>&) = edge_from<std::vector<int>&>;
    for (std::size_t i = 0; i < sent.size(); ++i) sends.push_back(to(sent[i].peer, sent_[i]));
    for (std::size_t i = 0; i < received.size(); ++i) receives.push_back(from(received[i].peer, received_[i]));
  }

  // Did everything arrive? Forgets it.
  bool is_right() {
    bool right = true;
    for (std::size_t edge = 0; edge < received_.size(); ++edge)
      for (std::size_t i = 0; i < received_[edge].size(); ++i)
        right = std::exchange(received_[edge][i], -1) == firsts_[edge] + static_cast<int>(i) && right;
    return right;
  }

  std::vector<Edges::Send> sends;
  std::vector<Edges::Receive> receives;

 private:
  std::vector<std::vector<int>> sent_, received_;
  std::vector<int> firsts_;
};

void run_exchanges(Communicator& ranks) {
  const Rank me = ranks.rank();
  const Count p = ranks.size();
  RandomEdges fixed(me, p, 999), more(me, p, 998);
  std::optional<Exchange> kept(std::in_place, ranks, fixed.sends, fixed.receives);
  for (std::uint64_t call = 0; call < 60; ++call) {
    RandomEdges blocking(me, p, 3 * call), started(me, p, 3 * call + 1);
    Request open = iexchange(ranks, std::vector(started.sends), std::vector(started.receives));
    Request again = kept->start();
    exchange(ranks, blocking.sends, blocking.receives);
    EXPECT_TRUE(blocking.is_right()) << call;
    EXPECT_EQ(allreduce(ranks, 1, op::sum), p);
    again.wait();
    EXPECT_TRUE(fixed.is_right()) << call;
    open.wait();
    EXPECT_TRUE(started.is_right()) << call;
    kept->execute();
    EXPECT_TRUE(fixed.is_right()) << call;
  }
  Request last = Exchange(ranks, more.sends, more.receives).start();  // the request keeps what it needs
  kept.reset();
  last.wait();
  EXPECT_TRUE(more.is_right());
}

TEST(ExchangeCalls, DeliversAnyEdges) {
  for (const Count p : {1, 2, 3, 5}) run_threads(p, run_exchanges);
  run_threads(3, [](Communicator& threads) { run_exchanges(*shared_by_processes(threads)); });
}

TEST(ExchangeCalls, OutlivesItsCommunicator) {
  run_threads(2, [](Communicator& threads) {
    RandomEdges edges(threads.rank(), 2, 5);
    auto ranks = shared_by_processes(threads);
    Exchange kept(ranks, edges.sends, edges.receives);
    ranks.reset();
    kept.execute();
    EXPECT_TRUE(edges.is_right());
  });
}

// What rank 1 is told of its edges.
std::string said_of(const std::vector<Edges::Send>& sends, const std::vector<Edges::Receive>& receives) {
  const auto all = told(2, [&](Communicator& ranks) {
    if (ranks.rank() == 1) return exchange(ranks, sends, receives);
    exchange(ranks, {}, {});
  });
  return all[1];
}

TEST(ExchangeCalls, RefusesWrongEdges) {
  std::byte memory[8];
  EXPECT_EQ(said_of({{2, memory, 8}}, {}), "an edge to rank 2, but the group has 2 ranks");
  EXPECT_EQ(said_of({{0, memory, -1}}, {}), "an edge to rank 0 has -1 bytes");
  EXPECT_EQ(said_of({}, {{-1, memory, 8}}), "an edge from rank -1, but the group has 2 ranks");
  EXPECT_EQ(said_of({}, {{0, nullptr, 8}}), "an edge from rank 0 has 8 bytes, but no memory");
  EXPECT_EQ(told(2,
                 [](Communicator& ranks) {
                   Exchange(ranks, {{7, nullptr, 0}}, {});
                 })[1],
            "an edge to rank 7, but the group has 2 ranks");
  const Variable check("QUADRILLE_CHECK", "1");
  const auto all = told(2, [&](Communicator& ranks) {
    std::vector<Edges::Send> sends;
    if (ranks.rank() == 1) sends.push_back({2, memory, 8});
    iexchange(ranks, sends, {}).wait();
  });
  EXPECT_EQ(all[1], "an edge to rank 2, but the group has 2 ranks");
  EXPECT_EQ(all[0], "rank 1: " + all[1]);
  EXPECT_EQ(told_to_all(2, [](Communicator& ranks) { ranks.rank() == 0 ? barrier(ranks) : exchange(ranks, {}, {}); }),
            "the order of collectives differs: rank 1 is in exchange, rank 0 in barrier; all ranks must make the same call");
}

// Otherwise ranks would wait for ever.
TEST(ExchangeCalls, FindsEdgesWithOneEndIfTheRanksCompare) {
  const Variable check("QUADRILLE_CHECK", "1");
  std::array<std::byte, 64> memory{};
  const auto sent = [&](Rank to, Bytes bytes) { return Edges::Send{to, memory.data(), bytes}; };
  const auto received = [&](Rank from, Bytes bytes) { return Edges::Receive{from, memory.data() + 32, bytes}; };
  using Sends = std::vector<Edges::Send>;
  using Receives = std::vector<Edges::Receive>;
  const auto said_of = [&](Rank me, const Sends& sends, const Receives& receives) {
    return told_to_all(3, [&](Communicator& ranks) {
      ranks.rank() == me ? exchange(ranks, sends, receives) : exchange(ranks, {}, {});
      ADD_FAILURE() << "rank " << ranks.rank() << " goes on";
    });
  };
  EXPECT_EQ(said_of(1, {}, {received(2, 8)}),
            "rank 2 sends nothing to rank 1, which expects 8 bytes; let both list the same edges");
  EXPECT_EQ(said_of(1, {sent(0, 1)}, {}), "rank 1 sends 1 byte to rank 0, which expects nothing; let both list the same edges");
  EXPECT_EQ(said_of(2, {sent(0, 1), sent(0, 0), sent(0, 6)}, {}),
            "rank 2 sends 2 edges, 7 bytes in all to rank 0, which expects nothing; let both list the same edges");
  EXPECT_EQ(said_of(2, {sent(2, 1)}, {received(2, 2)}),
            "rank 2 sends 1 byte to rank 2, which expects 2 bytes; let both list the same edges");
  const auto swapped = told_to_all(2, [&](Communicator& ranks) {
    ranks.rank() == 0 ? exchange(ranks, Sends{sent(1, 1), sent(1, 2)}, {})
                      : exchange(ranks, {}, Receives{received(0, 2), received(0, 1)});
  });
  EXPECT_EQ(swapped,
            "rank 0 sends 2 edges, 3 bytes in all to rank 1, which expects 2 edges, 3 bytes in all; let both list the same edges");
  run_threads(3, [](Communicator& ranks) {
    RandomEdges edges(ranks.rank(), 3, 5);
    exchange(ranks, edges.sends, edges.receives);
    EXPECT_TRUE(edges.is_right());
  });
}

TEST(ExchangeCalls, ReportsLengthsThatDifferAtTheReceiver) {
  run_threads(2, [](Communicator& ranks) {
    std::array<int, 3> memory{};
    const auto part = [&](int count) { return std::span(memory).first(index(Count{count})); };
    std::string said;
    try {
      if (ranks.rank() == 0) exchange(ranks, std::array{edge_to(1, part(1)), edge_to(1, part(2))}, {}, false);
      if (ranks.rank() == 1) exchange(ranks, {}, std::array{edge_from(0, part(1)), edge_from(0, std::span(memory).last(1))}, false);
    } catch (const Error& error) {
      said = error.what();
    }
    EXPECT_EQ(said, ranks.rank() == 0 ? ""
                                      : "rank 0 sends 8 bytes to rank 1, which expects 4 (their edge 1, counted from 0); "
                                        "let both name the same number");
    RandomEdges next(ranks.rank(), 2, 77);
    exchange(ranks, next.sends, next.receives);
    EXPECT_TRUE(next.is_right());
  });
}

}  // namespace
}  // namespace quadrille
