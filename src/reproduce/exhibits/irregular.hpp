// SPDX-License-Identifier: BSD-3-Clause
// The irregular exchanges A1 to A4 of [liu2002]: what they do stage by stage, and how long they take on the paper's machines.
// Counts are in elements, which are never cut.
#pragma once

#include <string>
#include <vector>

#include "quadrille/traffic.hpp"
#include "quadrille/traffic_patterns.hpp"
#include "reproduce/exhibit.hpp"
#include "reproduce/machines.hpp"

namespace quadrille::reproduce {

// A1 to A4 as printed: element by element, with the paper's array and start slots, and the counts known.
std::string irregular_algorithm(int number);

// One element is one byte here. `few` elements go where the paper says "a small number".
inline constexpr Bytes few = 1;
Problem traffic_of(Count ranks, TrafficKind kind, Bytes most, Bytes small = few, std::uint64_t seed = 1);

// A stage with messages to oneself, which the paper counts and schedules leave out: what a rank keeps.
struct StageTrace {
  struct Sent {
    Count round = 0;  // of the stage, from 0
    Rank from = 0, to = 0;
    Bytes length = 0;
  };
  std::string name;
  std::vector<Sent> messages;   // without those to oneself
  std::vector<Count> received;  // messages, by rank
  std::vector<Bytes> longest;   // received, by rank
  std::vector<Bytes> held;      // afterwards, by rank: all that was received
  std::vector<Bytes> kept;      // of the message to oneself, by rank
};

std::vector<StageTrace> trace(const Schedule& schedule);

// The schedule with messages to oneself, for counting, pricing and simulating, none of which knows such messages: two copies of it,
// side by side, in which each rank sends to its twin what the paper has it send to itself, in one more round at the end of each
// stage. Both copies do the same at the same time, so figures and times are those of one.
Schedule with_own_messages(const Schedule& schedule);

Bytes most_received(const std::vector<StageTrace>& stages);  // by a rank in all stages together

Count paper_root(Count ranks);  // ceil(sqrt(P))

std::string_view pattern_name(TrafficKind pattern);  // "Pattern1"

}  // namespace quadrille::reproduce
