// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quadrille/execute.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

// Collective: the values of all ranks, in rank order. For values without pointers.
template <class Value>
ByRank<Value> gathered(Communicator& communicator, Value mine) {
  ByRank<Value> all(communicator.size());
  communicator.all_gather(&mine, all.data(), sizeof mine);
  return all;
}

}  // namespace quadrille
