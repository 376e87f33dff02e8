// SPDX-License-Identifier: BSD-3-Clause
// Tells whether an object is used in a forked child of the process that made it. Unlike getpid() it takes no system call. It
// notices fork() only: _Fork(), clone() and vfork() run no handlers, and their children must not use objects of their parent.
#pragma once

#include <atomic>

namespace quadrille {

class ForkMark {
 public:
  ForkMark();

  // True in a child that was forked after this object was made.
  bool is_in_child() const { return made_ != forks_.load(std::memory_order_relaxed); }

 private:
  static std::atomic<unsigned> forks_;  // how many forks lie between the first process and this one; each new child adds 1
  const unsigned made_;
};

}  // namespace quadrille
