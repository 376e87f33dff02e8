// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/unplanned/exchange.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "quadrille/groups.hpp"
#include "support/apart.hpp"
#include "support/cases.hpp"
#include "support/exchanges.hpp"
#include "support/processes.hpp"
#include "support/simulated_time.hpp"

namespace quadrille {
namespace {

using testing::Apart;
using testing::Exchanges;
using testing::run_apart;
using testing::SimulatedTime;

// The blocks that one rank sends and receives, of given lengths.
struct Blocks {
  explicit Blocks(Count ranks, std::byte content = std::byte{1})
      : sent(index(ranks), std::vector<std::byte>(Exchanges::longest, content)),
        received(index(ranks), std::vector<std::byte>(Exchanges::longest)),
        sends(index(ranks)),
        receives(index(ranks)) {
    for (Rank rank = 0; rank < ranks; ++rank) send(rank, 0), receive(rank, 0);
  }

  void send(Rank to, Bytes bytes) { sends[index(to)] = {to, sent[index(to)].data(), bytes}; }
  void receive(Rank from, Bytes bytes) { receives[index(from)] = {from, received[index(from)].data(), bytes}; }
  void both(Rank with, Bytes bytes) {
    send(with, bytes);
    receive(with, bytes);
  }
  Edges edges() const { return {sends, receives}; }
  void all(Bytes bytes) {
    for (Rank rank = 0; rank < size(sends); ++rank) both(rank, bytes);
  }

