// SPDX-License-Identifier: BSD-3-Clause
// A program, and the process beside it that watches it. 'quadrille wrap' becomes the program, so the launcher, the shell and the
// terminal deal with the program itself: they give it signals, stop it and see its end as if nothing watched. The process that
// watches is a child of the program which the program does not notice.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <vector>

#include "foundation/system/files.hpp"

namespace quadrille::command {

// Tells how a process ended that is no child of this one. Linux tells that since version 6.15. With older versions it can be read
// from /proc until the parent of the process calls wait.
class ProcessEnd {
 public:
  explicit ProcessEnd(pid_t process);

  int descriptor() const { return process_.number(); }  // readable at the end; negative if the system has none
  bool has_come() const;
  std::optional<int> status() const;  // as of waitpid(2), if it is known

 private:
  const pid_t id_;
  Descriptor process_, stat_;
};

// The program, as the process beside it sees it.
class WrappedProcess {
 public:
  // Call it in the child of the process that becomes the program.
  explicit WrappedProcess(pid_t program);

  pid_t id() const { return id_; }
  int descriptor() const { return signals_.number(); }  // readable when the program may have ended
  bool has_ended();
  bool is_stopped() const { return is_stopped_; }            // by the terminal, as with Ctrl-Z
  bool was_told_to_end() const { return was_told_to_end_; }  // by a signal to its group, which the process beside it gets, too

 private:
  const pid_t id_;
  bool was_told_to_end_ = false, is_stopped_ = false;
  Descriptor signals_;
};

// Forks. `work` runs in a child, which then ends. wait(2) without __WCLONE does not find this child, and its end sends no SIGCHLD.
// It is in the group of this process, so it is stopped, continued and killed with it, but other signals do not end it. It keeps
// stderr and the descriptors in `kept`. Returns its number; negative: there is none. This process must have one thread.
pid_t run_beside(const std::function<void(WrappedProcess&)>& work, const std::vector<int>& kept);

}  // namespace quadrille::command
