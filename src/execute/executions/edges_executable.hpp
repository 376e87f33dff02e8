// SPDX-License-Identifier: BSD-3-Clause
// What executables of exchanges by edges have in common: an execution that fails ends this executable, and tells the other ranks.
#pragma once

#include <exception>

#include "execute/executable.hpp"
#include "execute/executions/exchanger.hpp"

namespace quadrille {

// The input of an execution is an Edges.
class EdgesExecutable : public Executable {
 public:
  void execute(const std::byte* input, std::byte*, Phases*) final {
    begin(input, nullptr);
    finish();
  }
  bool runs_in_parts() const final { return true; }
  void begin(const std::byte* input, std::byte*) final {
    if (is_broken_) throw_lost();
    attempt([&] { start(Exchanger::edges_of(input)); });
  }
  bool advance() final {
    if (!attempt([this] { return proceed(); })) return false;
    end();
    return true;
  }
  void finish() final {
    attempt([this] { complete(); });
    end();
  }
  void abandon(const Error& why) noexcept final {
    is_broken_ = true;
    give_up(why);
  }

 protected:
  virtual void start(const Edges& edges) = 0;
  virtual bool proceed() = 0;   // does not wait; returns whether all edges are complete
  virtual void complete() = 0;  // waits until they are
  virtual void end() = 0;       // may throw Error{misuse}, after which the ranks may go on
  virtual void give_up(
      const Error& why) noexcept = 0;  // fails the ranks that wait for this one; `why` is told if they have no reason
  [[noreturn]] virtual void throw_lost() const = 0;

 private:
  template <class Part>
  auto attempt(Part&& part) -> decltype(part()) {
    try {
      return part();
    } catch (const Error& why) {
      abandon(why);
      throw;
    } catch (const std::exception& why) {
      abandon(Error(ErrorCode::environment, why.what()));
      throw;
    }
  }

  bool is_broken_ = false;
};

}  // namespace quadrille