  std::vector<std::vector<std::byte>> sent, received;
  std::vector<Edges::Send> sends;
  std::vector<Edges::Receive> receives;
};

// Returns the error that `work` throws, or one of code misuse without text if it throws none.
template <class Work>
Error error_of(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    return error;
  }
  return {ErrorCode::misuse, ""};
}

// Runs some calls with blocks of all sizes on each rank, then many calls with short ones, and checks the results.
void expect_right(Communicator& ranks, bool allocated, long calls = testing::long_tests() ? 10'000 : 60) {
  Exchanges exchanges(ranks, 1, allocated);
  EXPECT_EQ(exchanges.run(calls), "");
  EXPECT_EQ(exchanges.run(10 * calls, 200), "");
  EXPECT_EQ(exchanges.run(calls, 3000), "");  // blocks that fit into the slots of two or three ranks, and longer ones
}

TEST(Exchange, IsRightOnThreads) {
  for (const Count ranks : {1, 2, 3, 8}) run_threads(ranks, [](Communicator& threads) { expect_right(threads, false); });
}

TEST(Exchange, IsRightInMemoryThatProcessesShare) {
  for (const bool allocated : {false, true})
    run_threads(3, [&](Communicator& threads) { expect_right(*testing::shared_by_processes(threads), allocated); });
}

// Every path that a block can take; each is forced by a setting.
TEST(Exchange, IsRightOnEveryPath) {
  for (const bool reads : {true, false})
    for (const bool allocated : {false, true})
      for (const double once : {0.0, 1.0})
        for (const bool cores : {true, false}) {
          const Apart apart{.reads_private_memory = reads,
                            .core_for_every_rank = cores,
                            .yields_hand_over = !allocated,
                            .costs = testing::costs_of_copying_once(once)};
          // Between two ranks, a slot has room for blocks that are long enough to be copied once; among three it has not.
          for (const Count ranks : {2, 3})
            run_apart(ranks, apart, [&](SharedCommunicator& each) { expect_right(each, allocated, 30); });
        }
}

TEST(Exchange, IsRightInManyCalls) {
  run_threads(2, [](Communicator& threads) {
    Exchanges exchanges(threads, 2, false);
    EXPECT_EQ(exchanges.run(testing::long_tests() ? 200'000 : 10'000, 60), "");
  });
}

// Several exchanges and plans of one group do not disturb each other, and may be made and destroyed in any order.
TEST(Exchange, SharesItsGroupWithOtherExchangesAndPlans) {
  run_threads(3, [](Communicator& threads) {
    auto first = std::make_unique<Exchanges>(threads, 3, false);
    EXPECT_EQ(first->run(5), "");
    Exchanges second(threads, 4, true);
    EXPECT_EQ(first->run(5) + second.run(5), "");
    if (threads.rank() == 1) first.reset();
    EXPECT_EQ(second.run(5), "");
    Plan exchange = plan(threads, Problem::alltoall(3, 8));
    std::array<std::int64_t, 3> input{}, output{};
    exchange.execute(input.data(), output.data());
    EXPECT_EQ(second.run(5), "");
  });
}

TEST(Exchange, OutlivesItsCommunicator) {
  run_threads(2, [](Communicator& threads) {
    std::unique_ptr<Exchanger> exchange;
    {
      const auto ranks = testing::shared_by_processes(threads);
      exchange = Exchanger::of(*ranks);
    }
    Blocks blocks(2);
    blocks.all(5000);
    exchange->execute(blocks.edges());
    EXPECT_EQ(blocks.received[0], blocks.received[1]);
    EXPECT_EQ(blocks.received[0][4999], std::byte{1});
  });
}

// A slot must not be used again before the sender has seen that what it lent there is back, although the receiver has given it
// back.
TEST(Exchange, MovesManyLentMessagesOfOnePair) {
  constexpr Count edges = 400;
  constexpr Bytes bytes = 3000;
  for (const bool reads : {true, false})
    run_apart(2, {.reads_private_memory = reads, .costs = testing::costs_of_copying_once(0)}, [&](SharedCommunicator& ranks) {
      const auto exchange = Exchanger::of(ranks);
      std::vector<std::byte> input(index(edges * bytes)), output(input.size());
      std::vector<Edges::Send> sends;
      std::vector<Edges::Receive> receives;
      for (Count edge = 0; edge < edges; ++edge) {
        sends.push_back({1 - ranks.rank(), input.data() + edge * bytes, bytes});
        receives.push_back({1 - ranks.rank(), output.data() + edge * bytes, bytes});
      }
      for (int call = 0; call < (testing::long_tests() ? 2000 : 15); ++call) {
        for (std::size_t i = 0; i < input.size(); ++i)
          input[i] = static_cast<std::byte>(i * 7 + i / 256 + static_cast<std::size_t>(call));
        exchange->execute({sends, receives});
        ASSERT_EQ(output, input) << call;  // both ranks send the same
      }
    });
}

// The rank that expects the edge throws soon after the other has finished, also if both have to sleep, and the group goes on.
TEST(Exchange, ReportsAnEdgeThatTheSenderDoesNotList) {
  for (const bool cores : {true, false})
    for (const Bytes bytes : {8, 3000, 290'000})
      run_apart(2, {.core_for_every_rank = cores}, [&](SharedCommunicator& ranks) {
        const auto exchange = Exchanger::of(ranks);
        Blocks blocks(2);
        if (ranks.rank() == 1) blocks.receive(0, bytes);
        const Error error = error_of([&] { exchange->execute(blocks.edges()); });
        EXPECT_EQ(error.what(), ranks.rank() == 0
                                    ? ""
                                    : fmt::format("rank 1 expects {} bytes from rank 0, which sends none; let both name "
                                                  "the same number",
                                                  bytes));
      });
}

TEST(Exchange, RefusesMoreEdgesThanItCanCount) {
  const std::vector<Edges::Send> sends(index(Edges::most) + 1, Edges::Send{0, nullptr, 0});
  EXPECT_EQ(error_of([&] { Exchanger::check({sends, {}}, 1); }).code(), ErrorCode::too_large);
  EXPECT_NO_THROW(Exchanger::check({std::span(sends).first(index(Edges::most)), {}}, 1));
}

TEST(Exchange, ReportsSizesThatDiffer) {
  for (const bool reads : {true, false})
    for (const Bytes sent : {20, 900, 9000, 100'000, 290'000})
      for (const Bytes expected : {Bytes{8}, Bytes{295'000}}) {
        const Apart apart{.reads_private_memory = reads, .costs = testing::costs_of_copying_once(0)};
        run_apart(3, apart, [&](SharedCommunicator& ranks) {
          const Rank me = ranks.rank();
          const auto exchange = Exchanger::of(ranks);
          Blocks blocks(3);
          blocks.all(40);
          if (me == 1) blocks.send(2, sent);
          if (me == 2) blocks.receive(1, expected);
          const Error error = error_of([&] { exchange->execute(blocks.edges()); });
          EXPECT_EQ(error.what(),
                    me == 2 ? fmt::format("rank 1 sends {} bytes to rank 2, which expects {}; let both name the same number", sent,
                                          expected)
                            : "");
          const auto& received = blocks.received[1];
          const Bytes written = me == 2 ? (sent < expected ? sent : 0) : 40;
          EXPECT_EQ(std::count(received.begin(), received.end(), std::byte{1}), written);
          EXPECT_EQ(blocks.received[0][39], std::byte{1});

          blocks.all(50'000);  // the next call is not affected by the error
          exchange->execute(blocks.edges());
          EXPECT_EQ(blocks.received[0][49'999], std::byte{1});
        });
      }
}

TEST(Exchange, ReportsSizesThatDifferWithinARank) {
  run_threads(1, [&](Communicator& threads) {
    const auto exchange = Exchanger::of(threads);
    Blocks blocks(1);
    blocks.send(0, 100);
    blocks.receive(0, 99);
    EXPECT_EQ(error_of([&] { exchange->execute(blocks.edges()); }).code(), ErrorCode::misuse);
    EXPECT_EQ(blocks.received[0][0], std::byte{0});
  });
}

TEST(Exchange, FailsIfARankFails) {
  for (const Bytes bytes : {8, 3000, 290'000})
    for (const bool cores : {true, false}) {
      std::atomic<int> lost{0};
      const auto work = [&](SharedCommunicator& ranks) {
        const auto exchange = Exchanger::of(ranks);
        Blocks blocks(3);
        blocks.all(bytes);
        exchange->execute(blocks.edges());
        ranks.barrier();
        if (ranks.rank() == 1) throw std::runtime_error("on its own");
        for (int again = 0; again < 2; ++again)
          if (error_of([&] { exchange->execute(blocks.edges()); }).code() == ErrorCode::peer_lost) ++lost;
      };
      EXPECT_THROW(run_apart(3, {.core_for_every_rank = cores}, work), std::runtime_error);
      EXPECT_EQ(lost, 4);
    }
}

TEST(Exchange, FailsIfARankHasLeft) {
  const SimulatedTime time;
  std::atomic<int> lost{0};
  run_threads(3, [&](Communicator& threads) {
    const auto exchange = Exchanger::of(threads);
    Blocks blocks(3);
    blocks.all(8);
    if (threads.rank() == 1) return;
    if (error_of([&] { exchange->execute(blocks.edges()); }).code() == ErrorCode::peer_lost) ++lost;
  });
  EXPECT_EQ(lost, 2);
}

TEST(Exchange, ReportsARankThatStartsAPlanInstead) {
  const SimulatedTime time;
  std::atomic<int> said{0};
  EXPECT_NO_THROW(run_threads(2, [&](Communicator& threads) {
    const auto exchange = Exchanger::of(threads);
    Plan other = plan(threads, Problem::alltoall(2, 8));
    Blocks blocks(2);
    blocks.all(8);
    const Error error = error_of([&] {
      if (threads.rank() == 0)
        exchange->execute(blocks.edges());
      else
        other.execute(blocks.sent[0].data(), blocks.received[0].data());
    });
    if (std::string_view(error.what()).find("(exchange)") != std::string_view::npos) ++said;
  }));
  EXPECT_EQ(said, 2);
}

// If the group fails while a block is being read, the sender must not return before the read has ended.
TEST(Exchange, KeepsABlockUntilItHasBeenRead) {
  const SimulatedTime time;
  constexpr Bytes bytes = 5000;
  std::atomic<bool> is_reading{false}, is_over{false};
  const Apart apart{.costs = testing::costs_of_copying_once(0), .reads = [&](Rank) {
                      is_reading = true;
                      std::this_thread::sleep_for(std::chrono::milliseconds(100));
                    }};
  const auto work = [&](SharedCommunicator& ranks) {
    const auto exchange = Exchanger::of(ranks);
    Blocks blocks(3);
    if (ranks.rank() == 0) blocks.send(1, bytes);
    if (ranks.rank() == 1) blocks.receive(0, bytes);
    if (ranks.rank() < 2) blocks.receive(2, 8);  // never comes
    if (ranks.rank() == 2) {
      while (!is_reading) std::this_thread::yield();
      throw std::runtime_error("on its own");
    }
    EXPECT_EQ(error_of([&] { exchange->execute(blocks.edges()); }).code(), ErrorCode::peer_lost);
    if (ranks.rank() == 0) {
      std::fill(blocks.sent[1].begin(), blocks.sent[1].end(), std::byte{9});
      is_over = true;
    }
    while (!is_over) std::this_thread::yield();  // otherwise the reader's own failure might end the wait
    if (ranks.rank() == 1) {
      EXPECT_EQ(std::count(blocks.received[0].begin(), blocks.received[0].end(), std::byte{1}), bytes);
    }
  };
  EXPECT_THROW(run_apart(3, apart, work), std::runtime_error);
}

// If a rank's memory cannot be read, all ranks report the reason, and the sender withdraws its block.
TEST(Exchange, FailsIfMemoryCannotBeRead) {
  const Apart apart{.costs = testing::costs_of_copying_once(0),
                    .reads = [](Rank) { throw Error(ErrorCode::transport, "the memory cannot be read"); }};
  std::atomic<int> failed{0};
  const auto work = [&](SharedCommunicator& ranks) {
    const auto exchange = Exchanger::of(ranks);
    Blocks blocks(2);
    blocks.all(5000);
    try {
      exchange->execute(blocks.edges());
    } catch (const Error&) {
      ++failed;
      throw;
    }
  };
  EXPECT_THROW(run_apart(2, apart, work), Error);
  EXPECT_EQ(failed, 2);
}

TEST(Exchange, IsMadeOnAllRanksOrOnNone) {
  for (const Rank poor : {0, 1})
    for (const Count allocations : {0, 1}) {
      const Apart apart{.poor = poor, .allocations = allocations};
      run_apart(2, apart, [&](SharedCommunicator& ranks) {
        auto& space = static_cast<testing::ApartSpace&>(*ranks.space());
        const Bytes before = space.taken_bytes();
        const bool has_enough = poor == 1 && allocations == 1;  // the first rank allocates twice
        const Error error = error_of([&] { const auto exchange = Exchanger::of(ranks); });
        EXPECT_EQ(std::string_view(error.what()).empty(), has_enough) << error.what();
        space.grant(1000);
        if (!has_enough) EXPECT_EQ(space.taken_bytes(), before);
        expect_right(ranks, false, 5);
      });
    }
}

TEST(Exchange, ReleasesItsMemory) {
  run_apart(3, {}, [&](SharedCommunicator& ranks) {
    auto& space = static_cast<testing::ApartSpace&>(*ranks.space());
    const Bytes before = space.taken_bytes();
    auto exchange = Exchanger::of(ranks);
    const Bytes taken = space.taken_bytes();
    EXPECT_GT(taken, before);
    if (ranks.rank() == 0) exchange.reset();
    ranks.barrier();
    space.release_retired();
    EXPECT_EQ(space.taken_bytes(), taken);  // not released, because the others may still read it
    ranks.barrier();
    exchange.reset();
    for (int i = 0; i < 3; ++i) {
      ranks.barrier();
      space.release_retired();
    }
    EXPECT_EQ(space.taken_bytes(), before);
  });
}

}  // namespace
}  // namespace quadrille
