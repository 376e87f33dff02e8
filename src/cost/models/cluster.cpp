// SPDX-License-Identifier: BSD-3-Clause
// The cluster model prices nodes with few ports: T = steps (alpha + beta m). The coefficient `matching` says what a port does at
// a time:
//   matching = 0  at most one rank of a node sends to another node, and at most one receives from another node. The sending and the
//                 receiving rank may differ, and so may the two other nodes, as when nodes communicate by permutations: a port is
//                 full-duplex, and neither direction waits for the other. A round takes the time of all exchanges of its busiest
//                 node, one after the other.
//   matching = 1  one rank of a node exchanges with one rank of one other node, in both directions. So the exchanges of a round are
//                 divided into matchings of the nodes, and the round takes as many steps as the least number of matchings
//                 (cost/matchings.hpp: the larger of two bounds; if at most ten nodes are connected, at most one step below the
//                 least). A message without a message in the other direction is a step, too. This is the machine of
//                 [sanders2002].
// A node with several ports has as many exchanges, or is in as many matchings, at a time. Messages within a node take place during
// the exchanges. They take time only in rounds without exchanges.
// Source: [sanders2002], sections 1 to 3. Its nodes have one port; several ports are an extension of this library.
#include "cost/models/terms.hpp"

namespace quadrille {
namespace {

Formula cluster_formula(const Coefficients& coefficients) {
  const Picoseconds startup = time_of(coefficients, "startup_us"), inside_startup = time_of(coefficients, "inside_startup_us");
  const bool in_matchings = coefficients.at("matching") != 0;
  const auto ports = static_cast<Count>(coefficients.at("node_ports"));
  const ByteTime transfer = byte_time_of(coefficients, "transfer_us_per_byte"),
                 inside = byte_time_of(coefficients, "inside_us_per_byte");
  return {.of_round = [=](const RoundFigures& round) -> Charges {
    const Count steps = in_matchings ? round.matchings : round.exchanges;
    const Bytes bytes = in_matchings ? round.matched : round.exchanged;
    if (steps > 0)
      return {startups_charge(ceil_divide(steps, ports), startup),
              bytes_charge(std::max(round.longest_exchange, ceil_divide(bytes, ports)), transfer)};
    return {Charge{}, {}, startups_charge(round.inside_messages, inside_startup), bytes_charge(round.inside_bytes, inside)};
  }};
}

}  // namespace

extern const Model cluster_model{
    .id = "cluster",
    .formula =
        "T = steps (alpha + beta m): the exchanges of the busiest node, or the least matchings of the nodes, one after the other",
    .source = "sanders2002, section 2",
    .coefficients =
        {{.key = "startup_us", .meaning = "alpha, start-up of an exchange between nodes"},
         {.key = "transfer_us_per_byte", .meaning = "beta, time of a byte between nodes"},
         {.key = "inside_startup_us", .meaning = "start-up of a message within a node", .required = false, .standard = 0},
         {.key = "inside_us_per_byte", .meaning = "time of a byte within a node", .required = false, .standard = 0},
         {.key = "node_ports",
          .meaning = "exchanges that a node can have with others at a time",
          .required = false,
          .standard = 1,
          .least = 1,
          .is_whole = true},
         {.key = "matching",
          .meaning =
              "1 if a port communicates with one other node at a time, in both directions; 0 if it sends to one and receives "
              "from another",
          .required = false,
          .standard = 0,
          .most = 1,
          .is_whole = true}},
    .needs_nodes = true,
    .adds_bytes = true,
    .terms = {{"exchanges"}, {"exchanged bytes", true}, {"inside messages"}, {"inside bytes", true}},
    .formula_of = cluster_formula,
};

}  // namespace quadrille
