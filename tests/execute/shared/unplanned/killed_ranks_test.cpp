// SPDX-License-Identifier: BSD-3-Clause
// Kills a rank, which is a process, in each phase of an exchange. Every other rank throws Error{peer_lost} soon, or completes what
// needs nothing more of that rank; it never waits for ever, and what it has received is right.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "execute/executions/exchanger.hpp"
#include "quadrille/indexed.hpp"
#include "support/apart.hpp"
#include "support/rank_processes.hpp"

namespace quadrille {
namespace {

using testing::codes_of_processes;
using testing::costs_of_copying_once;

void kill_myself() { ::kill(::getpid(), SIGKILL); }

// Counts points that processes have reached. It must be made before the processes, which inherit its memory.
class Milestones {
 public:
  Milestones()
      : reached_(*new (::mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
                     std::atomic<int>(0)) {}
  ~Milestones() { ::munmap(&reached_, sizeof reached_); }
  Milestones(const Milestones&) = delete;
  Milestones& operator=(const Milestones&) = delete;

  void reach() { ++reached_; }
  void wait_for(Count count) const {
    while (reached_ < count) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

 private:
  std::atomic<int>& reached_;
};

// One message from each rank to each other one.
struct Messages {
  const char* name;
  Bytes bytes;
  bool allocated;  // sent from memory that other ranks can load from
  CopyCosts costs;
};
const std::vector<Messages> all_ways{{"tiny", 8, false, {}},
                                     {"short", 3000, false, costs_of_copying_once(1)},
                                     {"copied once", 290'000, false, costs_of_copying_once(0)},
                                     {"loaded once", 290'000, true, costs_of_copying_once(0)},
                                     {"in pieces", 290'000, false, costs_of_copying_once(1)}};

// The exchanges of one rank. Each call has other bytes.
class CheckedExchanges {
 public:
  CheckedExchanges(SharedCommunicator& ranks, const Messages& messages)
      : me_(ranks.rank()), bytes_(messages.bytes), exchange_(Exchanger::of(ranks)) {
    const auto memory = [&] {
      return messages.allocated ? ranks.allocate(bytes_)
                                : std::shared_ptr<std::byte>(new std::byte[index(bytes_)], std::default_delete<std::byte[]>());
    };
    sent_ = memory();
    for (Rank rank = 0; rank < ranks.size(); ++rank) {
      if (rank == me_) continue;
      received_.push_back(memory());
      sends_.push_back({rank, sent_.get(), bytes_});
      receives_.push_back({rank, received_.back().get(), bytes_});
    }
    edges_ = {sends_, receives_};
  }

  // Starts the next exchange. It sends what it can without waiting, and receives what has arrived.
  Request start() { return exchange_->start(next()); }
  void finish(Request& request) const {
    request.wait();
    check();
  }
  void run() {
    exchange_->execute(next());
    check();
  }

 private:
  const Edges& next() {
    ++call_;
    std::fill_n(sent_.get(), bytes_, content(me_));
    return edges_;
  }
  void check() const {
    for (const auto& [from, memory, bytes] : receives_)
      if (std::count(memory, memory + bytes, content(from)) != bytes) throw Error(ErrorCode::misuse, "wrong data");
  }
  std::byte content(Rank from) const { return static_cast<std::byte>(10 * call_ + from); }

  const Rank me_;
  const Bytes bytes_;
  const std::unique_ptr<Exchanger> exchange_;
  std::shared_ptr<std::byte> sent_;
  std::vector<std::shared_ptr<std::byte>> received_;
  std::vector<Edges::Send> sends_;
  std::vector<Edges::Receive> receives_;
  Edges edges_;
  int call_ = 0;
};

enum class Phase { before_it_enters, before_it_receives, when_all_have_sent, when_it_has_finished };

// The last rank is killed in this phase of an exchange, after `earlier` others.
void lose_one(SharedCommunicator& ranks, const Messages& messages, Phase phase, int earlier, Milestones& milestones) {
  CheckedExchanges exchanges(ranks, messages);
  const Count others = ranks.size() - 1;
  const bool is_victim = ranks.rank() == others;
  for (int call = 0; call < earlier; ++call) exchanges.run();
  ranks.barrier();
  switch (phase) {
    case Phase::before_it_enters:
      if (is_victim) kill_myself();
      break;
    case Phase::before_it_receives:
      if (is_victim) {
        const Request sent = exchanges.start();
        milestones.reach();
        kill_myself();
      }
      milestones.wait_for(1);
      break;
    case Phase::when_all_have_sent: {
      if (is_victim) milestones.wait_for(others);
      Request open = exchanges.start();
      if (is_victim) kill_myself();
      milestones.reach();
      exchanges.finish(open);
      break;
    }
    case Phase::when_it_has_finished:
      exchanges.run();
      if (is_victim) kill_myself();
      break;
  }
  while (true) exchanges.run();
}

TEST(KilledRank, IsNoticedInEachPhase) {
  for (const Messages& messages : all_ways)
    for (const Phase phase :
         {Phase::before_it_enters, Phase::before_it_receives, Phase::when_all_have_sent, Phase::when_it_has_finished})
      for (const Count ranks : {2, 3}) {
        const int earlier = ranks == 2 ? 0 : 4;  // even: every second exchange tries the other way of long messages
        Milestones milestones;
        std::vector<int> expected(index(ranks), 0);
        expected.back() = -SIGKILL;
        EXPECT_EQ(
            codes_of_processes(
                ranks, [&](SharedCommunicator& each) { lose_one(each, messages, phase, earlier, milestones); }, messages.costs),
            expected)
            << messages.name << ", phase " << static_cast<int>(phase) << ", " << ranks << " ranks";
      }
}

// A rank that exchanges nothing with the killed rank completes its exchange or throws; it never waits for ever.
TEST(KilledRank, DoesNotStopThoseThatNeedNothingOfIt) {
  const auto codes = codes_of_processes(3, [](SharedCommunicator& ranks) {
    const auto exchange = Exchanger::of(ranks);
    ranks.barrier();
    if (ranks.rank() == 2) kill_myself();
    std::array<std::byte, 100> sent{}, received{};
    const Edges::Send send{1 - ranks.rank(), sent.data(), 100};
    const Edges::Receive receive{1 - ranks.rank(), received.data(), 100};
    for (int call = 1; call <= 1000; ++call) {
      sent.fill(static_cast<std::byte>(call));
      exchange->execute({{&send, 1}, {&receive, 1}});
      if (sent != received) throw Error(ErrorCode::misuse, "wrong data");
    }
  });
  for (const Rank rank : {0, 1}) EXPECT_TRUE(codes[index(rank)] == 0 || codes[index(rank)] == 1) << codes[index(rank)];
}

// ---- While a long message is copied once from rank 0 to rank 1

// Rank 1 receives into this memory. Its second half is out of reach at first. So the copy stops in the middle, and a signal
// handler kills one of the ranks.
struct Trap {
  std::byte* memory;
  Bytes bytes;
  pid_t victim;
} trap;

void on_fault(int) {
  ::kill(trap.victim, SIGKILL);
  ::mprotect(trap.memory + trap.bytes / 2, index(trap.bytes / 2), PROT_READ | PROT_WRITE);
}

TEST(KilledRank, MayBeKilledInTheMiddleOfACopy) {
  for (const Rank victim : {0, 1}) {
    const auto codes = codes_of_processes(
        2,
        [&](SharedCommunicator& ranks) {
          constexpr Bytes bytes = 262'144;
          const auto exchange = Exchanger::of(ranks);
          std::array<pid_t, 2> processes{};
          const pid_t own = ::getpid();
          ranks.all_gather(&own, processes.data(), sizeof own);
          if (ranks.rank() == 0) {
            const auto sent = ranks.allocate(bytes);
            std::fill_n(sent.get(), bytes, std::byte{7});
            const Edges::Send send{1, sent.get(), bytes};
            while (true) exchange->execute({{&send, 1}, {}});
          }
          void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
          trap = {static_cast<std::byte*>(memory), bytes, processes[index(victim)]};
          ::mprotect(trap.memory + bytes / 2, bytes / 2, PROT_NONE);
          std::signal(SIGSEGV, on_fault);
          const Edges::Receive receive{0, trap.memory, bytes};
          exchange->execute({{}, {&receive, 1}});
          if (std::count(trap.memory, trap.memory + bytes, std::byte{7}) != bytes) throw Error(ErrorCode::misuse, "wrong data");
          while (true) exchange->execute({{}, {&receive, 1}});
        },
        costs_of_copying_once(0));
    std::vector<int> expected{0, 0};
    expected[index(victim)] = -SIGKILL;
    EXPECT_EQ(codes, expected) << victim;
  }
}

// The same for private memory, which the system copies in one call. The survivor kills the other rank some time after it has begun:
// before, during or after the copy.
TEST(KilledRank, MayBeKilledAtAnyTimeOfACopyByTheSystem) {
  constexpr Bytes bytes = 16 << 20;
  for (const Rank victim : {0, 1})
    for (const int delay_us : {0, 300, 1000, 2000, 3000, 5000}) {
      const auto codes = codes_of_processes(
          2,
          [&](SharedCommunicator& ranks) {
            const auto exchange = Exchanger::of(ranks);
            std::array<pid_t, 2> processes{};
            const pid_t own = ::getpid();
            ranks.all_gather(&own, processes.data(), sizeof own);
            const bool sends = ranks.rank() == 0;
            std::vector<std::byte> memory(index(bytes), sends ? std::byte{7} : std::byte{0});
            const Edges::Send send{1, memory.data(), bytes};
            const Edges::Receive receive{0, memory.data(), bytes};
            const Edges edges{{&send, sends ? 1u : 0u}, {&receive, sends ? 0u : 1u}};
            ranks.barrier();
            std::thread killer;
            if (ranks.rank() != victim)
              killer = std::thread([&] {
                std::this_thread::sleep_for(std::chrono::microseconds(delay_us));
                ::kill(processes[index(victim)], SIGKILL);
              });
            try {
              while (true) {
                exchange->execute(edges);
                if (std::count(memory.begin(), memory.end(), std::byte{7}) != bytes) throw Error(ErrorCode::misuse, "wrong data");
              }
            } catch (...) {
              if (killer.joinable()) killer.join();
              throw;
            }
          },
          costs_of_copying_once(0));
      std::vector<int> expected{0, 0};
      expected[index(victim)] = -SIGKILL;
      EXPECT_EQ(codes, expected) << victim << ", " << delay_us << " us";
    }
}

}  // namespace
}  // namespace quadrille
