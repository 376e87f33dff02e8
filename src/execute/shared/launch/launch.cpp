// SPDX-License-Identifier: BSD-3-Clause
// Starting processes that share memory without an MPI library, and ending them.
//
//     caller of run_ranks --- guard --- rank 0, rank 1, ...
//
// The caller forks a guard, which starts the ranks. All ranks are in one process group, so that a signal also reaches the programs
// that they have started. The caller forwards signals to the guard. The guard forwards them to the group, and to those of its
// children that have left the group, as timeout(1) does. The guard is a subreaper: when a rank ends, the programs that it started
// become children of the guard. So the guard can end everything by killing its children until none is left. It does so even when
// the caller is killed. The guard leads its own session, so a signal that kills the caller's process group (`timeout -k`) does
// not reach it.
#include "execute/shared/launch/launch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "execute/shared/group_space.hpp"
#include "execute/shared/meet.hpp"
#include "foundation/environment.hpp"
#include "foundation/system/pipes.hpp"
#include "foundation/system/proc.hpp"
#include "foundation/text/parsing.hpp"
#include "foundation/text/wording.hpp"
#include "quadrille/error.hpp"
#include "quadrille/transports.hpp"

namespace quadrille {
namespace {

constexpr std::chrono::seconds grace_after_failure{
    10};  // how long ranks may take to end after another rank has failed, or after a forwarded signal
constexpr std::chrono::seconds grace_after_term{1};  // time from SIGTERM to SIGKILL

using Clock = std::chrono::steady_clock;

sigset_t set_of(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  return set;
}

// Blocks the signals that are forwarded, for the lifetime of this object. Signals that the caller ignores (nohup) are not
// blocked: the ranks inherit this setting and ignore these signals as well.
class HeldSignals {
 public:
  HeldSignals() : held_(set_of({})) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP}) {
      struct sigaction action {};
      sigaction(signal, nullptr, &action);
      if (action.sa_handler != SIG_IGN) sigaddset(&held_, signal);
    }
    ::pthread_sigmask(SIG_BLOCK, &held_, &before_);
  }
  ~HeldSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  const sigset_t& held() const { return held_; }
  const sigset_t& before() const { return before_; }

 private:
  sigset_t held_, before_;
};

// Gives SIGCHLD its default action for the lifetime of this object. A process may have inherited SIGCHLD as ignored. In that case
// the kernel discards the exit codes of children, and waitpid fails with ECHILD. Only for processes with one thread.
class ChildrenAreKept {
 public:
  ChildrenAreKept() {
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &standard, &before_);
  }
  ~ChildrenAreKept() { restore(); }
  ChildrenAreKept(const ChildrenAreKept&) = delete;
  ChildrenAreKept& operator=(const ChildrenAreKept&) = delete;

  void restore() const { sigaction(SIGCHLD, &before_, nullptr); }  // a child calls it before exec

 private:
  struct sigaction before_;
};

// Calls waitpid, and repeats it if a signal interrupts it.
pid_t wait_for_child(pid_t child, int* status, int options = 0) {
  pid_t found = 0;
  do found = ::waitpid(child, status, options);
  while (found == -1 && errno == EINTR);
  return found;
}

// The guard sends this to the caller when the first rank has started, and at the end. It is small enough for one atomic write to a
// pipe.
struct GuardReport {
  pid_t group = 0;  // process group of the ranks
  bool is_over = false, failed = false;
  int exit_code = 0;                         // valid unless `failed`
  ErrorCode error = ErrorCode::environment;  // valid if `failed`; `sentence` has the message
  std::array<char, 1000> sentence{};
};

// What the guard needs to start the ranks.
struct Order {
  const Descriptor& head;
  Count ranks;
  const std::vector<char*>& command;
  pid_t caller;
  const sigset_t& mask;  // the signal mask of the ranks
  bool reads_nothing;    // the ranks read from /dev/null
};

void send(const GuardReport& report, const Descriptor& reports) {
  [[maybe_unused]] const auto written = ::write(reports.number(), &report, sizeof report);
}

