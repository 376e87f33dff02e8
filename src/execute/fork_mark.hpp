// SPDX-License-Identifier: BSD-3-Clause
// Tells a forked child from the process in which something was made. Unlike getpid() it takes no system call. It
// sees fork(); _Fork(), clone() and vfork() run no handlers, and their children must not use what was made before.
#pragma once

#include <atomic>

namespace quadrille {

class ForkMark {
 public:
  ForkMark();

  // True in a child that was forked since this was made.
  bool is_in_child() const { return made_ != forks_.load(std::memory_order_relaxed); }

 private:
  static std::atomic<unsigned> forks_;  // on the way from the first process to this one; written in a new child, by its one thread
  const unsigned made_;
};

}  // namespace quadrille
