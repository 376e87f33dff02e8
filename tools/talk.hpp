// SPDX-License-Identifier: BSD-3-Clause
// Talk on stderr: sentences, remarks and lines that show progress.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "quadrille/schedule.hpp"

namespace quadrille::command {

// From now on this process says nothing, unless it was launched as rank 0 or alone: for what launched processes run together.
void let_first_rank_talk();
void talk_again();  // for a process that cannot join the other ranks
bool talks();

void complain(std::string_view sentence);  // "quadrille: sentence" in one line, whatever the sentence quotes
void remark(std::string_view line);        // once, however often

// What a long subcommand is doing and how far it is: on a terminal a line that is written over and over, and gone when destroyed;
// elsewhere a line every ten seconds, or as many as QUADRILLE_PROGRESS says. A thread of its own writes, so that what takes long
// need not look at the clock, and what is short says nothing.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::string_view line);
  Schedule followed(Schedule schedule);  // whose programs, while they are made, tell of which rank they are; outlived by this
  void clear();                          // before something else is written

 private:
  void write_now_and_then();
  std::string line() const;

  const bool visible_, terminal_;
  std::mutex mutex_;  // of the four that follow
  std::condition_variable changed_;
  std::string doing_, written_;
  bool over_ = false;
  std::atomic<Rank> rank_{-1};  // whose program is being made; none
  std::atomic<Count> ranks_{0};
  std::thread thread_;
};

}  // namespace quadrille::command
