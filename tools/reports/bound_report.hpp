// SPDX-License-Identifier: BSD-3-Clause
// Lower bounds as text, and how far algorithms are from them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "quadrille/bound.hpp"

namespace quadrille::command {

// Returns a figure divided by its bound, "1.12"; a dash if there is no bound, or none above 0.
std::string over_bound_text(double figure, const std::optional<double>& bound);

// Returns the least time of any schedule by the model, or nothing if no bound of its times is known or there is nothing to do. If
// there are many ranks, links are left out (quick_bounds). `by_rounds` as in time_bound.
std::optional<double> least_seconds(const Problem& problem, const Model& model, const MachineCosts& machine,
                                    const Topology* topology, bool by_rounds);

// One line for each bound: the bounds of a figure together, the greatest first.
std::string bounds_text(std::vector<Bound> bounds);

// Checks each bound of a document. Returns a line for each; `is_good` becomes false if one is not proved.
std::string check_text(const BoundDocument& document, bool& is_good);

// Counts the schedules of all algorithms of a collective, with their default parameters, without a network and on rings, tori,
// hypercubes and fat trees that have as many ranks. Returns a table of the greatest ratio of each figure to its bound. `show` is
// called before each schedule.
std::string worst_ratios_text(Collective collective, const std::vector<Count>& ranks, Bytes block_bytes,
                              const std::function<void(const std::string& what)>& show);

}  // namespace quadrille::command
