// SPDX-License-Identifier: BSD-3-Clause
// Nodes with one port: T = steps (alpha + beta m). At any time one rank of a node exchanges with one rank elsewhere, so a round
// takes all exchanges of a node one after the other. What ranks of one node send each other is hidden behind that, and takes time
// in rounds without any. Source: [sanders2002], sections 1 and 2.
#include "cost/models/terms.hpp"

namespace quadrille {
namespace {

Price price(const Workload& workload, const Coefficients& coefficients) {
  Count exchanges = 0, inside_messages = 0;
  Bytes exchanged = 0, inside_bytes = 0;
  for (const StageFigures& stage : workload.stages)
    for (const RoundFigures& round : stage.rounds) {
      exchanges += round.exchanges;
      add_bytes(exchanged, round.exchanged);
      if (round.exchanges > 0) continue;
      inside_messages += round.inside_messages;
      add_bytes(inside_bytes, round.inside_bytes);
    }
  return sum_of({startups_term("exchanges", exchanges, seconds(coefficients, "startup_us")),
                 bytes_term("exchanged bytes", exchanged, seconds(coefficients, "transfer_us_per_byte")),
                 startups_term("inside messages", inside_messages, seconds(coefficients, "inside_startup_us")),
                 bytes_term("inside bytes", inside_bytes, seconds(coefficients, "inside_us_per_byte"))});
}

}  // namespace

extern const Model cluster_model{
    .id = "cluster",
    .formula = "T = steps (alpha + beta m): a node's exchanges with other nodes one after the other",
    .source = "sanders2002, section 2",
    .coefficients = {{.key = "startup_us", .meaning = "alpha, of an exchange between nodes"},
                     {.key = "transfer_us_per_byte", .meaning = "beta, of a byte between nodes"},
                     {.key = "inside_startup_us", .meaning = "of a message inside a node", .required = false, .standard = 0},
                     {.key = "inside_us_per_byte", .meaning = "of a byte inside a node", .required = false, .standard = 0}},
    .needs_nodes = true,
    .price = price,
};

}  // namespace quadrille
