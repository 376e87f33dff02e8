// SPDX-License-Identifier: BSD-3-Clause
// Splits a script by peers, for the hybrid executor: one part for peers in shared memory, one for MPI messages.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "execute/script/script.hpp"

namespace quadrille {

// A script with the messages to and from some peers, and the windows of these messages. It has no copies and no memory.
struct ScriptPart {
  std::shared_ptr<Script> script;
  std::vector<std::uint32_t> of_whole;  // by message of the part: its index in the whole script
};

// Returns the part with the peers for which `rank_in_part` returns a rank; this rank is the peer's number in the part.
// Receives must not be fused.
ScriptPart part_of(const Script& whole, const std::function<std::optional<Rank>(Rank peer)>& rank_in_part);

}  // namespace quadrille
