// SPDX-License-Identifier: BSD-3-Clause
// Scripts whose messages go different ways: a part for each way.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "execute/script.hpp"

namespace quadrille {

// The messages of a script with some of its peers: a script that has these messages and their windows, and
// neither copies nor memory.
struct ScriptPart {
  std::shared_ptr<Script> script;
  std::vector<std::uint32_t> of_whole;  // by message of the part: its place in the whole script
};

// `rank_in_part` gives the peer's rank there, or nothing if messages with it belong to another part. Receives must not be fused.
ScriptPart part_of(const Script& whole, const std::function<std::optional<Rank>(Rank peer)>& rank_in_part);

}  // namespace quadrille
