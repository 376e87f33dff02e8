// SPDX-License-Identifier: BSD-3-Clause
// The programs of filled rounds.
#pragma once

#include "flow/filling.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille {

// Returns the programs of all ranks. Bytes that a rank only forwards are in its scratch memory, which is used again in later
// rounds.
std::vector<Program> flow_programs(const Problem& problem, const RankNetwork& network, const std::vector<BlockPart>& parts,
                                   const FilledRounds& filled);

}  // namespace quadrille
