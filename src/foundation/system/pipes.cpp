// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/system/pipes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <mutex>
#include <thread>

#include "quadrille/error.hpp"

namespace quadrille {
namespace {

std::atomic<pid_t> running{0};  // the process group of the program; 0: none runs
constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, ending_signals.size()> actions_before;

// Kills the program's group, because Ctrl-C does not reach it. Then the signal has its usual effect.
void kill_group_too(int signal) {
  if (const pid_t group = running.load(std::memory_order_relaxed)) ::kill(-group, SIGKILL);
  for (std::size_t i = 0; i < ending_signals.size(); ++i)
    if (ending_signals[i] == signal) ::sigaction(signal, &actions_before[i], nullptr);
  ::raise(signal);  // it arrives when this function returns
}

class HandledSignals {
 public:
  HandledSignals() {
    struct sigaction action {};
    action.sa_handler = kill_group_too;
    action.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < ending_signals.size(); ++i) {
      ::sigaction(ending_signals[i], nullptr, &actions_before[i]);
      if (actions_before[i].sa_handler != SIG_IGN) ::sigaction(ending_signals[i], &action, nullptr);
    }
  }
  ~HandledSignals() {
    for (std::size_t i = 0; i < ending_signals.size(); ++i) ::sigaction(ending_signals[i], &actions_before[i], nullptr);
  }
  HandledSignals(const HandledSignals&) = delete;
  HandledSignals& operator=(const HandledSignals&) = delete;
};

// The program. Its process group is killed when `status` is asked for, or when this object is destroyed.
class Child {
 public:
  Child(const std::vector<std::string>& words, const Pipe& pipe, const std::string& label) {
    std::vector<char*> pointers;
    for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, pipe.write_end.number(), STDOUT_FILENO);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    // The program gets a process group with the program's own number. Signals wait until the handler knows this number.
    sigset_t ends, before;
    ::sigemptyset(&ends);
    for (const int signal : ending_signals) ::sigaddset(&ends, signal);
    ::pthread_sigmask(SIG_BLOCK, &ends, &before);
    ::posix_spawnattr_setsigmask(&attributes, &before);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    const int error = ::posix_spawnp(&process_, pointers[0], &actions, &attributes, pointers.data(), environ);
    if (error == 0) running = process_;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw Error(ErrorCode::environment, fmt::format("cannot start {}: {}", label, std::strerror(error)));
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (running != 0) status();
  }

  bool has_ended() const {
    siginfo_t found{};
    return ::waitid(P_PID, static_cast<id_t>(process_), &found, WEXITED | WNOHANG | WNOWAIT) == 0 && found.si_pid == process_;
  }

  int status() {
    ::kill(-process_, SIGKILL);  // before waitpid: after it the number may belong to another group
    running = 0;
    int found = 0;
    while (::waitpid(process_, &found, 0) < 0 && errno == EINTR) {}
    return found;
  }

 private:
  pid_t process_ = 0;
};

bool has_unread(int descriptor) {
  int bytes = 0;
  return ::ioctl(descriptor, FIONREAD, &bytes) == 0 && bytes > 0;
}

bool is_pipe(int descriptor) {
  struct stat status;
  return ::fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode);
}

}  // namespace

std::string output_of(const std::vector<std::string>& words, const OutputLimits& limits, const std::string& label) {
  using Clock = std::chrono::steady_clock;
  static std::mutex one_at_a_time;  // all threads share the signal handlers
  const std::lock_guard lock(one_at_a_time);
  const HandledSignals handled;
  Pipe pipe = make_pipe();
  Child child(words, pipe, label);
  pipe.write_end = Descriptor();  // closed here, so that the output ends with the program
  const auto end = Clock::now() + std::chrono::duration<double>(limits.seconds);
  std::string text;
  for (std::array<char, 1 << 16> part;;) {
    const bool has_ended = child.has_ended();
    struct pollfd asked {};
    asked.fd = pipe.read_end.number();  // ignored if it is negative
    asked.events = POLLIN;
    constexpr int wait_ms = 50, short_wait_ms = 1;  // of a wait for output, and for the end of a program that has closed its output
    const int ready = ::poll(&asked, 1, has_ended ? 0 : asked.fd < 0 ? short_wait_ms : wait_ms);
    if (ready <= 0 && has_ended) break;  // programs that it has started may still hold its output open
    if (Clock::now() >= end)
      throw Error(ErrorCode::environment,
                  fmt::format("{} has not ended after {} s; {} raises this limit", label, limits.seconds, limits.raised_by));
    if (ready <= 0) continue;
    const ssize_t count = ::read(asked.fd, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      throw Error(ErrorCode::environment, fmt::format("the output of {} cannot be read: {}", label, std::strerror(errno)));
    if (count == 0) pipe.read_end = Descriptor();
    text.append(part.data(), static_cast<std::size_t>(count));
    if (text.size() > limits.mebibytes << 20)
      throw Error(ErrorCode::too_large,
                  fmt::format("{} prints more than {} MiB; {} raises this limit", label, limits.mebibytes, limits.raised_by));
  }
  const int status = child.status();
  if (WIFSIGNALED(status))
    throw Error(ErrorCode::environment,
                fmt::format("{} was ended by signal {} ({})", label, WTERMSIG(status), ::strsignal(WTERMSIG(status))));
  if (WEXITSTATUS(status) != 0)
    throw Error(ErrorCode::environment, fmt::format("{} failed with exit code {}", label, WEXITSTATUS(status)));
  return text;
}

void wait_until_read(int descriptor, std::chrono::milliseconds limit) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + limit;
  while (is_pipe(descriptor) && has_unread(descriptor) && Clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace quadrille
