// SPDX-License-Identifier: BSD-3-Clause
// An all_gather for one value per rank.
#pragma once

#include "quadrille/execute.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

// Collective: gathers the values of all ranks, in rank order. The type must not contain pointers.
template <class Value>
ByRank<Value> gathered(Communicator& communicator, Value mine) {
  ByRank<Value> all(communicator.size());
  communicator.all_gather(&mine, all.data(), sizeof mine);
  return all;
}

}  // namespace quadrille
