// SPDX-License-Identifier: BSD-3-Clause
// Draws schedules as SVG. Each picture is a complete document, needs no fonts or other files, and follows the
// reader's light or dark colour scheme.
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

struct DrawOptions {
  // The result of `verify` for this schedule. If there are findings, the picture has crosses where they are, and a circle
  // around the first. The headline has the number of findings and the number of causes (fault_cause.hpp). A legend below states
  // the first cause, the first finding, and how many bytes of the output are missing or wrong at the end. Findings are ordered by
  // round, then by rank. Deadlocks and errors in the final output come last, because other findings cause them.
  std::vector<Finding> findings;
  // For links and traffic: draws only the messages of this round. Throws Error{misuse} if the round has no messages.
  std::optional<Count> round;
  // For links: draws a panel for each round that has messages, all with the same colours. Only the first `most_panels` of these
  // rounds are drawn; the picture says how many are left out.
  bool each_round = false;
  Count most_panels = 12;
  // For space-time diagrams: draws only the messages that this rank sends or receives. Throws Error{misuse} if there is no such
  // rank.
  std::optional<Rank> only_rank;
  // For blocks: panels stand beside each other up to this many pixels, instead of as on a screen.
  std::optional<double> row_width;
  // Further words for the headline, such as "pattern power-law".
  std::string note;
};

// All functions return the text of an SVG document. They throw Error{too_large} if the picture would have more parts than a
// reader can distinguish. For a barrier, control messages are drawn, because it has no other messages.

// Draws what the memory of each rank holds at the start and after each round [bruck1997, figure 2]. Each block is
// labelled with its origin and its destination. Rounds in which nothing changes are left out, unless they have
// findings. Missing and wrong bytes of the output are marked at the end. Throws Error{misuse} if there are no bytes.
std::string draw_blocks(const Schedule& schedule, const DrawOptions& options = {});

// Draws a space-time diagram: ranks from top to bottom, rounds from left to right, messages as arrows in the colour
// of their stage. Arrows of control messages are dashed. A square is a local operation. With findings, a message that
// has only one end is drawn as half an arrow.
std::string draw_space_time(const Schedule& schedule, const DrawOptions& options = {});

// Draws the network. The colour of a directed link shows the bytes that cross it, on the routes that link_figures
// (cost.hpp) uses. Findings are marked at their ranks. Throws Error{misuse} if the topology has a different number of
// ranks from the schedule.
std::string draw_links(const Schedule& schedule, const Topology& topology, const DrawOptions& options = {});

// Draws the bytes that each rank sends to each other rank, as a matrix. Findings are marked beside the rows of their
// ranks.
std::string draw_traffic(const Schedule& schedule, const DrawOptions& options = {});

}  // namespace quadrille
