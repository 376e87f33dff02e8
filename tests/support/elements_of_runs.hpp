// SPDX-License-Identifier: BSD-3-Clause
// Lists the elements of a set of indices that is given as runs.
#pragma once

#include <vector>

#include "patterns/covers.hpp"

namespace quadrille::testing {

inline std::vector<Count> elements(const IndexSet& set) {
  std::vector<Count> list;
  for (const Runs& runs : set)
    for (Count i = 0; i < runs.count; ++i)
      for (Count j = 0; j < runs.length; ++j) list.push_back(runs.first + i * runs.stride + j);
  return list;
}

}  // namespace quadrille::testing
