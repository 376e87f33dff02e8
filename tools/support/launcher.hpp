// SPDX-License-Identifier: BSD-3-Clause
// Work on ranks: the values of --executor; for processes that an MPI launcher or `quadrille run` started, what the environment says
// about this process before an MPI library is loaded, and decisions that all ranks must make alike; and how work on all ranks ends:
// when it is done, by a signal, or by a watchdog.
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

// Handles Ctrl-C in work that should end cleanly: while an object of this class exists, the first SIGINT, SIGTERM or SIGHUP is
// recorded instead of ending the process, which asks the work to stop; the second ends the process at once. Signals that the
// process ignores stay ignored. A process may have only one such object at a time.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  static int caught();  // number of the recorded signal; 0: none
};

// While an object of this class exists, a thread of its own calls `act` soon after the first of these signals: for work that cannot
// ask at once whether to stop, because its ranks wait for each other.
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

// Ends a process that makes no progress any more, because a rank that died would leave the others waiting for ever.
class Watchdog {
 public:
  // Starts a thread that calls `bark` if `beat` is not called for `patience_seconds`. The process then exits with code 2, either
  // when `bark` returns or after a few seconds.
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

// This process's place among the processes that were started together.
struct Launched {
  Rank rank = 0;
  Count ranks = 1;
};

// Returns rank and number of processes as the launcher's environment variables state them. Returns nothing unless both are set and
// fit together, because a single variable is a remainder of another program's environment.
std::optional<Launched> launched();

// Returns true if a subcommand with this --executor runs on the ranks that a launcher started, and false if it runs on threads.
// Throws Error{misuse} if the environment fits two launchers.
bool joins_launched_ranks(const std::optional<std::string>& executor);

// Joins the group of processes that were launched together. If a process cannot join, it prints the reason itself, because rank 0
// may not exist.
std::unique_ptr<Communicator> join_launched_ranks();

// Collective. Returns on every rank whether rank 0 can write `file`, so that all ranks end together; rank 0 prints the reason if it
// cannot.
bool first_can_write(Communicator& world, const std::optional<std::string>& file);

// Throws Error{misuse} if `ranks` is more than the threads that one process may run.
void check_threads(Count ranks);

// Returns the watchdog's message after `seconds` seconds without progress.
std::string stuck(double seconds);

// Runs `body` on this rank of the world and returns its exit code. A watchdog watches rank 0: there `body` must call `beat`
// whenever it makes progress, or the watchdog ends the program. An exception on any rank ends all ranks, since the others may be
// waiting for it; only Error{misuse}, which all ranks throw alike, is rethrown. `kept` is appended to the watchdog's message: ";
// what was measured is kept".
int run_watched(Communicator& world, double timeout_seconds, const std::function<int(Watchdog&)>& body,
                const std::string& kept = {});

}  // namespace quadrille::command
