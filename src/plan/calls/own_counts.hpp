// SPDX-License-Identifier: BSD-3-Clause
// An alltoallv on untyped memory, as a call with counts: what this rank sends to each rank and receives from each, without gaps.
#pragma once

#include <vector>

#include "quadrille/irregular_call.hpp"
#include "quadrille/problem.hpp"

namespace quadrille {

class OwnCounts {
 public:
  // `problem` must pass check(). Throws Error{misuse} if the buffers overlap; `function` is the function that the program has
  // called.
  OwnCounts(const Problem& problem, Rank me, const void* input, void* output, std::string_view function);
  OwnCounts(const OwnCounts&) = delete;
  OwnCounts& operator=(const OwnCounts&) = delete;

  const IrregularCall& call() const { return call_; }

 private:
  std::vector<Bytes> sent_, received_;
  IrregularCall call_;
};

}  // namespace quadrille
