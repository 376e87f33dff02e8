// SPDX-License-Identifier: BSD-3-Clause
// The problem that a recorded call poses, from the arguments of all members of the communicator; and the number of a call among
// the calls of its kind.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "quadrille/problem.hpp"
#include "quadrille/recording.hpp"
#include "quadrille/result.hpp"

namespace quadrille::projection {

struct CallForm {
  Collective collective{};
  bool is_of_neighbours = false;  // if true, the problem is an alltoallv among neighbours
  bool is_nonblocking = false;    // or persistent
};

// The form of a function such as "Alltoall", "Ialltoall" or "Alltoall_init"; nothing for an unknown one.
std::optional<CallForm> form_of(std::string_view function);

// Is this a function that makes communicators, which all members of the communicator call, and in which they wait for each other?
bool makes_together(std::string_view function);

// `sites`: indices in Recording::sites, one for each member. `nodes`: the node of each member, numbered from 0. Returns the
// reason if the problem does not follow from what was recorded.
Result<Problem> problem_of_call(const Recording& recording, std::span<const std::uint32_t> sites, std::vector<Count> nodes);

// Numbers the calls of a kind: of a function, with blocks of a size class, on a communicator. All calls of a function with
// counts, on one communicator, are one kind. The MPI library executes the first calls of a kind on both sides.
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
