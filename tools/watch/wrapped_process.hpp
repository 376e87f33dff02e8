// SPDX-License-Identifier: BSD-3-Clause
// The program that 'quadrille wrap --watch' starts as its child. To the launcher, this process stands for the program: signals go
// on to the program, which reads and writes the same descriptors, and this process ends as the program has ended.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <vector>

#include "foundation/system/files.hpp"

namespace quadrille::command {

class WrappedProcess {
 public:
  // Forks. In the child, `begin` replaces the process by the program; it must not return. The child has a process group of its own,
  // so that a signal to the group of this process does not reach it twice, and is killed when this process dies. This process
  // closes all descriptors but stderr and those in `kept`. Throws Error{environment}.
  WrappedProcess(const std::function<void()>& begin, const std::vector<int>& kept);
  WrappedProcess(const WrappedProcess&) = delete;
  WrappedProcess& operator=(const WrappedProcess&) = delete;

  pid_t id() const { return id_; }
  int descriptor() const { return signals_.number(); }       // readable when a signal has arrived
  bool was_told_to_end() const { return was_told_to_end_; }  // by a signal that went on to the program

  // Passes signals on. Returns the status of waitpid(2) if the program has ended.
  std::optional<int> pass_signals();

 private:
  void stop_with_program();

  bool has_terminal_ = false, was_told_to_end_ = false;
  pid_t id_ = 0;
  Descriptor signals_;
};

// Ends this process as the program ended: by the same exit code or the same signal.
[[noreturn]] void end_like(int status);

}  // namespace quadrille::command
