// SPDX-License-Identifier: BSD-3-Clause
// Messages of wrong schedules that have only one end: sends that nobody receives, and receives for which nobody sends.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "topology/round_messages.hpp"

namespace quadrille {

using LoneEnd = std::tuple<Rank, Rank, std::optional<Port>>;  // sender and receiver

struct LoneEnds {
  std::map<Count, std::multiset<LoneEnd>> sends;  // by round
  std::map<Count, std::vector<LoneEnd>> receives;
};

LoneEnds lone_ends(const Problem& problem, const std::vector<Program>& programs, const MessagesByRound& messages);

}  // namespace quadrille
