// SPDX-License-Identifier: BSD-3-Clause
// Typed calls of the library in the programs of seeds.
#pragma once

#include <cstdint>
#include <string>

#include "quadrille/execute.hpp"

namespace quadrille::seeds {

// Collective. Both return what is wrong on this rank, or "". The first makes each typed call in each form, also in place.
std::string make_typed_calls(Communicator& ranks, std::uint64_t seed);
std::string exchange_with_neighbors(Communicator& ranks, std::uint64_t seed);

}  // namespace quadrille::seeds
