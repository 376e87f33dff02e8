// SPDX-License-Identifier: BSD-3-Clause
// Tests how the ranks of a group wait for each other in shared memory: which rank is woken, what ends a wait, when memory is
// released.
#include "execute/shared/wait/space.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <new>
#include <set>
#include <thread>

#include "quadrille/indexed.hpp"
#include "support/simulated_time.hpp"

namespace quadrille {
namespace {

constexpr Rank ranks = 3;

// Ranks of this process that share all of its memory.
class TestSpace : public SharedSpace {
 public:
  using SharedSpace::SharedSpace;

  std::byte* at(Offset offset) const override { return reinterpret_cast<std::byte*>(offset); }
  Offset offset_of(const void* memory) const override { return reinterpret_cast<Offset>(memory); }
  Offset allocate(Bytes bytes) override { return *allocated.insert(offset_of(::operator new(index(bytes)))).first; }
  Offset allocate_control(Bytes bytes) override { return allocate(bytes); }
  void release(Offset offset) override {
    EXPECT_EQ(allocated.erase(offset), 1u);
    ::operator delete(at(offset));
  }
  bool reads_private_memory() const override { return false; }
  void read_private(Rank, const void*, std::span<const TargetPiece>) override {}
  bool is_there(Rank rank) const override { return rank != gone; }

  std::set<Offset> allocated;
  std::atomic<Rank> gone = anybody;  // a rank that has ended without leaving the group
};

class SharedSpaceTest : public ::testing::Test {
 protected:
  SharedSpaceTest() : memory_(static_cast<std::size_t>(SpaceHead::bytes(ranks)) / sizeof(SpaceHead) + 1) {
    head_ = SharedSpace::make_head(memory_.data(), ranks);
    for (Rank rank = 0; rank < ranks; ++rank) spaces_.push_back(std::make_unique<TestSpace>(head_, rank, ranks));
  }

  TestSpace& space(Rank rank) { return *spaces_[static_cast<std::size_t>(rank)]; }

  // With fewer cores than ranks a rank sleeps until it is woken.
  void set_core_count(Count cores) {
    for (const auto& space : spaces_) space->set_core_count(cores);
  }

  std::uint32_t rings_of(Rank rank) const { return SharedSpace::rank_area_of(head_, rank).doorbell.load(); }

  // Returns whether the rank has announced that it sleeps.
  bool is_asleep(Rank rank) const {
    return reinterpret_cast<const Awaited*>(&SharedSpace::rank_area_of(head_, ranks))[rank].load() != 0;
  }
  void wait_until_asleep(Rank rank) const {
    while (!is_asleep(rank)) std::this_thread::yield();
  }

  // Runs `part` on all ranks. Returns by rank the error that it throws, or nothing.
  std::vector<std::optional<Error>> on_all_ranks(const std::function<void(TestSpace&)>& part) {
    std::vector<std::optional<Error>> errors(static_cast<std::size_t>(ranks));
    std::vector<std::thread> threads;
    for (Rank rank = 0; rank < ranks; ++rank)
      threads.emplace_back([&, rank] {
        try {
          part(space(rank));
        } catch (const Error& error) {
          errors[static_cast<std::size_t>(rank)] = error;
        }
      });
    for (std::thread& thread : threads) thread.join();
    return errors;
  }

