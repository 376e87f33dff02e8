// SPDX-License-Identifier: BSD-3-Clause
// Book of the plans that a rank has made and of the order in which it starts them. Plans are collective: all ranks of a group must
// start them in the same order, or they wait for each other for ever. Who keeps this book can say so instead.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "quadrille/execute.hpp"

namespace quadrille {

class Starts {
 public:
  virtual ~Starts() = default;

  // Of a new plan, its number; `call` is what sentences call it. All ranks make plans in the same order, so a number means the
  // same plan to all of them.
  std::uint32_t enlist(std::string call);
  void strike(std::uint32_t plan) { calls_.erase(plan); }  // it is gone

  // Before each execution. Throws Error{misuse} if the group's transport has been shut down, or if the ranks are seen to start
  // different plans.
  virtual void begin(std::uint32_t plan) = 0;

 protected:
  // A barrier of the group, on its own or as a part of making a plan, has its place in the order, too.
  static constexpr std::uint32_t barrier = 0;

  // "plan 3 (alltoall/direct)"
  std::string call_of(std::uint32_t plan) const;

  [[noreturn]] static void throw_ended();

 private:
  std::map<std::uint32_t, std::string> calls_;  // of the plans that there are
  std::uint32_t last_ = barrier;
};

// An executable whose executions are in the book. `starts` is destroyed after the executable, and so may keep alive what that uses.
class EnlistedExecutable final : public Executable {
 public:
  EnlistedExecutable(std::shared_ptr<Starts> starts, std::string call)
      : starts_(std::move(starts)), plan_(starts_->enlist(std::move(call))) {}
  ~EnlistedExecutable() override { starts_->strike(plan_); }
  EnlistedExecutable(const EnlistedExecutable&) = delete;
  EnlistedExecutable& operator=(const EnlistedExecutable&) = delete;

  // Before the first execution. A rank that fails to make its executable has its place in the list all the same.
  void hold(std::unique_ptr<Executable> executable) { executable_ = std::move(executable); }

  void execute(const std::byte* input, std::byte* output) override {
    starts_->begin(plan_);
    executable_->execute(input, output);
  }
  Phases execute_timed(const std::byte* input, std::byte* output) override {
    starts_->begin(plan_);
    return executable_->execute_timed(input, output);
  }

 private:
  const std::shared_ptr<Starts> starts_;
  std::unique_ptr<Executable> executable_;
  const std::uint32_t plan_;
};

}  // namespace quadrille
