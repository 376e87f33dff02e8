// SPDX-License-Identifier: BSD-3-Clause
// Comparing the calls of ranks in a shared table, by one process and by several.
#include "mpi_face/report/call_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <random>
#include <thread>
#include <vector>

#include "foundation/hash.hpp"
#include "quadrille/error.hpp"
#include "support/own_folder.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr std::uint64_t our_communicator = 0x1234567;
constexpr std::size_t places = 1024, probes = 8;  // of the table

// A hash of what must be equal on all ranks.
struct Call {
  std::uint64_t function = 1, root = 0, operation = 4, bytes = 64;
  std::uint32_t hash() const {
    std::uint64_t hash = hash_with(function, root);
    hash = hash_with(hash, operation);
    return static_cast<std::uint32_t>(hash_with(hash, bytes));
  }
};

class CallChecksTest : public testing::OwnFolder {
 protected:
  std::string path() const { return (place_ / "host.calls").string(); }
};

TEST_F(CallChecksTest, EqualCallsAgreeInAnyOrderOfArrival) {
  constexpr std::uint64_t ranks = 4, calls = 40;
  CallChecks checks(path());
  std::vector<std::pair<std::uint64_t, std::uint64_t>> arrivals;  // rank and number; within 64 calls, any order is possible
  for (std::uint64_t rank = 0; rank < ranks; ++rank)
    for (std::uint64_t number = 1; number <= calls; ++number) arrivals.emplace_back(rank, number);
  std::shuffle(arrivals.begin(), arrivals.end(), std::mt19937_64(1));
  for (const auto& [rank, number] : arrivals)
    EXPECT_TRUE(checks.agrees(our_communicator, number, Call{.bytes = 8 * number}.hash(), 3))
        << "rank " << rank << ", call " << number;
}

TEST_F(CallChecksTest, OtherArgumentsDisagree) {
  CallChecks checks(path());
  EXPECT_TRUE(checks.agrees(our_communicator, 7, Call{}.hash(), 3));
  EXPECT_FALSE(checks.agrees(our_communicator, 7, Call{.function = 2}.hash(), 3));
  EXPECT_FALSE(checks.agrees(our_communicator, 7, Call{.root = 1}.hash(), 3));
  EXPECT_FALSE(checks.agrees(our_communicator, 7, Call{.operation = 5}.hash(), 3));
  EXPECT_FALSE(checks.agrees(our_communicator, 7, Call{.bytes = 65}.hash(), 3));
  EXPECT_FALSE(checks.agrees(our_communicator, 7, Call{}.hash(), 4)) << "another element";
  EXPECT_TRUE(checks.agrees(our_communicator, 7, Call{}.hash(), 3)) << "the first call still counts";
  EXPECT_TRUE(checks.agrees(our_communicator, 8, Call{.function = 2}.hash(), 4)) << "another number";
  EXPECT_TRUE(checks.agrees(our_communicator + 1, 7, Call{.function = 2}.hash(), 4)) << "another communicator";
}

TEST_F(CallChecksTest, ElementZeroMatchesAll) {
  CallChecks checks(path());
  EXPECT_TRUE(checks.agrees(our_communicator, 1, Call{}.hash(), 0));
  EXPECT_TRUE(checks.agrees(our_communicator, 1, Call{}.hash(), 9));
  EXPECT_TRUE(checks.agrees(our_communicator, 2, Call{}.hash(), 9));
  EXPECT_TRUE(checks.agrees(our_communicator, 2, Call{}.hash(), 0));
  EXPECT_FALSE(checks.agrees(our_communicator, 1, Call{.root = 1}.hash(), 0));
  EXPECT_TRUE(checks.agrees(our_communicator, 3, 0, 0));
  EXPECT_FALSE(checks.agrees(our_communicator, 3, 1, 0)) << "a hash may be 0, too";
}

TEST_F(CallChecksTest, CallsThatAre64BehindAreNotCompared) {
  CallChecks checks(path());
  for (std::uint64_t number = 1; number <= 65; ++number) EXPECT_TRUE(checks.agrees(our_communicator, number, Call{}.hash(), 3));
  EXPECT_FALSE(checks.agrees(our_communicator, 2, Call{.root = 1}.hash(), 3)) << "63 behind";
  EXPECT_TRUE(checks.agrees(our_communicator, 1, Call{.root = 1}.hash(), 3)) << "64 behind";
  EXPECT_FALSE(checks.agrees(our_communicator, 65, Call{.root = 1}.hash(), 3)) << "the call that is behind has not taken its place";
}

TEST_F(CallChecksTest, NumbersWrap) {
  CallChecks checks(path());
  constexpr std::uint64_t wrap = 1 << 24;
  EXPECT_TRUE(checks.agrees(our_communicator + 1, wrap, Call{}.hash(), 3)) << "the first call";
  for (std::uint64_t number = wrap - 100; number < wrap + 100; ++number) {
    EXPECT_TRUE(checks.agrees(our_communicator, number, Call{.bytes = number}.hash(), 3)) << number;
    EXPECT_TRUE(checks.agrees(our_communicator, number, Call{.bytes = number}.hash(), 3)) << number;
    EXPECT_FALSE(checks.agrees(our_communicator, number, Call{.bytes = number + 1}.hash(), 3)) << number;
    EXPECT_TRUE(checks.agrees(our_communicator, number - 64, Call{.root = 1}.hash(), 3)) << "64 behind " << number;
  }
}

