// SPDX-License-Identifier: BSD-3-Clause
// Numbers the calls of a kind: of a function, with blocks of a size class, on a communicator. Calls with counts are one kind. The
// first calls of a kind are the MPI library's on both sides.
#pragma once

#include <cstdint>
#include <vector>

#include "quadrille/recording.hpp"

namespace quadrille::projection {

class CallKinds {
 public:
  explicit CallKinds(const Recording& recording);

  // Returns the number of the next call at this site among the calls of its kind, from 1 on.
  Count next(std::uint32_t site) { return ++calls_[kinds_[site]]; }

 private:
  std::vector<std::uint32_t> kinds_;  // by site
  std::vector<Count> calls_;          // by kind
};

}  // namespace quadrille::projection
