// SPDX-License-Identifier: BSD-3-Clause
// The programs of the hierarchical factor algorithm [sanders2002], for alltoall and alltoallv. Data goes straight from
// source to target. The order of messages is such that each node sends one message to other nodes at a time (or
// `degree` messages) and receives as many. A round is a step of the timetable (patterns/node_timetable.hpp), and a
// stage is one of its phases.
#pragma once

#include <memory>
#include <vector>

#include "quadrille/algorithm.hpp"

namespace quadrille {

std::vector<Parameter> clustered_parameters();

// Functions for the fields of Algorithm.
Program clustered_exchange(const Problem& problem, const Parameters& parameters, const Analysis* analysis, Rank me);
Result<> clustered_applies(const Problem& problem, const Parameters& parameters);
std::shared_ptr<const Analysis> analyse_clustered(const Problem& problem, const Parameters& parameters);
Count clustered_ports(const Problem& problem, const Parameters& parameters);
Count clustered_node_ports(const Problem& problem, const Parameters& parameters);

}  // namespace quadrille
