// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "quadrille/execute.hpp"

namespace quadrille {

// Collective: the values of all ranks, in rank order. For values without pointers.
template <class Value>
std::vector<Value> gathered(Communicator& communicator, Value mine) {
  std::vector<Value> all(static_cast<std::size_t>(communicator.size()));
  communicator.all_gather(&mine, all.data(), sizeof mine);
  return all;
}

}  // namespace quadrille
