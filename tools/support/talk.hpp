// SPDX-License-Identifier: BSD-3-Clause
// Output on stderr: errors, remarks and progress lines.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "quadrille/schedule.hpp"

namespace quadrille::command {

// Silences this process unless it was launched as rank 0 or alone. For work that launched processes do together.
void let_first_rank_talk();
void talk_again();  // ends the silence, for a process that cannot join the other ranks
bool talks();

void complain(std::string_view sentence);  // prints "quadrille: sentence" as one line, whatever the sentence quotes
void remark(std::string_view line);        // prints each line once, even if called several times with it

// Shows what a long subcommand is doing and how far it is. On a terminal it is one line that is overwritten, and removed by the
// destructor. Elsewhere it is one line every ten seconds, or every QUADRILLE_PROGRESS_SECONDS. An object of this class has a thread
// that writes, so the work need not look at the clock. Short work prints nothing.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(std::string_view line);
  // a copy of the schedule that reports the rank whose program is being generated; must not outlive this object
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
