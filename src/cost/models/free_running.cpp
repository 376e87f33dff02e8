// SPDX-License-Identifier: BSD-3-Clause
// The flat model for ranks that run at their own pace. Each stage takes the time of its busiest rank. The division of messages
// into rounds does not matter. Let P be the most messages and L the most bytes that any rank sends, or receives, in the stage.
// Under the blocking policy a stage takes P T_s + L (t_c + t_m + f_b t_d). If its messages are in flight at the same time
// (nonblocking), it takes L t_m + max(P T_s, L t_c, L f_nb t_d). The times of stages are added, because there is a barrier
// before each. If the machine overlaps nothing, all parts are added, also if messages are in flight at the same time. The factors
// f_b and f_nb slow down the wire, because messages for one rank contend there. The model is for exchanges only (alltoall,
// alltoallv). If ranks forward what they receive, as in a chain, they wait for each other within a stage. This model ignores such
// waits. Source: [liu2002], section 2.3, (3) and (4).
#include "cost/models/terms.hpp"

namespace quadrille {
namespace {

Formula free_running_formula(const Coefficients& coefficients) {
  const Picoseconds startup = time_of(coefficients, "startup_us");
  const ByteTime compose = byte_time_of(coefficients, "compose_us_per_byte"), copy = byte_time_of(coefficients, "copy_us_per_byte");
  const auto wire = [&](std::string_view factor) {
    return ByteTime::of_seconds(coefficients.find(factor)->second * seconds(coefficients, "wire_us_per_byte"));
  };
  const ByteTime byte = compose + copy + wire("blocking_contention"), overlapped_wire = wire("contention");
  Formula formula{.of_stage = [=](const StageFigures& stage, const Workload&) -> Charges {
    return {startups_charge(stage.messages, startup), bytes_charge(stage.load, byte)};
  }};
  const bool overlap = coefficients.at("overlap") != 0;
  formula.overlapped = [=](const std::vector<StageFigures>& stages) {
    const auto charges_of = [&](const StageFigures& stage) -> Charges {
      return {startups_charge(stage.messages, startup), bytes_charge(stage.load, compose), bytes_charge(stage.load, copy),
              bytes_charge(stage.load, overlapped_wire)};
    };
    return overlap ? overlapped_stages(stages, charges_of, [](const StageFigures&) { return false; })
                   : added_stages(stages, charges_of);
  };
  return formula;
}

}  // namespace

extern const Model free_running_model{
    .id = "free-running",
    .formula = "blocking, each stage P T_s + L (t_c + t_m + f_b t_d); nonblocking L t_m + max(P T_s, L t_c, L f_nb t_d)",
    .source = "liu2002, section 2.3, (3) and (4)",
    .coefficients = {flat_table::startup,
                     flat_table::compose,
                     flat_table::copy,
                     flat_table::wire,
                     {.key = "blocking_contention",
                      .meaning = "f_b, factor for the wire under the blocking policy, because messages for one rank meet",
                      .required = false,
                      .standard = 1,
                      .least = 1},
                     {.key = "contention",
                      .meaning = "f_nb, the same if the messages of a stage are in progress at once",
                      .required = false,
                      .standard = 1,
                      .least = 1},
                     flat_table::overlap},
    .tells_policies_apart = true,
    .needs_exchange = true,
    .terms = {{"start-ups"}, {"bytes", true}},
    .formula_of = free_running_formula,
    .overlapped_terms = parts_of_stages,
    .shared_table = "flat",
};

}  // namespace quadrille
