// SPDX-License-Identifier: BSD-3-Clause
// Starting processes that share memory without an MPI library, and finding oneself to be one of them.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "execute/shared/children.hpp"
#include "execute/shared/communicator.hpp"
#include "execute/shared/segment.hpp"
#include "quadrille/transports.hpp"

namespace quadrille {
namespace {

constexpr const char* rank_variable = "QUADRILLE_RANK";
constexpr const char* ranks_variable = "QUADRILLE_RANKS";
constexpr const char* segment_variable = "QUADRILLE_SEGMENT";  // a file descriptor

constexpr std::chrono::seconds grace_after_failure{10};  // for ranks that go on when one has failed by itself
constexpr std::chrono::seconds grace_after_signal{1};    // for ranks that were told to stop

using Clock = std::chrono::steady_clock;

// A number from 0 on that a variable holds and nothing else.
template <class Number>
Number number_in(const char* variable) {
  const char* text = std::getenv(variable);
  const std::string_view word = text ? text : "";
  Number number = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size() || number < 0)
    throw Error(ErrorCode::misuse, fmt::format("{} is '{}'; it is set by 'quadrille run' and by nobody else", variable, word));
  return number;
}

// The processes started so far, and what has become of them.
class Family {
 public:
  explicit Family(const Descriptor& segment) : segment_(segment) {
    sigemptyset(&watched_);
    for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&watched_, signal);
    sigprocmask(SIG_BLOCK, &watched_, &before_);
  }
  ~Family() {
    stop(SIGKILL);
    while (!children_.empty()) {
      wait_for_child(children_.back().process, nullptr);
      children_.pop_back();
    }
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;

  void start(Rank rank, Count ranks, const std::vector<char*>& command) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw Error(ErrorCode::environment, fmt::format("no pipe: {}", std::strerror(errno)));
    Descriptor answer(ends[0]), question(ends[1]);
    const pid_t parent = ::getpid(), child = ::fork();
    if (child < 0) throw Error(ErrorCode::environment, fmt::format("rank {} cannot be started: {}", rank, std::strerror(errno)));
    if (child == 0) become(rank, ranks, command, question, parent);
    children_.push_back({child, rank});
    question = Descriptor();
    int error = 0;
    if (::read(answer.number(), &error, sizeof error) == sizeof error)
      throw Error(ErrorCode::misuse, fmt::format("'{}' cannot be run: {}", command[0], std::strerror(error)));
  }

  // The exit code of all: 0, or that of the first that failed.
  int wait() {
    while (!children_.empty()) {
      collect();
      if (children_.empty()) break;
      const timespec moment{0, 100'000'000};
      const int signal = ::sigtimedwait(&watched_, nullptr, &moment);
      if (signal > 0 && signal != SIGCHLD) stop(signal);
      if (Clock::now() > deadline_) {
        stop(told_ ? SIGKILL : SIGTERM);
        give(grace_after_signal);
        told_ = true;
      }
    }
    return result_;
  }

 private:
  struct Child {
    pid_t process;
    Rank rank;
  };

  [[noreturn]] void become(Rank rank, Count ranks, const std::vector<char*>& command, const Descriptor& question, pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) std::_Exit(1);
    kept_.restore();
    sigprocmask(SIG_SETMASK, &before_, nullptr);
    ::fcntl(segment_.number(), F_SETFD, 0);
    ::setenv(rank_variable, std::to_string(rank).c_str(), 1);
    ::setenv(ranks_variable, std::to_string(ranks).c_str(), 1);
    ::setenv(segment_variable, std::to_string(segment_.number()).c_str(), 1);
    ::execvp(command[0], command.data());
    const int error = errno;
    [[maybe_unused]] const auto written = ::write(question.number(), &error, sizeof error);
    std::_Exit(127);
  }

  void give(std::chrono::seconds grace) { deadline_ = Clock::now() + grace; }

  void stop(int signal) {
    for (const Child& child : children_) ::kill(child.process, signal);
  }

  void collect() {
    int status = 0;
    for (auto child = children_.begin(); child != children_.end();) {
      const pid_t found = wait_for_child(child->process, &status, WNOHANG);
      if (found == 0) {
        ++child;
        continue;
      }
      const Rank rank = child->rank;
      SegmentSpace::say_ended(segment_, rank);
      child = children_.erase(child);
      if (found < 0)
        throw Error(
            ErrorCode::environment,
            fmt::format("the exit code of rank {} is lost: another part of this process has waited for its children", rank));
      const bool killed = WIFSIGNALED(status);
      const int code = killed ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
      if (code == 0 || result_ != 0) continue;
      result_ = code;
      give(killed ? std::chrono::seconds(0) : grace_after_failure);
    }
  }

  const ChildrenAreKept kept_;
  sigset_t watched_, before_;
  const Descriptor& segment_;
  std::vector<Child> children_;
  int result_ = 0;
  bool told_ = false;
  Clock::time_point deadline_ = Clock::time_point::max();
};

}  // namespace

int run_ranks(Count ranks, const std::vector<std::string>& command) {
  if (ranks < 1) throw Error(ErrorCode::misuse, "a group needs at least one rank");
  if (command.empty()) throw Error(ErrorCode::misuse, "there is no command to run");
  const Descriptor segment = make_segment(ranks);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  Family family(segment);
  for (Rank rank = 0; rank < ranks; ++rank) family.start(rank, ranks, words);
  return family.wait();
}

std::unique_ptr<Communicator> shared_world() {
  const auto rank = number_in<Rank>(rank_variable);
  const auto ranks = number_in<Count>(ranks_variable);
  const auto number = number_in<int>(segment_variable);
  // Only then may the descriptor be touched: any other belongs to somebody else.
  if (rank >= ranks || !SegmentSpace::is_segment(number, ranks))
    throw Error(
        ErrorCode::misuse,
        fmt::format("there is no group of {} ranks with a rank {} behind the descriptor {} ({}, {} and {} say so); start this "
                    "process by 'quadrille run'",
                    ranks, rank, number, ranks_variable, rank_variable, segment_variable));
  if (::fcntl(number, F_GETFD) & FD_CLOEXEC)  // it was inherited without
    throw Error(ErrorCode::misuse, "this process has already joined the group that it was started in; shared_world is called once");
  ::fcntl(number, F_SETFD, FD_CLOEXEC);
  auto space = SegmentSpace::open(Descriptor(number), rank, ranks);
  space->introduce();
  const CopyCosts costs = measure_copy_costs(*space);
  return std::make_unique<SharedCommunicator>(std::move(space), "shared", costs);
}

}  // namespace quadrille