TEST_F(CallChecksTest, CommunicatorsWithTheSamePlaceAreApart) {
  CallChecks checks(path());
  for (std::size_t k = 0; k < probes; ++k) EXPECT_TRUE(checks.agrees(5 + k * places, 1, Call{.root = k}.hash(), 3));
  for (std::size_t k = 0; k < probes; ++k) {
    EXPECT_TRUE(checks.agrees(5 + k * places, 1, Call{.root = k}.hash(), 3));
    EXPECT_FALSE(checks.agrees(5 + k * places, 1, Call{.root = k + 1}.hash(), 3));
  }
  EXPECT_TRUE(checks.agrees(5 + probes * places, 1, Call{}.hash(), 3));
  EXPECT_TRUE(checks.agrees(5 + probes * places, 1, Call{.root = 1}.hash(), 3)) << "no place is left, so it is not compared";
  EXPECT_TRUE(checks.agrees(places - 1, 1, Call{}.hash(), 3));
  EXPECT_TRUE(checks.agrees(2 * places - 1, 1, Call{.root = 1}.hash(), 3));
  EXPECT_FALSE(checks.agrees(2 * places - 1, 1, Call{.root = 2}.hash(), 3)) << "places go on at the beginning of the table";
}

TEST_F(CallChecksTest, AFullTableComparesWhatItHas) {
  CallChecks checks(path());
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> communicators(4 * places);
  for (std::uint64_t& each : communicators) each = random() | 1;
  for (const std::uint64_t each : communicators) EXPECT_TRUE(checks.agrees(each, 1, Call{}.hash(), 3));
  std::size_t compared = 0;
  for (const std::uint64_t each : communicators) compared += !checks.agrees(each, 1, Call{.root = 1}.hash(), 3);
  EXPECT_GT(compared, places * 9 / 10);
  EXPECT_LE(compared, places);
}

TEST_F(CallChecksTest, SeveralObjectsShareTheFile) {
  CallChecks first(path()), second(path());
  EXPECT_TRUE(first.agrees(our_communicator, 1, Call{}.hash(), 3));
  EXPECT_FALSE(second.agrees(our_communicator, 1, Call{.root = 1}.hash(), 3));
  EXPECT_EQ(std::filesystem::status(path()).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(CallChecksTest, SaysWhyTheTableCannotBeMade) {
  std::filesystem::create_symlink("elsewhere", path());
  const auto reason_for = [](const std::string& place) {
    try {
      CallChecks checks(place);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::environment);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(reason_for(path()), ::testing::HasSubstr("Too many levels of symbolic links"));
  EXPECT_THAT(reason_for((place_ / "none" / "host.calls").string()), ::testing::HasSubstr("No such file or directory"));
  EXPECT_THAT(reason_for("/dev/full"), ::testing::HasSubstr("No such device")) << "posix_fallocate(3) does not set errno";
}

// Processes, each with threads that stand for ranks. They call in step, but for a part of the 64 calls that are remembered. A rank
// plants a mismatch, which the later of the two ranks must find.
class CrowdTest : public CallChecksTest {
 protected:
  static constexpr std::uint64_t processes = 3, threads = 2, ranks = processes * threads, calls = 100'000;

  struct Progress {
    std::array<std::atomic<std::uint64_t>, ranks> begun;
    std::atomic<std::uint64_t> alarms, first_alarm;
  };

  // Returns the number of alarms. `planted`: the number of the call in which rank 2 has another root; 0: none.
  std::pair<std::uint64_t, std::uint64_t> alarms(std::uint64_t planted) {
    std::filesystem::remove(path());
    auto* const progress =
        static_cast<Progress*>(::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    EXPECT_NE(static_cast<void*>(progress), MAP_FAILED);
    std::vector<pid_t> children;
    for (std::uint64_t process = 0; process < processes; ++process) {
      const pid_t child = ::fork();
      if (child == 0) {
        run(process, planted, *progress);
        ::_exit(0);
      }
      children.push_back(child);
    }
    for (const pid_t child : children) {
      int status = -1;
      EXPECT_EQ(::waitpid(child, &status, 0), child);
      EXPECT_EQ(status, 0);
    }
    const std::pair<std::uint64_t, std::uint64_t> found{progress->alarms, progress->first_alarm};
    ::munmap(progress, sizeof(Progress));
    return found;
  }

 private:
  void run(std::uint64_t process, std::uint64_t planted, Progress& progress) const {
    CallChecks checks(path());
    std::vector<std::thread> all;
    for (std::uint64_t rank = process * threads; rank < (process + 1) * threads; ++rank)
      all.emplace_back([&, rank] {
        for (std::uint64_t number = 1; number <= calls; ++number) {
          // No rank is 60 calls ahead of another one.
          while (std::any_of(progress.begun.begin(), progress.begun.end(), [&](const auto& each) { return each + 60 < number; }))
            std::this_thread::yield();
          const std::uint64_t root = rank == 2 && number == planted ? 1 : 0;
          const auto element = static_cast<std::uint8_t>((rank + number) % 5 == 0 ? 0 : 3);
          if (!checks.agrees(our_communicator, number, Call{.root = root, .bytes = number}.hash(), element) &&
              ++progress.alarms == 1)
            progress.first_alarm = number;
          progress.begun[rank] = number;
        }
      });
    for (std::thread& each : all) each.join();
  }
};

TEST_F(CrowdTest, EqualCallsGiveNoAlarm) { EXPECT_EQ(alarms(0).first, 0u); }

TEST_F(CrowdTest, OneMismatchIsAlwaysFound) {
  for (const std::uint64_t planted : {std::uint64_t{1}, std::uint64_t{4711}, calls}) {
    const auto [count, number] = alarms(planted);
    EXPECT_GE(count, 1u) << "call " << planted;
    EXPECT_LT(count, ranks) << "call " << planted;
    EXPECT_EQ(number, planted);
  }
}

}  // namespace
}  // namespace quadrille::mpi_face
