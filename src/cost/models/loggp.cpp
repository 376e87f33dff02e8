// SPDX-License-Identifier: BSD-3-Clause
// LogGP, round by round: a message of m bytes takes o + (m - 1) G + L + o, and each further one of a rank's n messages in a round
// max(g, o) more, or max(g, 2 o) where it also receives: (n - 1) max(g, 2 o) + 2 o + L + (bytes - n) G.
// Source: [alexandrov1995].
#include "cost/models/terms.hpp"

namespace quadrille {
namespace {

Formula formula_of(const Coefficients& coefficients) {
  const Picoseconds latency = time_of(coefficients, "latency_us"), overhead = time_of(coefficients, "overhead_us"),
                    gap = time_of(coefficients, "gap_us");
  const ByteTime byte_gap = byte_time_of(coefficients, "gap_us_per_byte");
  return {.of_round = [=](const RoundFigures& round) -> Charges {
    return {startups_charge(1, latency + 2 * overhead),
            startups_charge(round.messages - 1, std::max(gap, (round.both_ways ? 2 : 1) * overhead)),
            bytes_charge(std::max<Bytes>(0, round.bytes - round.messages), byte_gap)};
  }};
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
    .terms = {{"rounds"}, {"further messages"}, {"further bytes", true}},
    .formula_of = formula_of,
};

}  // namespace quadrille
