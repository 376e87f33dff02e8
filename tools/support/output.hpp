// SPDX-License-Identifier: BSD-3-Clause
// What the command writes: results to stdout or to a file that appears complete or not at all; errors, remarks and progress lines
// to stderr.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>

#include "foundation/system/file_replacement.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille::command {

// Writes to stdout, which is "-", or replaces a file in one step; FileReplacement says what links, pipes, devices and /dev/fd/3
// mean. Throws Error{environment} as early as possible if the target cannot be written.
class Output {
 public:
  explicit Output(const std::optional<std::string>& file = {});
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  std::ostream& stream();  // for long results; opens the file
  void flush();            // throws if something was not written
  void finish();
  void finish(std::string_view text);

 private:
  [[noreturn]] void fail(const std::string& reason) const;
  void check(const Result<>& done) const;

  std::string target_;  // empty: stdout
  FileReplacement replacement_;
  std::ofstream file_;
};

// Silences this process on stderr unless it is rank 0 of the launched processes, or was started alone. For work that launched
// processes do together.
void let_first_rank_talk();
void talk_again();  // ends the silence, for a process that cannot join the other ranks
bool talks();

void complain(std::string_view sentence);  // prints "quadrille: sentence" as one line, whatever the sentence quotes
void remark(std::string_view line);        // prints each line once, even if called several times with it

// Shows what a long subcommand is doing and how far it is. On a terminal it writes one line, overwrites it, and removes it in the
// destructor. Elsewhere it writes a line every ten seconds, or every QUADRILLE_PROGRESS_SECONDS. A thread of the object writes
// the lines, so the work need not look at the clock. Short work prints nothing.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(std::string_view line);
  // returns a copy of the schedule that reports for which rank a program is being made; must not outlive this object
  Schedule followed(Schedule schedule);
  void clear();  // removes the line before other output is written

 private:
  void write_now_and_then();
  std::string line() const;

  const bool visible_, terminal_;
  const std::chrono::milliseconds pace_;  // interval between two lines
  std::mutex mutex_;                      // protects the following four members
  std::condition_variable changed_;
  std::string doing_, written_;
  bool over_ = false;
  std::atomic<Rank> rank_{-1};  // rank whose program is being generated; -1: none
  std::atomic<Count> ranks_{0};
  std::thread thread_;
};

}  // namespace quadrille::command
