// SPDX-License-Identifier: BSD-3-Clause
// Describes how a call was run, for the report.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "quadrille/types.hpp"

namespace quadrille::mpi_face {

struct Site;

struct CallOutcome {
  Site* site = nullptr;   // the site of this kind of call; null if there is none
  Bytes block_bytes = 0;  // size of one block, which determines the size class of the call; 0 if unknown
  bool is_root = false;   // true if this rank is the root of a rooted call
  bool by_ours = false;
  std::uint64_t settling_ticks = 0;         // part of the call's time that was spent on groups, plans and trials
  std::optional<std::uint64_t> late_ticks;  // part that was spent waiting for late ranks, if it was measured
  std::string_view why;  // if `site` is null: why the MPI library ran the call; valid until the communicator is freed
};

}  // namespace quadrille::mpi_face
