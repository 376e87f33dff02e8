// SPDX-License-Identifier: BSD-3-Clause
// Pictures of schedules, as SVG: complete documents that need no fonts or files and follow the reader's light or dark colours.
//
//   std::string svg = draw_space_time(make_schedule(Problem::alltoall(5, 8), "bruck:radix=2"));
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quadrille/schedule.hpp"
#include "quadrille/topology.hpp"
#include "quadrille/verify.hpp"

namespace quadrille {

// All throw Error{too_large} with one sentence where the picture would have more parts than anybody could tell apart. `round`: only
// the messages of this round, instead of those of all rounds; Error{misuse} where nothing is sent in it. Of a barrier its control
// messages are drawn, which are all it has.
//
// `findings` are what `verify` says of this schedule. With any, the picture is one of a wrong schedule: a legend below it tells the
// first finding, how many there are, and how many bytes of the output are missing or foreign at the end. Crosses mark the places;
// the first finding's is circled. Of findings first is the one of the earliest round, then of the lowest rank. Deadlocks, and what
// is wrong at the end, follow from others and come last.

// What the memory of each rank holds at first and after each round [bruck1997, figure 2]: blocks by whom they come from and go to.
// Rounds in which nothing changes are left out, unless something is found in them. Bytes of the output that were never delivered,
// and foreign ones, are marked at the end. Error{misuse} where there are no bytes.
std::string draw_blocks(const Schedule& schedule, const std::vector<Finding>& findings = {});

// Ranks below each other, rounds from left to right, messages as arrows in the colour of their stage, dashed for counts and
// headers. A square: a local operation. With findings, messages that only one end has are drawn half.
std::string draw_space_time(const Schedule& schedule, const std::vector<Finding>& findings = {});

// The network, each directed link in the colour of the bytes that go over it, on the ways that cost.hpp counts. Findings are marked
// at their ranks. Error{misuse} unless the topology has as many ranks as the schedule.
std::string draw_links(const Schedule& schedule, const Topology& topology, std::optional<Count> round = {},
                       const std::vector<Finding>& findings = {});

// The bytes that each rank sends to each, as a matrix. Findings are marked beside the rows of their ranks.
std::string draw_traffic(const Schedule& schedule, std::optional<Count> round = {}, const std::vector<Finding>& findings = {});

}  // namespace quadrille
