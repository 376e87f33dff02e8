// SPDX-License-Identifier: BSD-3-Clause
// Pictures of schedules, as SVG: complete documents that need no fonts or files and follow the reader's light or dark colours.
//
//   std::string svg = draw_space_time(make_schedule(Problem::alltoall(5, 8), "bruck:radix=2"));
#pragma once

#include <optional>
#include <string>

#include "quadrille/schedule.hpp"
#include "quadrille/topology.hpp"

namespace quadrille {

// All throw Error{too_large} with one sentence where the picture would have more parts than anybody could tell apart. `round`: only
// the messages of this round, instead of those of all rounds; Error{misuse} where nothing is sent in it. Of a barrier its control
// messages are drawn, which are all it has.

// What the memory of each rank holds at first and after each round [bruck1997, figure 2]: blocks by whom they come from and go to.
// Rounds in which nothing changes are left out. Error{misuse} where there are no bytes.
std::string draw_blocks(const Schedule& schedule);

// Ranks below each other, rounds from left to right, messages as arrows in the colour of their stage, dashed for counts and
// headers. A square: a local operation.
std::string draw_space_time(const Schedule& schedule);

// The network, each directed link in the colour of the bytes that go over it, on the ways that cost.hpp counts. Error{misuse}
// unless the topology has as many ranks as the schedule.
std::string draw_links(const Schedule& schedule, const Topology& topology, std::optional<Count> round = {});

// The bytes that each rank sends to each, as a matrix.
std::string draw_traffic(const Schedule& schedule, std::optional<Count> round = {});

}  // namespace quadrille
