// SPDX-License-Identifier: BSD-3-Clause
// A communicator as Python holds it. Plans and requests share it.
#pragma once

#include <functional>
#include <memory>

#include "bindings.hpp"
#include "quadrille/execute.hpp"

namespace quadrille::python {

// Calls `function` without the interpreter's lock, which the caller may or may not hold.
void without_lock(const std::function<void()>& function);

class Ranks {
 public:
  explicit Ranks(std::unique_ptr<Communicator> own) : own_(std::move(own)), group_(own_.get()) {}
  explicit Ranks(Communicator& lent) : group_(&lent) {}  // call `end` before `lent` is destroyed
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  void end() { group_ = nullptr; }

  // Throws Error{misuse} if the group has ended.
  Communicator& group() const;

 private:
  friend class Use;
  friend class Waiting;

  std::unique_ptr<Communicator> own_;
  Communicator* group_;
  int uses_ = 0;  // the interpreter's lock guards it
};

// One use of a group by one thread, which runs without the interpreter's lock. Throws Error{misuse} if the group has ended, or if
// another thread uses it.
class Use {
 public:
  explicit Use(Ranks& ranks);
  ~Use() { --ranks_.uses_; }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

  // Calls the function without the lock.
  template <class Function>
  auto operator()(const Function& function) const {
    const LockReleased released;
    return function(group_);
  }

 private:
  Ranks& ranks_;
  Communicator& group_;
};

// A wait that is no call, so that it cannot be refused. Meanwhile, other uses of the group are.
class Waiting {
 public:
  explicit Waiting(Ranks& ranks) : ranks_(ranks) { ++ranks.uses_; }
  ~Waiting() { --ranks_.uses_; }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  Ranks& ranks_;
};

// Calls the function with the group, as one use of it.
template <class Function>
auto with_group(Ranks& ranks, const Function& function) {
  return Use(ranks)(function);
}

}  // namespace quadrille::python
