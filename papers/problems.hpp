// SPDX-License-Identifier: BSD-3-Clause
// Problems and machines for exhibits, and the messages that a rank sends. The papers' machines are read from the installed files,
// never from files with the same names in the user's folder.
#pragma once

#include <string>
#include <vector>

#include "quadrille/algorithm.hpp"
#include "quadrille/model.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille::papers {

const MachineCosts& machine_of_paper(const std::string& name);  // throws Error{environment} if it is not installed

Problem problem_of(Collective collective, Count ranks, Bytes block_bytes);

// An exchange among nodes of given sizes.
Problem on_nodes(const std::vector<Count>& sizes, Bytes block_bytes = 1);

// The fewest steps of an exchange among these nodes in which each block goes straight to its target, and in which a node has one
// exchange at a time, with one other node and in both directions: the larger of the bounds by matchings.
Count least_exchange_steps(const std::vector<Count>& sizes);

// Prices a schedule by the linear model on one port, with 1 us for a byte. On a network, the bytes of a round are multiplied by the
// number of messages on its busiest link.
Price plain_price(const Problem& problem, const char* specification, double startup_us, const Topology* network = nullptr);

struct Move {
  Count round = 0;   // from 0
  Count offset = 0;  // the receiver is rank + offset, modulo p
  Bytes length = 0;
  std::vector<Bytes> places;  // offset in its buffer of each byte that is sent, in ascending order
};

// Lists the messages that one rank sends, from its program.
std::vector<Move> moves_of(const Schedule& schedule, Rank rank);

std::vector<Bytes> places_of(const Regions& regions);  // each byte's offset in its buffer

// Returns the longest message of each round that has messages.
std::vector<Bytes> longest_by_round(const Schedule& schedule);

Bytes longest_message(const Schedule& schedule);

Count ceil_log(Count n, Count base);  // the least d with base^d >= n

std::string listed(const std::vector<Bytes>& numbers);  // "1 2 5"

}  // namespace quadrille::papers
