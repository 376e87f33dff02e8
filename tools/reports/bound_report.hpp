// SPDX-License-Identifier: BSD-3-Clause
// Lower bounds as text, and how far algorithms are from them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "options/cases.hpp"
#include "quadrille/bound.hpp"
#include "support/text.hpp"

namespace quadrille::command {

// Returns a figure divided by its bound, "1.12"; a dash if there is no bound, or none above 0.
std::string over_bound_text(double figure, const std::optional<double>& bound);

// Returns the least time of any schedule by the model, or nothing if no bound of its times is known or there is nothing to do. If
// the network, or the number of ranks, is large, links are left out. `by_rounds` as in time_bound.
std::optional<double> least_seconds(const Problem& problem, const Model& model, const MachineCosts& machine,
                                    const Topology* topology, bool by_rounds);

// One line for each bound: the bounds of a figure together, the greatest first.
std::string bounds_text(std::vector<Bound> bounds);

// Checks each bound of a document. Returns a line for each; `is_good` becomes false if one is not proved.
std::string check_text(const BoundDocument& document, bool& is_good);

// The greatest ratios of an algorithm over the problems with which it works.
struct WorstRatios {
  std::string algorithm;
  std::vector<double> ratios;  // C1, C2, then C2 shared on each network; 0: the algorithm worked with no problem, or has no bound
};

// The names of the networks, for headings, and the network of one kind with this many ranks, if there is one.
inline constexpr const char* compared_networks[] = {"ring", "torus", "hypercube", "fat tree"};
std::optional<Topology> compared_network(std::size_t kind, Count ranks);

// Counts the schedules of all algorithms of a collective, with their default parameters, without a network and on those networks
// that have as many ranks. `show` is called before each.
std::vector<WorstRatios> worst_ratios(Collective collective, const std::vector<Count>& ranks, Bytes block_bytes,
                                      const std::function<void(const std::string& what)>& show);

}  // namespace quadrille::command
