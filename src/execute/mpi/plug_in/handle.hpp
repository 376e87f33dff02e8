// SPDX-License-Identifier: BSD-3-Clause
// A user's hold of a communicator that plans may need for longer than the user does.
#pragma once

#include <cstdlib>
#include <memory>
#include <utility>

#include "quadrille/execute.hpp"

namespace quadrille {

class CommunicatorHandle final : public Communicator {
 public:
  explicit CommunicatorHandle(std::shared_ptr<Communicator> held) : held_(std::move(held)) {}

  Rank rank() const override { return held_->rank(); }
  Count size() const override { return held_->size(); }
  std::string_view transport_name() const override { return held_->transport_name(); }
  const std::vector<Count>& nodes() const override { return held_->nodes(); }
  void barrier() override { held_->barrier(); }
  void all_gather(const void* mine, void* all, Bytes count) override { held_->all_gather(mine, all, count); }
  std::shared_ptr<std::byte> allocate(Bytes bytes) override { return held_->allocate(bytes); }
  [[noreturn]] void abort(int exit_code) override {
    held_->abort(exit_code);
    std::_Exit(exit_code);
  }
  Transport& transport() override { return held_->transport(); }

 private:
  const std::shared_ptr<Communicator> held_;
};

}  // namespace quadrille
