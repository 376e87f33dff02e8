// SPDX-License-Identifier: BSD-3-Clause
// The irregular exchanges A1 to A4 of [liu2002]: what they do in each stage, and how long they take on the paper's
// machines. Counts are in elements, which are never split.
#pragma once

#include <string>
#include <vector>

#include "papers/exhibit.hpp"
#include "papers/problems.hpp"
#include "quadrille/traffic.hpp"
#include "quadrille/traffic_patterns.hpp"

namespace quadrille::papers {

// Returns the specification of A1 to A4 as printed: element by element, with the paper's array and start slots, and
// with known counts.
std::string irregular_algorithm(int number);

// The paper does not say how many elements its "small number" has. `few` is the first of the numbers that are tried. A number
// counts as small if the longest message has at least `least_variance` times as many elements. An element is one byte here.
inline constexpr Bytes few = 1;
inline constexpr Bytes small_numbers[] = {few, 4};
inline constexpr Bytes least_variance = 4;
// `most` is also the length of equal messages.
Problem traffic_of(Count ranks, TrafficKind kind, Bytes most, Bytes small = few, std::uint64_t seed = 1);

// One stage. The paper counts the data that a rank keeps for itself as a message to oneself; our schedules have no such messages.
struct StageTrace {
  struct Sent {
    Count round = 0;  // within the stage, from 0
    Rank from = 0, to = 0;
    Bytes length = 0;
  };
  std::string name;
  std::vector<Sent> messages;   // without messages to oneself
  std::vector<Count> received;  // number of messages, by rank
  std::vector<Bytes> longest;   // longest received message, by rank
  std::vector<Bytes> held;      // by rank: all elements that the rank has received in the stage, which it holds after it
  std::vector<Bytes> kept;      // elements of the message to oneself, by rank
};

std::vector<StageTrace> trace(const Schedule& schedule);

// Returns the schedule with messages to oneself, for counting, pricing and simulating. Schedules of the table have no such
// messages. So the result has two copies of the schedule side by side. Each stage ends with one more round: each rank sends to
// the same rank of the other copy the data that, in the paper, it sends to itself. Both copies do the same at the same time, so
// the result has the figures and times of one copy.
Schedule with_own_messages(const Schedule& schedule);

// Returns the schedule with two send buffers that are used in turn, for simulating its dataflow [liu2002, section 3.4]: the
// messages of a stage leave a buffer when all messages of earlier stages have arrived and have been distributed into this buffer.
// They are distributed into it when the messages of two stages earlier have left it. Distributing takes no time here.
Schedule with_two_buffers(const Schedule& schedule);

Bytes most_received(const std::vector<StageTrace>& stages);  // by any rank in all stages together
Bytes most_held(const std::vector<StageTrace>& stages);      // by any rank after any stage

Count paper_root(Count ranks);  // ceil(sqrt(P))

std::string_view pattern_name(TrafficKind pattern);  // "Pattern1"

// The machines of section 4.
struct PaperPlatform {
  const char *machine, *title;
  Bytes element_bytes;

  // Returns the number of elements that a rank sends or receives below which saving `startups` start-ups is worth `volume` more L,
  // in blocking mode by table 1.
  double worth_it_below(double startups, double volume) const;
};
inline constexpr PaperPlatform platforms[] = {{"t3d", "T3D", 48}, {"sp2", "SP2", 22}};
constexpr const PaperPlatform& platform_of(std::string_view machine) { return platforms[machine == "t3d" ? 0 : 1]; }

}  // namespace quadrille::papers
