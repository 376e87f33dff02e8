// SPDX-License-Identifier: BSD-3-Clause
// LogGP, applied round by round. A message of m bytes takes o + (m - 1) G + L + o. If a rank has n messages in a round, each of
// them after the first adds max(g, o), or max(g, 2 o) if the rank also receives. So a round takes (n - 1) max(g, 2 o) + 2 o + L +
// (bytes - n) G. With k ports, each port has its own gaps and bytes, but the overheads of the processor are added up. If links
// are counted and the busiest link carries more bytes than the rank, the link's bytes count. Messages that wait for their
// receiver's port count there (RoundFigures::queue). Under the policies nonblocking and dataflow a window counts as one round.
// Source: [alexandrov1995]; ports and links are extensions of this library.
#include "cost/models/terms.hpp"
#include "quadrille/model.hpp"

namespace quadrille {
namespace {

Bytes further_bytes(const RoundFigures& round, Count ports) {
  return std::max({Bytes{0}, round.longest - 1, ceil_divide(bytes_one_by_one(round, ports) - round.messages, ports),
                   round.link_bytes - round.sharing});
}

Formula loggp_formula(const Coefficients& coefficients) {
  const Picoseconds latency = time_of(coefficients, "latency_us"), overhead = time_of(coefficients, "overhead_us"),
                    gap = time_of(coefficients, "gap_us");
  const auto ports = static_cast<Count>(coefficients.at("ports"));
  const ByteTime byte_gap = byte_time_of(coefficients, "gap_us_per_byte");
  const auto of_round = [=](const RoundFigures& round) -> Charges {
    if (round.messages == 0) return {};  // local work only
    return {startups_charge(1, latency + 2 * overhead),
            {round.messages - 1, std::max(times(ceil_divide(round.messages, ports) - 1, gap),
                                          times(round.messages - 1, (round.both_ways ? 2 : 1) * overhead))},
            bytes_charge(further_bytes(round, ports), byte_gap)};
  };
  return {.of_round = of_round,
          .overlapped = [=](const std::vector<StageFigures>& stages) { return added_stages(windows_of(stages), of_round); }};
}

MessageTimes loggp_times(const Coefficients& coefficients) {
  return {.overhead = time_of(coefficients, "overhead_us"),
          .latency = time_of(coefficients, "latency_us"),
          .gap = time_of(coefficients, "gap_us"),
          .per_byte = byte_time_of(coefficients, "gap_us_per_byte"),
          .ports = static_cast<Count>(coefficients.at("ports"))};
}

}  // namespace

extern const Model loggp_model{
    .id = "loggp",
    .formula = "a round takes 2 o + L, plus max(g, o) for each further message of a rank, plus G for each further byte",
    .source = "alexandrov1995",
    .coefficients = {{.key = "latency_us", .meaning = "L, latency of a short message in the network"},
                     {.key = "overhead_us", .meaning = "o, overhead of the processor for sending or receiving a message"},
                     {.key = "gap_us", .meaning = "g, gap between the starts of two messages of a rank"},
                     {.key = "gap_us_per_byte", .meaning = "G, time of each byte after the first"},
                     {.key = "ports",
                      .meaning = "k, messages that a rank can send, and receive, at a time",
                      .required = false,
                      .standard = 1,
                      .least = 1,
                      .is_whole = true}},
    .tells_policies_apart = true,
    .prices_windows = true,
    .adds_bytes = true,
    .terms = {{"rounds"}, {"further messages"}, {"further bytes", true}},
    .formula_of = loggp_formula,
    .overlapped_terms = {{"rounds"}, {"further messages"}, {"further bytes", true}},
    .times_of_message = loggp_times,
};

}  // namespace quadrille