// The ranks' processes and their exit codes. Used in the guard.
class RankProcesses {
 public:
  RankProcesses(const Order& order, const Descriptor& reports)
      : order_(order), reports_(reports), watched_(set_of({SIGCHLD, SIGCONT})) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP}) sigaddset(&watched_, signal);
    sigprocmask(SIG_BLOCK, &watched_, nullptr);
  }
  ~RankProcesses() {
    if (are_done_) return;
    while (collect(), !all_have_ended()) {
      tell(SIGKILL);
      await_signal();
    }
  }
  RankProcesses(const RankProcesses&) = delete;
  RankProcesses& operator=(const RankProcesses&) = delete;

  // Starts the ranks. Stops early if the caller has ended, or if a signal asks the ranks to end.
  void start_all() {
    for (Rank rank = 0; rank < order_.ranks && !ending_ && caller_lives(); ++rank) {
      start(rank);
      if (rank == 0) send({group_}, reports_);
      const sigset_t ends = set_of({SIGINT, SIGTERM, SIGHUP, SIGQUIT});  // other signals stay pending until all ranks are started
      const timespec no_time{};
      const int signal = ::sigtimedwait(&ends, nullptr, &no_time);
      if (signal <= 0) continue;
      pass_on(signal);
      result_ = 128 + signal;  // the result, even if the ranks that were started exit with 0
    }
  }

  // Waits for all ranks and returns the exit code of the run: 0, 128 + N if signal N ended a rank, otherwise the exit code of the
  // first rank that failed. If the run fails, programs that ranks have left running are ended; otherwise they continue.
  int wait() {
    for (;;) {
      collect();
      if (ranks_.empty()) {
        are_done_ = !ending_ || all_have_ended();
        if (are_done_) return result_;
        if (!told_) deadline_ = Clock::now();
      }
      if (!caller_lives()) return result_;
      if (const int signal = await_signal(); signal > 0 && signal != SIGCHLD) pass_on(signal);
      if (Clock::now() >= deadline_) stop();
    }
  }

 private:
  void start(Rank rank) {
    auto [answer, question] = make_pipe();
    const pid_t guard = ::getpid(), child = ::fork();
    if (child < 0) throw Error(ErrorCode::environment, fmt::format("rank {} cannot be started: {}", rank, std::strerror(errno)));
    if (child == 0) become(rank, question, guard);
    if (group_ == 0) group_ = child;  // the first rank leads the process group; it is not reaped before all ranks have joined
    ranks_.emplace_back(child, rank);
    question = Descriptor();
    int error = 0;
    if (::read(answer.number(), &error, sizeof error) == sizeof error)
      throw Error(ErrorCode::misuse, fmt::format("'{}' cannot be run: {}", order_.command[0], std::strerror(error)));
  }

  bool caller_lives() const { return ::getppid() == order_.caller; }

  [[noreturn]] void become(Rank rank, const Descriptor& question, pid_t guard) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != guard) std::_Exit(1);
    ::setpgid(0, group_);
    kept_.restore();
    sigprocmask(SIG_SETMASK, &order_.mask, nullptr);
    if (order_.reads_nothing)
      if (const int nothing = ::open("/dev/null", O_RDONLY); nothing > 0) {
        ::dup2(nothing, 0);
        ::close(nothing);
      }
    ::fcntl(order_.head.number(), F_SETFD, 0);
    ::setenv(rank_variable, std::to_string(rank).c_str(), 1);
    ::setenv(ranks_variable, std::to_string(order_.ranks).c_str(), 1);
    ::setenv(head_variable, std::to_string(order_.head.number()).c_str(), 1);
    ::execvp(order_.command[0], order_.command.data());
    const int error = errno;
    [[maybe_unused]] const auto written = ::write(question.number(), &error, sizeof error);
    std::_Exit(127);
  }

  int await_signal() const {
    const timespec moment{0, 100'000'000};
    return ::sigtimedwait(&watched_, nullptr, &moment);
  }

  // Ends the ranks after `grace` at the latest. A later call may make the deadline earlier, but not later.
  void end_within(std::chrono::seconds grace) {
    ending_ = true;
    deadline_ = std::min<Clock::time_point>(deadline_, Clock::now() + grace);
  }

  // Returns the guard's children: the ranks, and programs left by ranks that have ended. Without /proc it returns the ranks only.
  std::vector<pid_t> children() const {
    std::ifstream list("/proc/thread-self/children");
    if (list) return {std::istream_iterator<pid_t>(list), {}};
    std::vector<pid_t> processes;
    for (const auto& [process, rank] : ranks_) processes.push_back(process);
    return processes;
  }

  // Sends a signal to each process exactly once, because a program may treat a second SIGINT differently.
  void tell(int signal) const {
    if (group_ > 0) ::kill(-group_, signal);
    for (const pid_t child : children())
      if (::getpgid(child) != group_) ::kill(child, signal);
  }

  void pass_on(int signal) {
    tell(signal);
    if (signal == SIGTSTP || signal == SIGCONT) return;
    const bool again = signal == SIGINT && std::exchange(interrupted_, true);
    end_within(again ? std::chrono::seconds(0) : grace_after_failure);
    told_ = true;
  }

  // Sends SIGTERM, or SIGKILL if the processes have had a signal before. SIGKILL is repeated, because the guard may inherit new
  // children when a process ends.
  void stop() {
    tell(told_ ? SIGKILL : SIGTERM);
    tell(SIGCONT);  // until then a stopped process handles only SIGKILL
    if (!std::exchange(told_, true)) deadline_ = Clock::now() + grace_after_term;
  }

  // Reaps children that have ended: ranks, and programs that ranks started and did not wait for.
  void collect() {
    int status = 0;
    for (pid_t ended = 0; (ended = wait_for_child(-1, &status, WNOHANG)) > 0;) {
      const auto entry = std::find_if(ranks_.begin(), ranks_.end(), [&](const auto& rank) { return rank.first == ended; });
      if (entry == ranks_.end()) continue;
      say_ended(order_.head, entry->second);
      ranks_.erase(entry);
      const bool killed = WIFSIGNALED(status);
      const int code = killed ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
      // A rank that was killed is the cause of the failure. Ranks that failed because of it may be reaped first, because the system
      // takes a while to free the killed rank's memory.
      const bool is_cause = killed && !told_ && !was_killed_;
      if (code == 0 || (result_ != 0 && !is_cause)) continue;
      result_ = code;
      was_killed_ = killed;
      if (!told_) end_within(killed ? std::chrono::seconds(0) : grace_after_failure);
    }
  }

  bool all_have_ended() const {
    siginfo_t info;
    return children().empty() &&
           (group_ == 0 || ::waitid(P_PGID, static_cast<id_t>(group_), &info, WEXITED | WNOHANG | WNOWAIT) != 0);
  }

  const Order& order_;
  const Descriptor& reports_;
  const ChildrenAreKept kept_;
  sigset_t watched_;
  pid_t group_ = 0;
  std::vector<std::pair<pid_t, Rank>> ranks_;
  int result_ = 0;
  bool was_killed_ = false;   // `result_` is the code of a rank that was killed
  bool are_done_ = false;     // no rank is left, and no other process that must be ended
  bool ending_ = false;       // the ranks and the programs that they have started must end
  bool told_ = false;         // these processes have been sent a signal that should end them
  bool interrupted_ = false;  // by SIGINT
  Clock::time_point deadline_ = Clock::time_point::max();
};

