// SPDX-License-Identifier: BSD-3-Clause
// Watchers of a run whose ranks are processes that sleep. The test writes the ranks' calls, and says what time it is.
#include "watch/watcher.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "foundation/system/proc.hpp"
#include "support/watched_record.hpp"

namespace quadrille::command {
namespace {

namespace fs = std::filesystem;
using namespace quadrille::testing;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

constexpr std::uint64_t run_number = 4711;

std::uint64_t ticks_in(double seconds) {
  static const double rate = [] {
    const TickMoment begin = TickMoment::now();
    ::usleep(20'000);
    return tick_rate(begin, TickMoment::now());
  }();
  return static_cast<std::uint64_t>(seconds * rate);
}

TickMoment start_of_run() {
  const TickMoment now = TickMoment::now();
  return {now.ticks - ticks_in(100), now.monotonic_ns - 100'000'000'000};
}

// A rank: its process, its counters and its watcher. It began 100 s ago.
class WatchedRank {
 public:
  WatchedRank(const std::string& folder, Rank rank, Count world_size)
      : record_({.path = fmt::format("{}/rank-{}.counters", folder, rank),
                 .world_rank = rank,
                 .world_size = world_size,
                 .functions = watched_functions,
                 .run = run_number,
                 .start = start_of_run(),
                 .is_watched = true}),
        process_(::fork()) {
    if (process_ == 0) {
      ::execlp("sleep", "sleep", "1000", nullptr);
      ::_exit(127);
    }
    record_.add_communicator("MPI_COMM_WORLD", first_ranks(world_size));
    patch(offsetof(RecordHeader, process), std::int64_t{process_});
  }
  ~WatchedRank() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  WatchedRank(const WatchedRank&) = delete;
  WatchedRank& operator=(const WatchedRank&) = delete;

  template <class Value>
  void patch(std::size_t member, const Value& value) {
    const Descriptor file(::open(record_.path().c_str(), O_WRONLY | O_CLOEXEC));
    EXPECT_EQ(::pwrite(file.number(), &value, sizeof value, static_cast<off_t>(member)), static_cast<ssize_t>(sizeof value));
  }

  // The rank has entered a call, or left it, or both, so many seconds ago.
  void enter(std::string_view function, double ago = 20, RingEntry more = {.root = RingEntry::none}) {
    more.begin_ticks = ticks() - ticks_in(ago);
    inside_ = &record_.ring().begin_collective(call(function, ++number_, more));
  }
  void leave(double ago) { record_.ring().leave(*inside_, ticks() - ticks_in(ago)); }
  void make(std::string_view function, double ago) { enter(function, ago), leave(ago); }

  void watch(const WatchPlan& plan, std::optional<Listener> listener = {}) {
    watcher_ = std::make_unique<Watcher>(process_, plan, std::move(listener));
  }
  std::unique_ptr<Watcher>& watcher() { return watcher_; }
  pid_t process() const { return process_; }
  Record& record() { return record_; }
  WatchPage& page() { return record_.ring().page(); }

 private:
  Record record_;
  pid_t process_;
  std::uint64_t number_ = 0;
  RingEntry* inside_ = nullptr;
  std::unique_ptr<Watcher> watcher_;
};

class WatcherTest : public OwnFolder {
 protected:
  // Makes ranks with watchers, of a node with a folder of its own.
  void start(std::initializer_list<Rank> ranks, Count world_size, const std::string& node = "node") {
    fs::create_directory(folder(node));
    for (const Rank rank : ranks) {
      ranks_.push_back(std::make_unique<WatchedRank>(folder(node), rank, world_size));
      ranks_.back()->watch(plan(node));
      ranks_.back()->make("Barrier", 60);
    }
  }

  std::string folder(const std::string& node = "node") const { return (place_ / node).string(); }
  WatchPlan plan(const std::string& node = "node") const {
    return {.limit_s = 10, .folder = folder(node), .name = folder(node) + "/run", .run = run_number};
  }
  std::string text(const std::string& node = "node") const {
    std::ostringstream text;
    text << std::ifstream(folder(node) + "/run.hang.txt").rdbuf();
    return text.str();
  }
  WatchedRank& at(std::size_t index) { return *ranks_[index]; }

  // Lets the watchers watch for a time, and returns what they print. `act` is called before each tick.
  std::string watched(double seconds, const std::function<void()>& act = nullptr) {
    ::testing::internal::CaptureStderr();
    for (const auto end = now_ + std::chrono::duration<double>(seconds); now_ < end; now_ += step_) {
      if (act) act();
      for (const auto& each : ranks_)
        if (each->watcher()) each->watcher()->tick(now_);
    }
    return ::testing::internal::GetCapturedStderr();
  }

  std::string ended(std::size_t index, int status, bool was_told_to_end = false) {
    ::testing::internal::CaptureStderr();
    at(index).watcher()->end(status, was_told_to_end);
    at(index).watcher().reset();
    return ::testing::internal::GetCapturedStderr();
  }

  std::vector<std::unique_ptr<WatchedRank>> ranks_;
  Watcher::Time now_{std::chrono::hours(1)};
  std::chrono::milliseconds step_ = Watcher::pace;
};

std::size_t count_of(const std::string& words, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(words); at != text.npos; at = text.find(words, at + 1)) ++count;
  return count;
}

constexpr auto hangs = "quadrille: no collective on MPI_COMM_WORLD has ended";

TEST_F(WatcherTest, AHangGivesOneMessageAndTwoFiles) {
  start({0, 1, 2, 3}, 4);
  EXPECT_EQ(watched(5), "");
  for (const std::size_t i : {0, 1, 3}) at(i).enter("Allreduce", 20, {.bytes = 8, .root = RingEntry::none});
  bool asks_for_stacks = false;
  const std::string message = watched(3, [&] { asks_for_stacks |= at(2).page().wanted & 1; });
  EXPECT_EQ(count_of(hangs, message), 1u) << message;
  EXPECT_THAT(message, HasSubstr("ranks 0, 1, 3"));
  EXPECT_THAT(message, HasSubstr("rank 2"));
  EXPECT_THAT(message, HasSubstr("Allreduce"));
  EXPECT_TRUE(asks_for_stacks);
  EXPECT_EQ(text(), message);
  EXPECT_GT(fs::file_size(folder() + "/run.hang.json"), 100u);
  EXPECT_EQ(watched(60), "") << "nothing has changed";
  EXPECT_FALSE(at(0).watcher()->aborts());
}

TEST_F(WatcherTest, ARankThatBeginsLateIsKnown) {
  start({0}, 2);
  EXPECT_EQ(watched(0.2), "");
  start({1}, 2);
  at(0).enter("Barrier", 20);
  const std::string message = watched(5);
  EXPECT_THAT(message, HasSubstr("rank 1"));
  EXPECT_THAT(message, Not(HasSubstr("has not answered")));
}

TEST_F(WatcherTest, ANewHangGivesANewMessage) {
  start({0, 1}, 2);
  at(0).enter("Bcast", 40);
  EXPECT_EQ(count_of(hangs, watched(5)), 1u);
  at(1).make("Bcast", 30), at(0).leave(30);
  EXPECT_EQ(watched(20), "");
  at(1).enter("Reduce", 90);
  const std::string message = watched(15);
  EXPECT_EQ(count_of(hangs, message), 1u);
  EXPECT_THAT(message, HasSubstr("Reduce"));
}

TEST_F(WatcherTest, ARankThatIsLateAgainIsNamedIfItIsTwiceAsLate) {
  start({0, 1}, 2);
  at(0).enter("Bcast", 20);
  EXPECT_EQ(count_of(hangs, watched(5)), 1u);
  for (const double ago : {20., 38.}) {
    at(1).make("Bcast", 60), at(0).leave(60);
    at(0).enter("Bcast", ago);
    EXPECT_EQ(watched(15), "") << ago;
  }
  at(1).make("Bcast", 60), at(0).leave(60);
  at(0).enter("Bcast", 45);
  EXPECT_EQ(count_of(hangs, watched(15)), 1u);
}

TEST_F(WatcherTest, ProgressGivesNoMessage) {
  start({0, 1, 2}, 3);
  EXPECT_EQ(watched(30,
                    [&] {
                      for (const auto& each : ranks_) each->make("Barrier", 0);
                    }),
            "");
  at(0).enter("Barrier", 3);
  EXPECT_EQ(watched(30), "") << "not long enough";
  EXPECT_FALSE(fs::exists(folder() + "/run.hang.txt"));
}

// The ranks go on while the watchers ask each other.
TEST_F(WatcherTest, ProgressAfterTheQuestionGivesNoMessage) {
  start({0, 1}, 2);
  EXPECT_EQ(watched(1), "");
  at(0).enter("Barrier");
  at(0).watcher()->tick(now_);
  at(1).make("Barrier", 0), at(0).leave(0);
  EXPECT_EQ(watched(30), "");
}

TEST_F(WatcherTest, OneWatcherOfANodeWithoutRank0Speaks) {
  start({4, 5, 6}, 8);
  at(1).enter("Barrier", 40);
  const std::string message = watched(5);
  EXPECT_EQ(count_of(hangs, message), 1u) << message;
  EXPECT_TRUE(fs::exists(folder() + "/" + host_name() + ".watcher"));
  at(0).make("Barrier", 30), at(2).make("Barrier", 30), at(1).leave(30);
  ended(0, 0);
  at(1).enter("Bcast");
  EXPECT_EQ(count_of(hangs, watched(15)), 1u) << "another one has the lock now";
}

// Its file appears after another rank's watcher has begun to collect.
TEST_F(WatcherTest, TheWatcherOfRank0CollectsAsSoonAsItIsThere) {
  start({1, 2}, 3);
  EXPECT_EQ(watched(3), "");
  start({0}, 3);
  EXPECT_EQ(watched(3), "");
  at(0).enter("Barrier");
  for (int i = 0; i < 3; ++i, now_ += Watcher::pace)
    for (const std::size_t other : {0, 1}) at(other).watcher()->tick(now_);
  EXPECT_EQ(at(2).page().wanted, 0u) << "they ask no more";
  EXPECT_EQ(count_of(hangs, watched(5)), 1u);
}

TEST_F(WatcherTest, AnEndWithoutFinalizeGivesALine) {
  start({0, 1}, 2);
  EXPECT_EQ(watched(1), "");
  at(1).make("Bcast", 40);
  EXPECT_EQ(ended(1, W_EXITCODE(3, 0)), "quadrille: rank 1 ended with exit code 3 without MPI_Finalize; its last call was Bcast\n");
  EXPECT_EQ(at(1).page().end, 1u + W_EXITCODE(3, 0));
  at(0).make("Bcast", 40), at(0).enter("Barrier");
  EXPECT_THAT(watched(5), HasSubstr("rank 1 ended with exit code 3"));
}

// The watcher has not seen the rank before.
TEST_F(WatcherTest, AnEarlyEndGivesALine) {
  start({0, 1}, 2);
  EXPECT_THAT(ended(0, SIGSEGV), MatchesRegex("quadrille: rank 0 was ended by signal 11 \\(SIGSEGV\\) without MPI_Finalize.*\n"));
}

TEST_F(WatcherTest, OtherEndsGiveNoLine) {
  start({0, 1, 2}, 3);
  EXPECT_EQ(watched(1), "");
  EXPECT_EQ(ended(0, SIGTERM, true), "") << "the launcher has ended it";
  at(1).page().is_finalising = 1;
  EXPECT_EQ(ended(1, 0), "");
  at(2).patch(offsetof(RecordHeader, end_unix_ns), std::int64_t{1});
  EXPECT_EQ(ended(2, W_EXITCODE(1, 0)), "") << "its exit code is its own affair";
  WatchPlan elsewhere = plan();
  elsewhere.folder = (place_ / "none").string();
  at(0).watch(elsewhere);
  EXPECT_EQ(ended(0, W_EXITCODE(1, 0)), "") << "the program uses no MPI";
}

// Rank 1 has been asked while it was in a call, and has finalised since then. Its watcher is slow.
TEST_F(WatcherTest, OldAnswersDoNotCount) {
  start({0, 1, 2}, 3);
  for (const std::size_t i : {0, 1}) at(i).enter("Barrier", 40);
  EXPECT_THAT(watched(5), HasSubstr("ranks 0, 1 "));
  at(2).make("Barrier", 30);
  for (const std::size_t i : {0, 1}) at(i).leave(30);
  at(1).patch(offsetof(RecordHeader, end_unix_ns), std::int64_t{1});
  for (const std::size_t i : {0, 2}) at(i).enter("Bcast");
  const std::unique_ptr<Watcher> slow = std::move(at(1).watcher());
  const std::string message = watched(15);
  EXPECT_EQ(count_of(hangs, message), 1u);
  EXPECT_THAT(message, HasSubstr("rank 1 left early"));
}

TEST_F(WatcherTest, FilesOfOtherRunsAndHostsAreLeftAlone) {
  start({0, 1, 2}, 3);
  at(1).patch(offsetof(RecordHeader, run), run_number + 1);
  char host[64] = "elsewhere";
  at(2).patch(offsetof(RecordHeader, host), host);
  for (const std::size_t i : {1, 2}) at(i).enter("Barrier");
  EXPECT_EQ(watched(20), "");
  EXPECT_EQ(at(1).page().wanted, 0u);
  EXPECT_EQ(at(2).page().wanted, 0u);
  set_words(host, host_name());
  at(2).patch(offsetof(RecordHeader, host), host);
  EXPECT_EQ(watched(20), "") << "the files of other hosts are not opened again";
}

TEST_F(WatcherTest, AHangEndsTheProgramIfThePlanSaysSo) {
  start({0, 1}, 2);
  WatchPlan aborting = plan();
  aborting.aborts = true;
  for (const auto& each : ranks_) each->watch(aborting);
  EXPECT_EQ(watched(5), "");
  EXPECT_FALSE(at(0).watcher()->aborts());
  at(0).enter("Barrier");
  EXPECT_EQ(count_of(hangs, watched(5)), 1u);
  EXPECT_TRUE(at(0).watcher()->aborts());
  EXPECT_EQ(ended(0, SIGTERM), "");
}

TEST_F(WatcherTest, ACallThatDoesNotMatchEndsTheProgramAtOnce) {
  start({0, 1, 2}, 3);
  WatchPlan checking = plan();
  checking.checks = true;
  for (const auto& each : ranks_) each->watch(checking);
  EXPECT_EQ(watched(3), "");
  for (std::size_t i = 0; i < 3; ++i) at(i).enter("Bcast", 0, {.bytes = 8, .root = i == 1 ? 1 : 0, .element = 9});
  EXPECT_EQ(watched(3), "") << "no rank has found it";
  at(1).page().mismatch = 1;
  const std::string message = watched(3);
  EXPECT_THAT(message, HasSubstr("rank 1"));
  EXPECT_THAT(message, HasSubstr("root"));
  EXPECT_EQ(count_of("quadrille:", message), 1u) << message;
  EXPECT_TRUE(at(0).watcher()->aborts());
  EXPECT_EQ(at(1).page().mismatch, 2u);
  EXPECT_EQ(watched(10), "");
}

// Two nodes are two folders here.
class LinkedWatchersTest : public WatcherTest {
 protected:
  void start_nodes(bool checks = false) {
    step_ = std::chrono::milliseconds(50);  // messages wake watchers
    start({0, 1}, 4, "first");
    start({2, 3}, 4, "second");
    Listener listener("127.0.0.1");
    meet(to_text(listener.meeting()));
    for (std::size_t i = 0; i < 4; ++i) {
      WatchPlan its = plan(i < 2 ? "first" : "second");
      its.checks = checks;
      at(i).watch(its, i == 0 ? std::optional(std::move(listener)) : std::nullopt);
    }
  }
  void meet(const std::string& meeting) {
    for (const auto& each : ranks_) set_words(each->page().meeting, meeting);
  }
};

TEST_F(LinkedWatchersTest, TheWatcherOfRank0Speaks) {
  start_nodes();
  EXPECT_EQ(watched(5), "");
  for (const std::size_t i : {2, 3}) at(i).enter("Barrier");
  const std::string message = watched(5);
  EXPECT_EQ(count_of("quadrille:", message), 1u) << message;
  EXPECT_THAT(message, HasSubstr("ranks 2, 3 "));
  EXPECT_THAT(message, HasSubstr("ranks 0, 1 "));
  EXPECT_EQ(text("first"), message);
  EXPECT_EQ(text("second"), "");
  EXPECT_EQ(watched(60), "");
}

// Connections before MPI_Init, such as those of a scan of ports, would let polling return at once.
TEST_F(LinkedWatchersTest, TheListenerIsNotPolled) {
  start_nodes();
  std::vector<pollfd> polled;
  at(0).watcher()->add_polled(polled);
  EXPECT_TRUE(polled.empty());
  EXPECT_EQ(watched(5), "");
  at(0).watcher()->add_polled(polled);
  EXPECT_EQ(polled.size(), 1u) << "the other node's watcher";
}

TEST_F(LinkedWatchersTest, SeesAHangOfItsOwnNode) {
  start_nodes();
  EXPECT_EQ(watched(5), "");
  for (const std::size_t i : {0, 1, 3}) at(i).enter("Barrier");
  const std::string message = watched(5);
  EXPECT_EQ(count_of("quadrille:", message), 1u) << message;
  EXPECT_THAT(message, HasSubstr("ranks 0, 1, 3 "));
  EXPECT_THAT(message, HasSubstr("rank 2 "));
}

// A rank finds a mismatch while its node collects answers that others gave before, when they waited for rank 0 as usual.
TEST_F(LinkedWatchersTest, AnswersFromBeforeAMismatchDoNotCount) {
  start_nodes(true);
  EXPECT_EQ(watched(5), "");
  for (const std::size_t i : {1, 2, 3}) at(i).enter("Barrier", 0.001);
  const std::uint64_t asked = at(0).page().wanted;
  bool is_asked = false;
  const std::string message = watched(15, [&] {
    if (is_asked || at(0).page().wanted == asked) return;
    is_asked = true;
    for (int i = 0; i < 10; ++i)
      for (const std::size_t other : {1, 2, 3}) at(other).watcher()->tick(now_);
    for (const std::size_t i : {1, 2, 3}) at(i).leave(0);
    at(0).make("Barrier", 0);
    for (std::size_t i = 0; i < 4; ++i) at(i).enter("Bcast", 0, {.bytes = 8, .root = i == 1 ? 1 : 0, .element = 9});
    at(1).page().mismatch = 1;
  });
  EXPECT_TRUE(is_asked);
  EXPECT_THAT(message, HasSubstr("the roots of Bcast, call 3, differ: rank 1"));
  EXPECT_EQ(count_of("quadrille:", message), 1u) << message;
}

TEST_F(LinkedWatchersTest, EachNodeSpeaksIfTheyCannotTalk) {
  start_nodes();
  Listener gone("127.0.0.1");
  meet(to_text(gone.meeting()));
  gone = Listener("127.0.0.1");
  at(2).enter("Barrier");
  const std::string message = watched(40);
  EXPECT_EQ(count_of(hangs, message), 1u) << message;
  EXPECT_THAT(message, HasSubstr("the watcher of rank 0 cannot be reached, so this is only what " + host_name() + " sees"));
  EXPECT_EQ(text("first"), "");
  EXPECT_EQ(text("second"), message);
}

}  // namespace
}  // namespace quadrille::command
