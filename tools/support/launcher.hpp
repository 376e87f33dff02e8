// SPDX-License-Identifier: BSD-3-Clause
// Work on ranks: the values of --executor; what the environment says, before an MPI library is loaded, about a process that an
// MPI launcher or `quadrille run` started; decisions that all ranks must make alike; and how work on all ranks ends: when it is
// done, by a signal, or by a watchdog.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "quadrille/execute.hpp"
#include "quadrille/types.hpp"

namespace quadrille::command {

// The values of --executor: the words of the table of executors, and "threads" if a subcommand can run on threads of its own
// process.
inline constexpr const char* threads_word = "threads";

std::vector<std::string> executor_words();  // words of the table: "mpi", "shared", ..
std::vector<std::string> words_of_ranks();  // "threads" and the table's words
std::string executor_help();                // the help: "mpi (messages of the MPI library), shared (..) or .."

Executor parse_executor(const std::string& word);  // parses a word of the table; throws Error{misuse}

struct AskedExecutor {
  bool on_threads = false;
  Executor executor = Executor::automatic;
};

// Parses a word of words_of_ranks(); without a word, the result is `automatic`. Throws Error{misuse}.
AskedExecutor parse_executor_of_ranks(const std::optional<std::string>& word);

// Handles Ctrl-C in work that should end cleanly. While an object of this class exists, the first SIGINT, SIGTERM or SIGHUP does
// not end the process: it is recorded, and the work stops when it finds that caught() is not 0. The second signal ends the
// process at once. Signals that the process ignores stay ignored. A process may have only one such object at a time.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  static int caught();  // number of the recorded signal; 0: none
};

// While an object of this class exists, a thread of its own calls `act` soon after the first of these signals. For work that may
// notice a signal only late, because its ranks wait for each other.
class ActionOnSignal {
 public:
  explicit ActionOnSignal(std::function<void(int signal)> act);
  ~ActionOnSignal();

 private:
  void watch();

  const StopSignal stop_;
  const std::function<void(int)> act_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

// Ends a process that has stopped making progress: if a rank has died, the other ranks would wait for ever.
class Watchdog {
 public:
  // Starts a thread that calls `bark` if `beat` is not called for `patience_seconds`. The process then exits with code 2, when
  // `bark` returns or after a few seconds.
  Watchdog(double patience_seconds, std::function<void()> bark);
  ~Watchdog();
  void beat();

 private:
  void watch();

  std::chrono::duration<double> patience_;
  std::function<void()> bark_;
  std::atomic<std::chrono::steady_clock::time_point> last_beat_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

// This process's rank among the processes that were started together, and their number.
struct Launched {
  Rank rank = 0;
  Count ranks = 1;
};

// Returns rank and number of processes as the launcher's environment variables state them. Returns nothing unless both are set
// and fit together, because a single variable may come from another program's environment.
std::optional<Launched> launched();

// Returns true if a subcommand with this --executor runs on the ranks that a launcher started, and false if it runs on threads.
// Throws Error{misuse} if the environment fits two launchers.
bool joins_launched_ranks(const std::optional<std::string>& executor);

// Joins the group of processes that were launched together. If a process cannot join, it prints the reason itself, because rank 0
// may not exist.
std::unique_ptr<Communicator> join_launched_ranks();

// Throws Error{misuse} if `ranks` is more than the threads that one process may run.
void check_threads(Count ranks);

// The ranks that do a collective subcommand's work: threads of this process, or the processes that a launcher started.
class RankGroup {
 public:
  explicit RankGroup(Count threads) : threads_(threads) {}
  explicit RankGroup(std::unique_ptr<Communicator> world) : world_(std::move(world)) {}

  Communicator& world() const { return *world_; }  // the group of launched processes
  Count size() const { return world_ ? world_->size() : threads_; }
  std::string transport() const { return world_ ? std::string(world_->transport_name()) : "threads"; }
  bool has_first() const { return !world_ || world_->rank() == 0; }  // is rank 0 in this process?

  // Collective. Returns on every process whether rank 0 can write all files, so that all processes can end together. With
  // threads, returns true or throws.
  bool first_can_write(const std::vector<std::optional<std::string>>& files) const;

  // Runs `work` on each rank and returns its exit code on this rank (with threads: at rank 0). A watchdog watches rank 0, where
  // `work` must call `beat` whenever it makes progress. If `work` does not call it for `timeout_seconds`, the watchdog ends the
  // program with a message to which `kept` is appended: for example "; what was measured is kept". An exception on a launched
  // rank ends all ranks, because others may wait for that rank. Only Error{misuse}, which all ranks throw alike, is rethrown.
  int run(double timeout_seconds, const std::function<int(Communicator&)>& work, const std::string& kept = {});
  void beat() {
    if (watchdog_) watchdog_->beat();
  }

  static constexpr double for_ever = 1e9;  // seconds

 private:
  int run_launched(double timeout_seconds, const std::function<int(Communicator&)>& work, const std::string& kept);

  std::unique_ptr<Communicator> world_;  // null: threads
  Count threads_ = 0;
  Watchdog* watchdog_ = nullptr;  // set while `run` runs
};

}  // namespace quadrille::command
