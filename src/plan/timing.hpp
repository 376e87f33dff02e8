// SPDX-License-Identifier: BSD-3-Clause
// Timing plans on all ranks of a group, by the clock that all processes of a machine share.
#pragma once

#include <memory>
#include <vector>

#include "quadrille/execute.hpp"

namespace quadrille {

std::int64_t now_ns();

// Whole pages, of this process's own memory or of what the ranks share. Throws Error{too_large}.
std::shared_ptr<std::byte> buffer(Communicator& communicator, Bytes bytes, bool shared);

template <class Value>
std::vector<Value> gathered(Communicator& communicator, Value mine) {
  std::vector<Value> all(static_cast<std::size_t>(communicator.size()));
  communicator.all_gather(&mine, all.data(), sizeof mine);
  return all;
}

struct Interval {
  std::int64_t start, end;
};

// Collective: from the first rank's start to the last rank's end.
double span_seconds(Communicator& communicator, Interval mine);

// Seconds of one run in a batch of `runs`: last end minus first start.
double batch_seconds(Communicator& communicator, Plan& plan, Count runs, const std::byte* input, std::byte* output);

}  // namespace quadrille
