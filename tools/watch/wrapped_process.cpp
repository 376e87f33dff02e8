// SPDX-License-Identifier: BSD-3-Clause
#include "watch/wrapped_process.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "foundation/system/proc.hpp"
#include "foundation/text/parsing.hpp"

namespace quadrille::command {
namespace {

// struct pidfd_info of linux/pidfd.h, which older systems lack.
struct SystemsEnd {
  std::uint64_t mask = has_code;
  std::uint64_t group = 0;
  std::uint32_t numbers[11] = {};
  std::int32_t code = 0;
  static constexpr std::uint64_t has_code = 1 << 3;
};
constexpr unsigned long get_end = _IOWR(0xFF, 11, SystemsEnd);

// Descriptors that the launcher has given to the program, such as pipes: whoever waits for their end must not wait for this
// process.
void close_all_but(const std::vector<int>& kept) {
  DIR* const folder = ::opendir("/proc/self/fd");
  if (!folder) return;
  std::vector<int> open;
  while (const dirent* const each = ::readdir(folder)) {
    const int number = std::atoi(each->d_name);
    if (number > STDERR_FILENO && number != ::dirfd(folder) && std::find(kept.begin(), kept.end(), number) == kept.end())
      open.push_back(number);
  }
  ::closedir(folder);
  for (const int each : open) ::close(each);
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing < 0) return;
  for (const int each : {STDIN_FILENO, STDOUT_FILENO}) ::dup2(nothing, each);
  if (nothing > STDERR_FILENO) ::close(nothing);
}

}  // namespace

ProcessEnd::ProcessEnd(pid_t process)
    : id_(process),
      process_(static_cast<int>(::syscall(SYS_pidfd_open, process, 0))),
      stat_(::open(("/proc/" + std::to_string(process) + "/stat").c_str(), O_RDONLY | O_CLOEXEC)) {}

bool ProcessEnd::has_come() const {
  pollfd polled{process_.number(), POLLIN, 0};
  if (process_.number() >= 0) return ::poll(&polled, 1, 0) == 1;
  return ::kill(id_, 0) != 0;
}

std::optional<int> ProcessEnd::status() const {
  SystemsEnd end;
  const auto is_told = [&] {
    end.mask = SystemsEnd::has_code;
    return ::ioctl(process_.number(), get_end, &end) == 0 && (end.mask & SystemsEnd::has_code);
  };
  if (is_told()) return end.code;
  std::array<char, 2048> text;
  const ssize_t length = ::pread(stat_.number(), text.data(), text.size(), 0);
  if (length <= 0) return is_told() ? std::optional(end.code) : std::nullopt;  // its parent has just taken its status
  const std::string_view stat = trimmed(std::string_view(text.data(), static_cast<std::size_t>(length)));
  return number_in<int>(stat.substr(stat.rfind(' ') + 1));  // the last field: exit_code
}

WrappedProcess::WrappedProcess(pid_t program) : id_(program) {
  sigset_t all;
  sigfillset(&all);
  signals_ = Descriptor(::signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK));
  ::prctl(PR_SET_PDEATHSIG, SIGUSR1);
}

bool WrappedProcess::has_ended() {
  if (is_stopped_) {
    const auto stat = process_stat("/proc/" + std::to_string(id_));
    is_stopped_ = stat && stat->state == 'T';
  }
  signalfd_siginfo signal{};
  while (::read(signals_.number(), &signal, sizeof signal) == sizeof signal) {
    const int number = static_cast<int>(signal.ssi_signo);
    was_told_to_end_ |= number == SIGTERM || number == SIGINT || number == SIGHUP || number == SIGQUIT;
    is_stopped_ |= number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
  }
  if (::getppid() == id_) return false;
  is_stopped_ = false;
  return true;
}

pid_t run_beside(const std::function<void(WrappedProcess&)>& work, const std::vector<int>& kept) {
  const pid_t program = ::getpid();
  sigset_t all, before;
  sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, &before);
  const auto child = static_cast<pid_t>(::syscall(SYS_clone, 0, nullptr, nullptr, nullptr, nullptr));  // as fork, without SIGCHLD
  if (child == 0) {
    WrappedProcess beside(program);
    close_all_but([&] {
      std::vector<int> own = kept;
      own.push_back(beside.descriptor());
      return own;
    }());
    work(beside);
    std::_Exit(0);
  }
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (child > 0) ::prctl(PR_SET_PTRACER, child);  // else Yama lets only ancestors read the program's stack
  return child;
}

}  // namespace quadrille::command
