// SPDX-License-Identifier: BSD-3-Clause
// Finds the places where a choice changes as one quantity grows.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "quadrille/flips.hpp"

namespace quadrille {

using Deadline = std::chrono::steady_clock::time_point;

// Adds the flips after `first` up to and including `last`, two values whose choices are known. It bisects between them until
// `is_near` says that two values are close enough. It may miss a choice that changes and changes back between two examined values.
void find_changes(const Flip& first, const Flip& last, const std::function<std::string(Count)>& way_at,
                  const std::function<bool(Count from, Count to)>& is_near, std::vector<Flip>& changes);

// The choice at a value.
struct Taken {
  std::string way;
  std::vector<std::string> tied = {};  // other ways that are as good, as far as predictions can tell
};

// Calls `taken_at` for each of the ascending `values`. If `bisects`, it also bisects between neighbours with different choices
// until the flip is known to 3 %. It stops at the deadline. Neighbouring choices that are tied at all examined values of both
// become one flip, which names the others as tied with it.
Flips find_flips(const std::vector<Count>& values, bool bisects, Deadline deadline, const std::function<Taken(Count)>& taken_at);

// Returns the numbers of elements 1, 2, 4 and so on whose blocks have at most `most_block_bytes` bytes.
std::vector<Count> powers_of_elements(Bytes element_bytes);

// Returns the problem with blocks of this size: by `at_block`, or else the same problem with its block size changed.
Problem with_block(const Problem& problem, Bytes block_bytes, const AtBlock& at_block);

// Returns true if with_block can change the sizes.
bool has_other_blocks(const Problem& problem, const AtBlock& at_block);

// Note of flips by size of a problem whose sizes cannot be changed.
std::string why_no_other_blocks(const Problem& problem);

}  // namespace quadrille
