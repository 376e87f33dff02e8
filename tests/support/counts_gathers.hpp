// SPDX-License-Identifier: BSD-3-Clause
// A communicator over threads that counts all_gathers: making a plan uses one, finding a plan and exchanging by edges use none.
#pragma once

#include "execute/shared/communicator.hpp"

namespace quadrille::testing {

class CountsGathers : public SharedCommunicator {
 public:
  explicit CountsGathers(Communicator& threads) : CountsGathers(dynamic_cast<SharedCommunicator&>(threads)) {}
  void all_gather(const void* mine, void* all, Bytes count) override {
    ++gathers_;
    SharedCommunicator::all_gather(mine, all, count);
  }
  long gathers() const { return gathers_; }

 private:
  explicit CountsGathers(SharedCommunicator& of) : SharedCommunicator(of.space(), of.transport_name(), of.costs()) {}
  long gathers_ = 0;
};

}  // namespace quadrille::testing