  std::vector<SpaceHead> memory_;
  SpaceHead* head_ = nullptr;
  std::vector<std::unique_ptr<TestSpace>> spaces_;
};

const auto never = [] { return false; };
const auto for_rank_1 = [] { return Rank{1}; };

TEST_F(SharedSpaceTest, WaitsUntilDoneAndDoesNotAskAgain) {
  for (const Count cores : {Count{1}, Count{ranks}}) {
    set_core_count(cores);
    std::atomic<bool> sent = false;
    int answers = 0;
    std::thread waiting([&] { space(0).wait_until([&] { return sent && ++answers; }, for_rank_1); });
    if (cores == 1) wait_until_asleep(0);
    sent = true;
    space(1).ring(0);
    waiting.join();
    EXPECT_EQ(answers, 1) << cores;
  }
}

// Between announcing its sleep and sleeping, a rank checks its condition once more. If it holds, the rank does not check it again.
TEST_F(SharedSpaceTest, DoesNotAskAgainIfDoneBeforeItSleeps) {
  set_core_count(1);
  int answers = 0;
  const auto done_before_sleep = [&] {
    if (answers == 0 && !is_asleep(0)) return false;
    ++answers;
    return true;
  };
  space(0).wait_until(done_before_sleep, for_rank_1);
  EXPECT_EQ(answers, 1);
  EXPECT_FALSE(is_asleep(0));
}

TEST_F(SharedSpaceTest, WakesOnlyARankThatWaitsForIt) {
  set_core_count(1);
  std::atomic<bool> sent = false;
  std::thread waiting([&] { space(0).wait_until([&] { return sent.load(); }, for_rank_1); });
  wait_until_asleep(0);
  space(2).ring(0);
  EXPECT_EQ(rings_of(0), 0u) << "rank 0 waits for rank 1, so rank 2 does not wake it";
  while (rings_of(0) == 0) space(1).ring(0);  // a ring between two sleeps does nothing
  sent = true;
  space(1).ring(0);
  waiting.join();
  EXPECT_EQ(rings_of(1) + rings_of(2), 0u) << "no other rank sleeps";
}

TEST_F(SharedSpaceTest, NoDoorbellIsRungIfEveryRankHasACore) {
  set_core_count(ranks);
  reinterpret_cast<Awaited*>(&SharedSpace::rank_area_of(head_, ranks))[0].store(Rank{1} + 2);
  space(1).ring(0);
  space(1).ring_all();
  EXPECT_EQ(rings_of(0), 0u);
  set_core_count(1);
  space(1).ring_all();
  EXPECT_EQ(rings_of(0), 1u);
}

TEST_F(SharedSpaceTest, AFailureEndsEveryWaitWithTheFirstReason) {
  for (const Count cores : {Count{1}, Count{ranks}}) {
    head_ = SharedSpace::make_head(memory_.data(), ranks);
    set_core_count(cores);
    const auto errors = on_all_ranks([&](TestSpace& space) {
      if (space.rank() == 2) space.fail(Error(ErrorCode::too_large, "no memory"));
      space.wait_until(never, for_rank_1);
    });
    for (const auto& error : errors) {
      ASSERT_TRUE(error);
      EXPECT_STREQ(error->what(), "no memory");
      EXPECT_EQ(error->code(), ErrorCode::too_large);
    }
    EXPECT_THROW(
        {
          try {
            space(0).fail(Error(ErrorCode::misuse, "another reason"));
          } catch (const Error& error) {
            EXPECT_STREQ(error.what(), "no memory");
            throw;
          }
        },
        Error);
  }
}

TEST_F(SharedSpaceTest, AConditionThatHeldBeforeAFailureCounts) {
  set_core_count(ranks);
  int asked = 0;
  const auto done_when_asked_again = [&] { return ++asked > 1; };
  space(1).fail();
  space(0).wait_until(done_when_asked_again, for_rank_1);
  asked = 0;
  LongSince looks(std::chrono::seconds(1));
  EXPECT_TRUE(space(0).poll(done_when_asked_again, for_rank_1, looks));
  EXPECT_THROW(space(0).poll(never, for_rank_1, looks), Error);
  EXPECT_THROW(space(0).poll_until(never, SharedSpace::Driving::no), Error);
}

TEST_F(SharedSpaceTest, PollsDriveProgressUnlessTheConditionDoes) {
  static int polls;
  space(0).set_progress({.poll = [] { return ++polls > 0; }});
  for (const auto& [driving, expected] : {std::pair(SharedSpace::Driving::no, 3), std::pair(SharedSpace::Driving::as_usual, 0),
                                          std::pair(SharedSpace::Driving::without_yielding, 0)}) {
    int asked = 0;
    polls = 0;
    space(0).poll_until([&] { return ++asked > 3; }, driving);
    EXPECT_EQ(polls, expected);
  }
}

TEST_F(SharedSpaceTest, PollsThatYieldTellOfSharedCores) {
  set_core_count(ranks);
  EXPECT_FALSE(space(0).shares_core());
  space(0).set_progress({.polls_yield = [] { return false; }});
  EXPECT_FALSE(space(0).shares_core());
  space(0).set_progress({.polls_yield = [] { return true; }});
  EXPECT_TRUE(space(0).shares_core());
  set_core_count(ranks - 1);
  EXPECT_TRUE(space(1).shares_core());
}

TEST_F(SharedSpaceTest, AWaitForARankThatHasLeftEnds) {
  const testing::SimulatedTime time;
  for (const Count cores : {Count{1}, Count{ranks}}) {
    head_ = SharedSpace::make_head(memory_.data(), ranks);
    set_core_count(cores);
    space(1).leave();
    std::thread([&] { EXPECT_THROW(space(0).wait_until(never, for_rank_1), Error); }).join();
    EXPECT_TRUE(space(2).has_failed()) << "the other ranks must not wait for this one";
  }
}

TEST_F(SharedSpaceTest, ARankThatIsGoneFailsTheGroup) {
  const testing::SimulatedTime time;
  set_core_count(1);
  space(0).gone = 2;
  space(0).set_names({10, 11, 12});
  std::thread([&] {
    try {
      space(0).wait_until(never, for_rank_1);
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::peer_lost);
      EXPECT_STREQ(error.what(), "rank 12 of the group is gone");
    }
  }).join();
  EXPECT_TRUE(space(1).has_failed());
}

TEST_F(SharedSpaceTest, RetiredMemoryIsReleasedWhenItIsUnused) {
  bool over = false;
  space(0).retire(space(0).allocate(64), [&] { return over; });
  space(0).retire(space(0).allocate(64), [] { return true; });
  EXPECT_EQ(space(0).allocated.size(), 1u);
  space(0).release_retired();
  EXPECT_EQ(space(0).allocated.size(), 1u);
  over = true;
  space(0).release_retired();
  EXPECT_EQ(space(0).allocated.size(), 0u);
}

// Gathers through rank areas, in parts of RankArea::size bytes; more than 16 such parts go through memory that the ranks allocate.
TEST_F(SharedSpaceTest, GathersAnyNumberOfBytes) {
  set_core_count(1);
  for (const Bytes count :
       {Bytes{1}, RankArea::size, RankArea::size + 1, 16 * RankArea::size, 16 * RankArea::size + 1, Bytes{100'000}}) {
    const auto errors = on_all_ranks([&](TestSpace& space) {
      std::vector<std::uint8_t> mine(index(count)), all(index(ranks * count));
      for (Bytes i = 0; i < count; ++i) mine[index(i)] = static_cast<std::uint8_t>(i * 7 + space.rank());
      space.all_gather(mine.data(), all.data(), count);
      for (Rank rank = 0; rank < ranks; ++rank)
        for (Bytes i = 0; i < count; ++i) ASSERT_EQ(all[index(rank * count + i)], static_cast<std::uint8_t>(i * 7 + rank));
    });
    for (const auto& error : errors) EXPECT_FALSE(error) << error->what();
    for (Rank rank = 0; rank < ranks; ++rank) EXPECT_TRUE(space(rank).allocated.empty()) << count;
  }
}

TEST_F(SharedSpaceTest, RanksInDifferentCallsGetAnError) {
  set_core_count(1);
  const auto errors = on_all_ranks([&](TestSpace& space) {
    std::uint64_t mine = 0, all[ranks];
    if (space.rank() == 1) return space.barrier();
    space.all_gather(&mine, all, sizeof mine);
  });
  for (const auto& error : errors) {
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::misuse);
    EXPECT_EQ(std::string(error->what()).find("ranks 0 and 1 have met in different calls"), 0u) << error->what();
  }
}

}  // namespace
}  // namespace quadrille
