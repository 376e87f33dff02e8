// SPDX-License-Identifier: BSD-3-Clause
// Calls of one communicator that are alike: what runs them, and how often they came. All that is kept here follows from what MPI
// makes equal on all ranks, so that all ranks do the same at the same call.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mpi_face/function.hpp"
#include "quadrille/execute.hpp"

namespace quadrille::mpi_face {

struct Key {
  Function function = Function::Barrier;
  Bytes block_bytes = 0;
  int element = -1;                     // of reductions (ElementType::number)
  const Operator* operation = nullptr;  // of reductions; one object for each of MPI's
  bool operator==(const Key&) const = default;
};

struct Site {
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  enum class Mode {
    counting,  // the MPI library's; at `next_event` a plan is made
    trial,     // the MPI library's, with ours beside it at each call
    ours,
    vendor,  // for good
  };

  Key key;
  Mode mode = Mode::counting;
  std::uint64_t calls = 0;
  std::uint64_t next_event = never;  // the call at which more is to be done than running it
  std::optional<Plan> plan;
  std::vector<double> ratios;  // ours / the MPI library's, of the calls at which both were timed
  std::string why;             // it is the MPI library's
};

// At which call a plan is made: when the calls so far have taken about as long as making it does. So a program loses no more than
// it would have gained, and nobody pays for what is called once. `moved` bytes leave or reach a rank.
std::uint64_t call_of_plan(Count ranks, Bytes moved);

// The median of the ratios says that ours is slower, or gains too little to be taken.
bool has_lost(const Site& site);

}  // namespace quadrille::mpi_face
