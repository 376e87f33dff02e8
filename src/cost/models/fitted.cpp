// SPDX-License-Identifier: BSD-3-Clause
// The linear model with what was found by measuring: T = g1 C1 beta + g2 C2 tau + g3. g1 is what sending and receiving at a time
// slows a start-up down by, "somewhere between one and two", g2 that and the congestion of the network, g3 what the operation
// takes besides. A rank has one port.
// Source: [bruck1997], section 3.5; it gives no figures for g1 to g3.
#include "cost/models/terms.hpp"

namespace quadrille {
namespace {

Formula formula_of(const Coefficients& coefficients) {
  const Picoseconds startup = whole_units(coefficients.at("startup_us") * coefficients.at("startup_factor") * 1e6),
                    fixed = time_of(coefficients, "fixed_us");
  const ByteTime transfer = ByteTime::of_seconds(seconds(coefficients, "transfer_us_per_byte") * coefficients.at("byte_factor"));
  return {.of_round = [=](const RoundFigures& round) -> Charges {
            return {startups_charge(round.messages, startup), bytes_charge(round.bytes, transfer)};
          },
          .of_stage = [=](const StageFigures& stage, const Workload& workload) -> Charges {
            return {Charge{}, {}, startups_charge(&stage == &workload.stages.front() ? 1 : 0, fixed)};
          }};
}

}  // namespace

extern const Model fitted_model{
    .id = "fitted",
    .formula = "T = g1 C1 beta + g2 C2 tau + g3: the linear model on one port, with factors and a fixed part that were measured",
    .source = "bruck1997, section 3.5",
    .coefficients = {{.key = "startup_us", .meaning = "beta, of a message"},
                     {.key = "transfer_us_per_byte", .meaning = "tau, of a byte"},
                     {.key = "startup_factor",
                      .meaning = "g1, how many times as long start-ups take where ranks send and receive at a time",
                      .required = false,
                      .standard = 1},
                     {.key = "byte_factor",
                      .meaning = "g2, how many times as long bytes take, for the same reason and by congestion",
                      .required = false,
                      .standard = 1},
                     {.key = "fixed_us", .meaning = "g3, of the operation", .required = false, .standard = 0}},
    .terms = {{"start-ups"}, {"bytes", true}, {"operations"}},
    .formula_of = formula_of,
    .shared_table = "linear",
};

}  // namespace quadrille
