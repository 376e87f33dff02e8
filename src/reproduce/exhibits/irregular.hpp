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

// One stage, with what each rank keeps. The paper counts that as a message to oneself; our schedules have no such messages.
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

// The schedule with messages to oneself, for counting, pricing and simulating. These do not know such messages. So the result has
// two copies of the schedule side by side. In one more round at the end of each stage each rank sends to its twin in the other copy
// what the paper has it send to itself. Both copies do the same at the same time, so figures and times are those of one copy.
Schedule with_own_messages(const Schedule& schedule);

Bytes most_received(const std::vector<StageTrace>& stages);  // by a rank in all stages together

Count paper_root(Count ranks);  // ceil(sqrt(P))

std::string_view pattern_name(TrafficKind pattern);  // "Pattern1"

}  // namespace quadrille::reproduce
