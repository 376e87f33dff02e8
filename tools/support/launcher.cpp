// SPDX-License-Identifier: BSD-3-Clause
#include "support/launcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "execute/executors.hpp"
#include "execute/shared/launch/launch.hpp"
#include "foundation/environment.hpp"
#include "foundation/mpi_libraries.hpp"
#include "foundation/text/parsing.hpp"
#include "quadrille/error.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/transports.hpp"
#include "support/output.hpp"
#include "support/refuse.hpp"

namespace quadrille::command {
namespace {

const ExecutorRow* row_of_word(const std::string& word) {
  for (const ExecutorRow& row : all_executors())
    if (row.name == word) return &row;
  return nullptr;
}

volatile std::sig_atomic_t noted = 0;
constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, signals.size()> before;

constexpr Count most_threads = 1024;

std::optional<Launched> launched_by(const char* rank_name, const char* ranks_name) {
  const auto rank = number_in<Count>(environment_value(rank_name)), ranks = number_in<Count>(environment_value(ranks_name));
  return rank && ranks && 0 <= *rank && *rank < *ranks ? std::optional(Launched{*rank, *ranks}) : std::nullopt;
}

using Clock = std::chrono::steady_clock;

// The watchdog's message after `seconds` seconds without progress.
std::string stuck(double seconds) {
  return fmt::format(
      "stopped, because there was no progress for {} s: a rank is lost, or a repetition takes longer (then raise --timeout)",
      seconds);
}

// Can rank 0 write the file? Rank 0 prints the reason if it cannot.
bool can_write(Communicator& world, const std::optional<std::string>& file) {
  char fine = 1;
  if (world.rank() == 0) {
    try {
      Output{file};
    } catch (const Error& error) {
      complain(error.what());
      fine = 0;
    }
  }
  std::vector<char> all(index(world.size()));
  world.all_gather(&fine, all.data(), 1);
  return all[0] != 0;
}

}  // namespace

std::vector<std::string> executor_words() {
  std::vector<std::string> words;
  for (const ExecutorRow& row : all_executors()) words.emplace_back(row.name);
  return words;
}

std::vector<std::string> words_of_ranks() {
  std::vector<std::string> words = executor_words();
  words.insert(words.begin(), threads_word);
  return words;
}

std::string executor_help() {
  std::string help;
  for (std::size_t left = all_executors().size(); const ExecutorRow& row : all_executors())
    help += fmt::format("{} ({}){}", row.name, row.description, --left == 0 ? "" : left == 1 ? " or " : ", ");
  return help;
}

Executor parse_executor(const std::string& word) {
  const ExecutorRow* const row = row_of_word(word);
  if (!row) refuse_unknown("executor", word, executor_words());
  return row->executor;
}

AskedExecutor parse_executor_of_ranks(const std::optional<std::string>& word) {
  if (!word) return {};
  if (*word == threads_word) return {.on_threads = true};
  if (!row_of_word(*word)) refuse_unknown("executor", *word, words_of_ranks());
  return {.executor = parse_executor(*word)};
}

StopSignal::StopSignal() {
  noted = 0;
  struct sigaction action {};
  action.sa_handler = [](int signal) { noted = signal; };
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);  // the next signal has its usual effect
  for (std::size_t i = 0; i < signals.size(); ++i) {
    ::sigaction(signals[i], nullptr, &before[i]);
    if (before[i].sa_handler != SIG_IGN) ::sigaction(signals[i], &action, nullptr);
  }
}

StopSignal::~StopSignal() {
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before[i], nullptr);
}

int StopSignal::caught() { return noted; }

ActionOnSignal::ActionOnSignal(std::function<void(int)> act) : act_(std::move(act)), thread_([this] { watch(); }) {}

ActionOnSignal::~ActionOnSignal() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

// A handler of signals may not notify a condition variable, so the thread looks from time to time.
void ActionOnSignal::watch() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, std::chrono::milliseconds(50), [this] { return over_; }))
    if (const int signal = StopSignal::caught(); signal != 0) return act_(signal);
}

Watchdog::Watchdog(double patience_seconds, std::function<void()> bark)
    : patience_(patience_seconds), bark_(std::move(bark)), last_beat_(Clock::now()), thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Watchdog::beat() { last_beat_.store(Clock::now()); }

void Watchdog::watch() {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto end = last_beat_.load() + std::chrono::duration_cast<Clock::duration>(patience_);
    if (changed_.wait_until(lock, end, [this] { return over_; })) return;
    if (Clock::now() - last_beat_.load() < patience_) continue;
    std::thread([] {
      std::this_thread::sleep_for(std::chrono::seconds(5));
      std::_Exit(misused);
    }).detach();
    bark_();
    std::_Exit(misused);
  }
}

std::optional<Launched> launched() {
  auto found = launched_by(rank_variable, ranks_variable);
  for (const MpiLibrary& library : mpi_libraries)
    if (!found && library.launcher.size) found = launched_by(library.launcher.rank, library.launcher.size);
  return found;
}

bool joins_launched_ranks(const std::optional<std::string>& executor) {
  return executor != threads_word && choose_transport().transport != TransportKind::threads;
}

std::unique_ptr<Communicator> join_launched_ranks() {
  try {
    return launched_world();
  } catch (const Error&) {
    talk_again();
    throw;
  }
}

void check_threads(Count ranks) {
  if (ranks > most_threads)
    refuse(fmt::format("{} ranks are too many for the threads of one process; the limit is {}", ranks, most_threads));
}

bool RankGroup::first_can_write(const std::vector<std::optional<std::string>>& files) const {
  if (!world_) {
    for (const auto& file : files) Output{file};
    return true;
  }
  return std::all_of(files.begin(), files.end(), [&](const auto& file) { return can_write(*world_, file); });
}

int RankGroup::run(double timeout_seconds, const std::function<int(Communicator&)>& work, const std::string& kept) {
  if (world_) return run_launched(timeout_seconds, work, kept);
  Watchdog watchdog(timeout_seconds, [&] { complain(stuck(timeout_seconds) + kept); });
  watchdog_ = &watchdog;
  int code = good;
  run_threads(threads_, [&](Communicator& communicator) {
    const int mine = work(communicator);
    if (communicator.rank() == 0) code = mine;
  });
  watchdog_ = nullptr;
  return code;
}

int RankGroup::run_launched(double timeout_seconds, const std::function<int(Communicator&)>& work, const std::string& kept) {
  const auto give_up = [&](const std::string& sentence) {
    fmt::print(stderr, "quadrille: rank {}: {}\n", world_->rank(), sentence);
    world_->abort(misused);
  };
  try {
    Watchdog watchdog(has_first() ? timeout_seconds : for_ever, [&] { give_up(stuck(timeout_seconds) + kept); });
    watchdog_ = &watchdog;
    const int code = work(*world_);
    watchdog_ = nullptr;
    return code;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::misuse) throw;
    give_up(error.what());
  } catch (const std::exception& error) {
    give_up(error.what());
  }
  return misused;
}

}  // namespace quadrille::command
