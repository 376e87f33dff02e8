// SPDX-License-Identifier: BSD-3-Clause
// The linear model with factors from measurements: T = g1 C1 beta + g2 C2 tau + g3, on one port. Start-ups are slower by the factor
// g1, "somewhere between one and two", when a rank sends and receives at the same time. g2 is the factor for bytes, for the same
// reason and because of congestion in the network. g3 is a fixed time for each operation.
// Source: [bruck1997], section 3.5, which gives no values for g1 to g3.
#include "cost/models/terms.hpp"

namespace quadrille {
namespace {

Formula fitted_formula(const Coefficients& coefficients) {
  const Picoseconds startup = whole_units(coefficients.at("startup_us") * coefficients.at("startup_factor") * 1e6),
                    fixed = time_of(coefficients, "fixed_us");
  const ByteTime transfer = ByteTime::of_seconds(seconds(coefficients, "transfer_us_per_byte") * coefficients.at("byte_factor"));
  const auto of_round = [=](const RoundFigures& round) -> Charges {
    return {startups_charge(round.messages, startup), bytes_charge(std::max(round.bytes, round.queue), transfer)};
  };
  return {.of_round = of_round,
          .of_stage = [=](const StageFigures& stage, const Workload& workload) -> Charges {
            return {Charge{}, {}, startups_charge(&stage == &workload.stages.front() ? 1 : 0, fixed)};
          },
          .overlapped =
              [=](const std::vector<StageFigures>& stages) {
                Overlapped all = added_stages(windows_of(stages), of_round);
                if (!stages.empty()) all.nonblocking[2] = all.dataflow[2] = startups_charge(1, fixed);
                return all;
              }};
}

}  // namespace

extern const Model fitted_model{
    .id = "fitted",
    .formula = "T = g1 C1 beta + g2 C2 tau + g3: the linear model on one port, with measured factors and a measured fixed time",
    .source = "bruck1997, section 3.5",
    .coefficients = {{.key = "startup_us", .meaning = "beta, start-up of a message"},
                     {.key = "transfer_us_per_byte", .meaning = "tau, time of a byte"},
                     {.key = "startup_factor",
                      .meaning = "g1, factor for start-ups, because ranks send and receive at the same time",
                      .required = false,
                      .standard = 1},
                     {.key = "byte_factor",
                      .meaning = "g2, factor for bytes, for the same reason and because of congestion",
                      .required = false,
                      .standard = 1},
                     {.key = "fixed_us", .meaning = "g3, fixed time of an operation", .required = false, .standard = 0}},
    .tells_policies_apart = true,
    .prices_windows = true,
    .adds_bytes = true,
    .terms = {{"start-ups"}, {"bytes", true}, {"operations"}},
    .formula_of = fitted_formula,
    .overlapped_terms = {{"start-ups"}, {"bytes", true}, {"operations"}},
    .shared_table = "linear",
};

}  // namespace quadrille
