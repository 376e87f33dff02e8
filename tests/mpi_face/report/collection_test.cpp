// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/report/collection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace quadrille::mpi_face {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// Delivers messages at given times of a clock that only pause() advances, by a second.
class ScriptedCourier : public Courier {
 public:
  struct Arrival {
    double at_s;
    CourierMessage message;
  };
  explicit ScriptedCourier(std::vector<Arrival> arrivals) : arrivals_(arrivals.begin(), arrivals.end()) {}

  void send(Rank to, std::string text) override { sent.emplace_back(to, std::move(text)); }
  std::optional<CourierMessage> receive() override {
    if (arrivals_.empty() || arrivals_.front().at_s > now) return std::nullopt;
    CourierMessage message = arrivals_.front().message;
    arrivals_.pop_front();
    return message;
  }
  double now_s() override { return now; }
  void pause() override { now += 1; }

  double now = 0;
  std::vector<std::pair<Rank, std::string>> sent;

 private:
  std::deque<Arrival> arrivals_;
};

class NeedsOf : public Collector {
 public:
  explicit NeedsOf(std::string token) : token_(std::move(token)) {}
  bool needs(Rank, const std::string& token) override { return token == token_; }
  bool take(Rank rank, std::string counters) override {
    taken[rank] = std::move(counters);
    return taken[rank] != "too long";
  }

  std::map<Rank, std::string> taken;

 private:
  const std::string token_;
};

TEST(Collection, AsksThoseWhoseCountersItNeeds) {
  ScriptedCourier courier({{1, {2, "tnear"}}, {2, {1, "tfar"}}, {3, {1, "cits counters"}}});
  NeedsOf collector("far");
  collect(courier, 3, collector);
  EXPECT_THAT(courier.sent, ElementsAre(Pair(2, "n"), Pair(1, "y"), Pair(1, "k")));
  EXPECT_THAT(collector.taken, ElementsAre(Pair(1, "its counters")));
}

TEST(Collection, OfOneRankWaitsForNobody) {
  ScriptedCourier courier({});
  NeedsOf collector("");
  collect(courier, 1, collector);
  EXPECT_THAT(courier.sent, IsEmpty());
  EXPECT_EQ(courier.now, 0);
}

TEST(Collection, AnswersUnaskedAfterSomeTime) {
  ScriptedCourier courier({{5, {2, "tfar"}}, {patience_for_tokens_s + 20, {2, "clong"}}});
  NeedsOf collector("far");
  collect(courier, 4, collector);
  EXPECT_THAT(courier.sent, ElementsAre(Pair(2, "y"), Pair(1, "n"), Pair(3, "n"), Pair(2, "k")));
  EXPECT_THAT(collector.taken, ElementsAre(Pair(2, "long")));  // a rank that was asked is waited for
}

TEST(Collection, WaitsNoLongerThanItsPatience) {
  ScriptedCourier courier({{patience_for_tokens_s - 1, {1, "tnear"}}});
  NeedsOf collector("far");
  collect(courier, 3, collector);
  EXPECT_THAT(courier.sent, ElementsAre(Pair(1, "n"), Pair(2, "n")));
  EXPECT_GT(courier.now, patience_for_tokens_s);
  EXPECT_LT(courier.now, patience_for_tokens_s + 3);
}

// Rank 1's token comes after it was answered unasked; it is not answered again.
TEST(Collection, LeavesTokensThatComeTooLate) {
  ScriptedCourier courier({{1, {2, "tfar"}}, {patience_for_tokens_s + 10, {1, "tfar"}}, {patience_for_tokens_s + 20, {2, "c"}}});
  NeedsOf collector("far");
  collect(courier, 3, collector);
  EXPECT_THAT(courier.sent, ElementsAre(Pair(2, "y"), Pair(1, "n"), Pair(2, "k")));
  EXPECT_THAT(collector.taken, ElementsAre(Pair(2, "")));
}

TEST(HandingOver, SendsCountersOnlyIfAsked) {
  ScriptedCourier asked({{300, {0, "y"}}, {301, {0, "k"}}});  // rank 0 may come late
  EXPECT_TRUE(hand_over(asked, "me", [] { return "mine"; }));
  EXPECT_THAT(asked.sent, ElementsAre(Pair(0, "tme"), Pair(0, "cmine")));
  ScriptedCourier declined({{2, {0, "n"}}});
  EXPECT_FALSE(hand_over(declined, "me", [] { return "mine"; }));
  EXPECT_THAT(declined.sent, ElementsAre(Pair(0, "tme")));
}

TEST(HandingOver, TellsIfRankZeroCouldNotKeepTheCounters) {
  ScriptedCourier sender({{1, {0, "y"}}, {2, {0, "l"}}});
  EXPECT_FALSE(hand_over(sender, "me", [] { return "too long"; }));
  ScriptedCourier receiver({{1, {1, "tfar"}}, {2, {1, "ctoo long"}}});
  NeedsOf collector("far");
  collect(receiver, 2, collector);
  EXPECT_THAT(receiver.sent, ElementsAre(Pair(1, "y"), Pair(1, "l")));
}

TEST(HandingOver, SendsNothingIfRankZeroWaitsNoLonger) {
  ScriptedCourier courier({{0, {0, "n"}}});
  EXPECT_FALSE(hand_over(courier, "me", [] { return "mine"; }));
  EXPECT_THAT(courier.sent, IsEmpty());
}

// Ranks are threads that come at random times.
class PostOffice {
 public:
  void put(Rank to, CourierMessage message) {
    const std::lock_guard lock(mutex_);
    boxes_[to].push_back(std::move(message));
  }
  std::optional<CourierMessage> take(Rank rank) {
    const std::lock_guard lock(mutex_);
    if (boxes_[rank].empty()) return std::nullopt;
    CourierMessage message = std::move(boxes_[rank].front());
    boxes_[rank].pop_front();
    return message;
  }

 private:
  std::mutex mutex_;
  std::map<Rank, std::deque<CourierMessage>> boxes_;
};

class ThreadCourier : public Courier {
 public:
  ThreadCourier(PostOffice& office, Rank rank) : office_(office), rank_(rank) {}
  void send(Rank to, std::string text) override { office_.put(to, {rank_, std::move(text)}); }
  std::optional<CourierMessage> receive() override { return office_.take(rank_); }
  double now_s() override { return 0; }
  void pause() override { std::this_thread::yield(); }

 private:
  PostOffice& office_;
  const Rank rank_;
};

TEST(Collection, BringsTheCountersOfAllRanksTogether) {
  for (int run = 0; run < 20; ++run) {
    constexpr Rank ranks = 7;
    PostOffice office;
    NeedsOf collector("far");
    std::vector<std::thread> threads;
    std::mt19937 random(static_cast<unsigned>(run));
    for (Rank rank = 1; rank < ranks; ++rank)
      threads.emplace_back([&, rank, turns = random() % 1000] {
        for (unsigned i = 0; i < turns; ++i) std::this_thread::yield();
        ThreadCourier courier(office, rank);
        EXPECT_EQ(hand_over(courier, rank % 2 ? "far" : "near", [&] { return std::to_string(rank); }), rank % 2 == 1);
      });
    ThreadCourier courier(office, 0);
    collect(courier, ranks, collector);
    for (std::thread& thread : threads) thread.join();
    EXPECT_THAT(collector.taken, ElementsAre(Pair(1, "1"), Pair(3, "3"), Pair(5, "5")));
    for (Rank rank = 0; rank < ranks; ++rank) EXPECT_FALSE(office.take(rank)) << rank;  // no message is left
  }
}

}  // namespace
}  // namespace quadrille::mpi_face
