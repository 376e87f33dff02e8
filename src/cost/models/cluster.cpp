// SPDX-License-Identifier: BSD-3-Clause
// Nodes with one port: T = steps (alpha + beta m). At any time one rank of a node sends to a rank elsewhere and one receives, so a
// round takes all exchanges of a node one after the other, or so many at a time as a node has ports. The ranks and the nodes at the
// two ends may differ, as they do where nodes meet by permutations: a port works both ways at once, and one way does not wait for
// the other. What ranks of one node send each other is hidden behind that, and takes time in rounds without any. Source:
// [sanders2002], sections 1 to 3; its nodes have one port, more are this library's.
#include "cost/models/terms.hpp"

namespace quadrille {
namespace {

Formula formula_of(const Coefficients& coefficients) {
  const Picoseconds startup = time_of(coefficients, "startup_us"), inside_startup = time_of(coefficients, "inside_startup_us");
  const auto ports = static_cast<Count>(coefficients.at("node_ports"));
  const ByteTime transfer = byte_time_of(coefficients, "transfer_us_per_byte"),
                 inside = byte_time_of(coefficients, "inside_us_per_byte");
  return {.of_round = [=](const RoundFigures& round) -> Charges {
    if (round.exchanges > 0)
      return {startups_charge(ceil_divide(round.exchanges, ports), startup),
              bytes_charge(std::max(round.longest_exchange, ceil_divide(round.exchanged, ports)), transfer)};
    return {Charge{}, {}, startups_charge(round.inside_messages, inside_startup), bytes_charge(round.inside_bytes, inside)};
  }};
}

}  // namespace

extern const Model cluster_model{
    .id = "cluster",
    .formula = "T = steps (alpha + beta m): a node's exchanges with other nodes one after the other",
    .source = "sanders2002, section 2",
    .coefficients = {{.key = "startup_us", .meaning = "alpha, of an exchange between nodes"},
                     {.key = "transfer_us_per_byte", .meaning = "beta, of a byte between nodes"},
                     {.key = "inside_startup_us", .meaning = "of a message inside a node", .required = false, .standard = 0},
                     {.key = "inside_us_per_byte", .meaning = "of a byte inside a node", .required = false, .standard = 0},
                     {.key = "node_ports",
                      .meaning = "exchanges of a node with others at a time",
                      .required = false,
                      .standard = 1,
                      .least = 1,
                      .is_whole = true}},
    .needs_nodes = true,
    .terms = {{"exchanges"}, {"exchanged bytes", true}, {"inside messages"}, {"inside bytes", true}},
    .formula_of = formula_of,
};

}  // namespace quadrille
