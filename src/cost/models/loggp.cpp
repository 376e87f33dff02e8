// SPDX-License-Identifier: BSD-3-Clause
// LogGP, round by round: a message of m bytes takes o + (m - 1) G + L + o, and each further one of a rank's n messages in a round
// max(g, o) more, or max(g, 2 o) where it also receives: (n - 1) max(g, 2 o) + 2 o + L + (bytes - n) G.
// Source: [alexandrov1995].
#include "cost/models/terms.hpp"

namespace quadrille {
namespace {

Price price(const Workload& workload, const Coefficients& coefficients) {
  const double latency = seconds(coefficients, "latency_us"), overhead = seconds(coefficients, "overhead_us"),
               gap = seconds(coefficients, "gap_us");
  Count rounds = 0, further = 0;
  Bytes bytes = 0;
  double further_s = 0;
  for (const StageFigures& stage : workload.stages)
    for (const RoundFigures& round : stage.rounds) {
      ++rounds;
      further += round.messages - 1;
      further_s += static_cast<double>(round.messages - 1) * std::max(gap, (round.both_ways ? 2 : 1) * overhead);
      add_bytes(bytes, std::max<Bytes>(0, round.bytes - round.messages));
    }
  return sum_of({startups_term("rounds", rounds, latency + 2 * overhead),
                 {"further messages", further, false, further_s},
                 bytes_term("further bytes", bytes, seconds(coefficients, "gap_us_per_byte"))});
}

}  // namespace

extern const Model loggp_model{
    .id = "loggp",
    .formula = "a round takes 2 o + L, a rank's further messages max(g, o) each, further bytes G each",
    .source = "alexandrov1995",
    .coefficients = {{.key = "latency_us", .meaning = "L, of a short message on its way"},
                     {.key = "overhead_us", .meaning = "o, of a processor that sends or receives a message"},
                     {.key = "gap_us", .meaning = "g, from one message of a rank to its next"},
                     {.key = "gap_us_per_byte", .meaning = "G, of a further byte of a message"}},
    .price = price,
};

}  // namespace quadrille
