// SPDX-License-Identifier: BSD-3-Clause
#include "support/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <ext/stdio_filebuf.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <set>
#include <system_error>

#include "foundation/environment.hpp"
#include "foundation/text/printable.hpp"
#include "quadrille/error.hpp"
#include "support/launcher.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

// Cuts a line to the width of the terminal. "\r" returns only to the beginning of the last screen line, so a wrapped line could
// not be overwritten.
std::string cut_to_terminal(std::string line) {
  winsize size{};
  const std::size_t columns = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
  while (width_of(line) >= columns) line.pop_back();
  return line;
}

// Returns the flag that silences this process. It is the command's only global state.
bool& is_silent() {
  static bool silent = false;
  return silent;
}

std::chrono::milliseconds pace_without_terminal() {
  const std::string seconds = checked_environment_value("QUADRILLE_PROGRESS_SECONDS");
  if (seconds.empty()) return std::chrono::seconds(10);
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::atof(seconds.c_str()) * 1000));
}

}  // namespace

Output::Output(const std::optional<std::string>& file) {
  // writing beyond the limit of file sizes (ulimit -f) then fails like any other write, and is reported in a sentence
  std::signal(SIGXFSZ, SIG_IGN);
  if (!file || *file == "-") return;
  target_ = *file;
  if (target_.empty()) throw Error(ErrorCode::misuse, "the name of a file to write is empty");
  check(replacement_.aim_at(target_));
}

std::ostream& Output::stream() {
  errno = 0;  // `flush` notices a failed write later and reads its reason from errno
  if (target_.empty()) return std::cout;
  if (file_.is_open()) return file_;
  check(replacement_.open());
  const int own = ::fcntl(replacement_.descriptor(), F_DUPFD_CLOEXEC, 0);  // the stream closes it
  static_cast<std::filebuf&>(*file_.rdbuf()) = __gnu_cxx::stdio_filebuf<char>(own, std::ios::out);
  if (!file_.is_open()) fail(std::strerror(errno));
  return file_;
}

void Output::flush() {
  std::ostream& out = target_.empty() ? std::cout : file_;
  if (!out.flush()) fail(std::strerror(errno ? errno : EIO));
}

void Output::finish() {
  flush();
  if (target_.empty()) return;
  file_.close();
  if (!file_) fail(std::strerror(errno));
  check(replacement_.finish());
}

void Output::finish(std::string_view text) {
  stream() << text;
  finish();
}

void Output::check(const Result<>& done) const {
  if (!done) fail(done.error());
}

void Output::fail(const std::string& reason) const {
  throw Error(ErrorCode::environment,
              fmt::format("cannot write {}: {}", target_.empty() ? "to stdout" : "'" + target_ + "'", reason));
}

void let_first_rank_talk() {
  const auto here = launched();
  is_silent() = here && here->rank != 0;
}

void talk_again() { is_silent() = false; }

bool talks() { return !is_silent(); }

void complain(std::string_view sentence) {
  if (talks()) fmt::print(stderr, "quadrille: {}\n", printable(sentence));
}

void remark(std::string_view line) {
  static std::set<std::string, std::less<>> said;
  if (talks() && said.emplace(line).second) fmt::print(stderr, "{}\n", printable(line));
}

ProgressLine::ProgressLine()
    : visible_(talks()),
      terminal_(::isatty(STDERR_FILENO)),
      pace_(terminal_ ? std::chrono::milliseconds(100) : pace_without_terminal()) {
  if (!visible_) return;
  try {
    thread_ = std::thread([this] { write_now_and_then(); });
    // no thread could be started (limits of processes or addresses); the work can do without a progress line
  } catch (const std::system_error&) {}
}

ProgressLine::~ProgressLine() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  thread_.join();
  clear();
}

void ProgressLine::show(std::string_view line) {
  const std::lock_guard lock(mutex_);
  doing_ = line;
  rank_ = -1;
}

Schedule ProgressLine::followed(Schedule schedule) {
  rank_ = -1;
  ranks_ = schedule.problem.ranks;
  schedule.program = [this, make = std::move(schedule.program), last = schedule.problem.ranks - 1](Rank rank) {
    rank_ = rank == last ? -1 : rank;
    return make(rank);
  };
  return schedule;
}

void ProgressLine::clear() {
  const std::lock_guard lock(mutex_);
  doing_.clear();
  if (!terminal_ || written_.empty()) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  written_.clear();
}

std::string ProgressLine::line() const {
  const Rank rank = rank_;
  if (doing_.empty() || rank < 0) return doing_;
  return fmt::format("{}: the program of rank {} of {}", doing_, rank, ranks_.load());
}

void ProgressLine::write_now_and_then() {
  const auto begin = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, pace_, [this] { return over_; })) {
    const std::string now = line();
    if (now.empty() || (terminal_ && now == written_)) continue;
    written_ = now;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    if (terminal_)
      fmt::print(stderr, "\r\x1b[K{}", cut_to_terminal(printable(now)));
    else
      fmt::print(stderr, "{} ({:.0f} s)\n", printable(now), elapsed.count());
    std::fflush(stderr);
  }
}

}  // namespace quadrille::command
