// SPDX-License-Identifier: BSD-3-Clause
// Talk on stderr: sentences, remarks and a line that shows progress.
#pragma once

#include <string>
#include <string_view>

namespace quadrille::command {

// From now on this process says nothing, unless it was launched as rank 0 or alone: for what launched processes run together.
void let_first_rank_talk();
void talk_again();  // for a process that cannot join the other ranks
bool talks();

void complain(std::string_view sentence);  // "quadrille: sentence" in one line, whatever the sentence quotes
void remark(std::string_view line);        // once, however often

// One line that is written over and over, if stderr is a terminal; gone when destroyed.
class Progress {
 public:
  Progress();
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::string_view line);
  void clear();

 private:
  bool visible_;
  bool shown_ = false;
};

}  // namespace quadrille::command