// Sets the name by which ps(1) and pkill(1) know this process. The function overwrites the words of the command line, which lie
// one after the other in writable memory.
void rename_process(std::string_view name) {
  ::prctl(PR_SET_NAME, std::string(name).c_str());
  const auto self = process_stat("/proc/self");
  if (!self || self->words_begin == 0 || self->words_end <= self->words_begin) return;
  char* const words = reinterpret_cast<char*>(self->words_begin);  // NOLINT(performance-no-int-to-ptr)
  const std::size_t length = self->words_end - self->words_begin;
  std::memset(words, 0, length);
  name.copy(words, length - 1);
}

[[noreturn]] void guard(const Order& order, const Descriptor& reports) {
  ::setsid();
  rename_process("quadrille-guard");  // so that `pkill -f 'quadrille run'` finds the caller only
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_PDEATHSIG, SIGCHLD);  // wakes `wait` when the caller ends, so that `wait` sees this
  GuardReport ending;
  ending.is_over = true;
  try {
    RankProcesses processes(order, reports);
    processes.start_all();
    ending.exit_code = processes.wait();
  } catch (const std::exception& error) {
    ending.failed = true;
    if (const auto* known = dynamic_cast<const Error*>(&error)) ending.error = known->code();
    std::string_view(error.what()).copy(ending.sentence.data(), ending.sentence.size() - 1);
  }
  send(ending, reports);
  std::_Exit(0);
}

