// SPDX-License-Identifier: BSD-3-Clause
// The linear (postal) model: T = C1 beta + C2 tau. A round takes a start-up and the bytes of its longest message; where a rank has
// more messages than ports, as many start-ups and bytes as its ports can deal with at best. Messages that share a link make the
// bytes of their round as many times as long.
// Source: [bruck1997], section 1.2; [grama2003] for links.
#include "cost/models/terms.hpp"

namespace quadrille {
namespace {

Price price(const Workload& workload, const Coefficients& coefficients) {
  const auto ports = static_cast<Count>(coefficients.at("ports"));
  Count rounds = 0;
  Bytes bytes = 0;
  for (const StageFigures& stage : workload.stages)
    for (const RoundFigures& round : stage.rounds) {
      rounds += ceil_divide(round.messages, ports);
      add_bytes(bytes, std::max(shared_bytes(round), ceil_divide(round.bytes, ports)));
    }
  return sum_of({startups_term("start-ups", rounds, seconds(coefficients, "startup_us")),
                 bytes_term("bytes", bytes, seconds(coefficients, "transfer_us_per_byte"))});
}

}  // namespace

extern const Model linear_model{
    .id = "linear",
    .formula = "T = C1 beta + C2 tau: a round takes a start-up and its longest message, times those that share a link",
    .source = "bruck1997, section 1.2; grama2003",
    .coefficients = {{.key = "startup_us", .meaning = "beta, of a message"},
                     {.key = "transfer_us_per_byte", .meaning = "tau, of a byte"},
                     {.key = "ports", .meaning = "k, messages at a time", .required = false, .standard = 1, .least = 1}},
    .price = price,
};

}  // namespace quadrille
