// SPDX-License-Identifier: BSD-3-Clause
// The linear (postal) model: T = C1 beta + C2 tau. A round takes a start-up and the time of its longest message. If a rank has more
// messages than ports, its messages are distributed optimally over the ports, and the round takes the start-ups and bytes of the
// busiest port. Messages that wait for their receiver's port count there, too (RoundFigures::queue). If messages share a link, the
// bytes of their round are multiplied by their number. Under the policies nonblocking and dataflow a window counts as one round.
// Source: [bruck1997], section 1.2; [grama2003] for links.
#include "cost/models/terms.hpp"
#include "quadrille/model.hpp"

namespace quadrille {
namespace {

Formula linear_formula(const Coefficients& coefficients) {
  const auto ports = static_cast<Count>(coefficients.at("ports"));
  const Picoseconds startup = time_of(coefficients, "startup_us");
  const ByteTime transfer = byte_time_of(coefficients, "transfer_us_per_byte");
  const auto of_round = [=](const RoundFigures& round) -> Charges {
    return {startups_charge(ceil_divide(round.messages, ports), startup),
            bytes_charge(std::max(shared_bytes(round), ceil_divide(bytes_one_by_one(round, ports), ports)), transfer)};
  };
  return {.of_round = of_round,
          .overlapped = [=](const std::vector<StageFigures>& stages) { return added_stages(windows_of(stages), of_round); }};
}

MessageTimes linear_times(const Coefficients& coefficients) {
  return {.latency = time_of(coefficients, "startup_us"),
          .gap = time_of(coefficients, "startup_us"),
          .per_byte = byte_time_of(coefficients, "transfer_us_per_byte"),
          .is_first_byte_included = false,
          .ports = static_cast<Count>(coefficients.at("ports"))};
}

}  // namespace

extern const Model linear_model{
    .id = "linear",
    .formula = "T = C1 beta + C2 tau: a round takes a start-up and its longest message, times the messages that share a link",
    .source = "bruck1997, section 1.2; grama2003",
    .coefficients = {{.key = "startup_us", .meaning = "beta, start-up of a message"},
                     {.key = "transfer_us_per_byte", .meaning = "tau, time of a byte"},
                     {.key = "ports",
                      .meaning = "k, messages that a rank can send at a time",
                      .required = false,
                      .standard = 1,
                      .least = 1,
                      .is_whole = true}},
    .tells_policies_apart = true,
    .prices_windows = true,
    .adds_bytes = true,
    .terms = {{"start-ups"}, {"bytes", true}},
    .formula_of = linear_formula,
    .overlapped_terms = {{"start-ups"}, {"bytes", true}},
    .times_of_message = linear_times,
};

}  // namespace quadrille