// Suspends the ranks and then this process, when the terminal requests it (Ctrl-Z).
void suspend(pid_t guard) {
  const sigset_t suspending = set_of({SIGTSTP});
  ::kill(guard, SIGTSTP);
  ::raise(SIGTSTP);
  ::pthread_sigmask(SIG_UNBLOCK, &suspending, nullptr);  // the process stops here until it gets SIGCONT
  ::pthread_sigmask(SIG_BLOCK, &suspending, nullptr);
  ::kill(guard, SIGCONT);
}

// How a process that `quadrille run` started joins its group.

// Returns the number in an environment variable. Throws Error{misuse} unless the variable holds a number >= 0 and nothing else.
template <class Number>
Number number_of(const char* variable) {
  const std::string word = environment_value(variable);
  const auto number = number_in<Number>(word);
  if (!number || *number < 0)
    throw Error(ErrorCode::misuse, fmt::format("{} is '{}', which is not a number; let 'quadrille run' set it", variable, word));
  return *number;
}

}  // namespace

// Waiting for child processes so that their exit codes are not lost.

int run_ranks(Count ranks, const std::vector<std::string>& command) {
  if (ranks < 1) throw Error(ErrorCode::misuse, "a group needs at least one rank");
  if (command.empty()) throw Error(ErrorCode::misuse, "there is no command to run");
  const Descriptor head = make_head_file(ranks);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  // The ranks' session has no controlling terminal. So job control would not stop ranks that read from this terminal while
  // another job owns the terminal. If another job owns the terminal now, the ranks read from /dev/null instead.
  const pid_t reader = ::isatty(0) ? ::tcgetpgrp(0) : -1;

  auto [answer, question] = make_pipe();
  const HeldSignals signals;
  const Descriptor arrivals(::signalfd(-1, &signals.held(), SFD_CLOEXEC));
  if (arrivals.number() < 0)
    throw Error(ErrorCode::environment, fmt::format("a signalfd cannot be made: {}", std::strerror(errno)));
  const pid_t caller = ::getpid(), child = ::fork();
  if (child < 0) throw Error(ErrorCode::environment, fmt::format("a process cannot be started: {}", std::strerror(errno)));
  if (child == 0) guard({head, ranks, words, caller, signals.before(), reader >= 0 && reader != ::getpgrp()}, question);
  question = Descriptor();

  std::array<pollfd, 2> events{{{answer.number(), POLLIN, 0}, {arrivals.number(), POLLIN, 0}}};
  GuardReport report;
  while (!report.is_over) {
    if (::poll(events.data(), events.size(), -1) < 0) continue;
    if (events[0].revents != 0 && ::read(answer.number(), &report, sizeof report) != sizeof report) break;
    signalfd_siginfo arrival{};
    if ((events[1].revents & POLLIN) == 0 || ::read(arrivals.number(), &arrival, sizeof arrival) != sizeof arrival) continue;
    const int signal = static_cast<int>(arrival.ssi_signo);
    if (signal == SIGTSTP)
      suspend(child);
    else
      ::kill(child, signal);
  }
  if (!report.is_over && report.group > 0) ::kill(-report.group, SIGKILL);
  wait_for_child(child, nullptr);
  if (!report.is_over) throw Error(ErrorCode::environment, "the process that guards the ranks was killed, and the ranks with it");
  if (report.failed) throw Error(report.error, report.sentence.data());
  return report.exit_code;
}

// ---- Joining, in a process that was started

std::unique_ptr<Communicator> join_launched() {
  const auto rank = number_of<Rank>(rank_variable);
  const auto ranks = number_of<Count>(ranks_variable);
  const auto number = number_of<int>(head_variable);
  // The descriptor is checked before it is used: if it is not the head file's, it belongs to another part of the program.
  if (rank >= ranks || !is_head_file(number, ranks))
    throw Error(ErrorCode::misuse,
                fmt::format("descriptor {} does not belong to a group of {} with a rank {}, although {}, {} and {} name these; "
                            "start this process by 'quadrille run'",
                            number, counted(ranks, "rank"), rank, head_variable, ranks_variable, rank_variable));
  if (::fcntl(number, F_GETFD) & FD_CLOEXEC)  // the descriptor is inherited, so it has no such flag; the flag is set below
    throw Error(ErrorCode::misuse, "this process has already joined the group that it was started in; a program joins it once");
  ::fcntl(number, F_SETFD, FD_CLOEXEC);
  return meet_at(open_head_file(Descriptor(::dup(number)), ranks), rank, ranks);
}

}  // namespace quadrille
