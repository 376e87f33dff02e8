// SPDX-License-Identifier: BSD-3-Clause
#include "plan/calls.hpp"

namespace quadrille {

std::shared_ptr<Calls> Communicator::shared_calls() { return std::make_shared<Calls>(); }

Calls& Communicator::make_calls() {
  calls_ = shared_calls();
  return *calls_;
}

}  // namespace quadrille
