// SPDX-License-Identifier: BSD-3-Clause
// The flat model. Under the blocking policy the ranks keep step: a stage takes S T_s + V (t_m + t_c + t_d), with S start-ups and V
// bytes, the longest message of each round. If the messages of a stage are in flight at the same time (nonblocking), each rank of
// an exchange goes at its own pace, but sends, and receives, one message at a time. So a stage takes L t_m + max(P T_s, L t_c, X
// t_d), with the P messages and L bytes of the busiest rank, and the X bytes of the longest chain of messages that wait for each
// other at a rank. Dataflow takes less, because the packing of a stage overlaps with the stage before. If the machine overlaps
// nothing, all parts are added. Where ranks forward what they receive, they keep step under all policies (price_of). Source:
// [liu2002], section 2.3, (1) to (4). X is f_nc_nb L_max there, with a factor that is measured.
#include <fmt/format.h>

#include <cmath>

#include "cost/models/terms.hpp"
#include "quadrille/model.hpp"

namespace quadrille {

namespace {

struct FlatTimes {
  Picoseconds startup = 0;
  ByteTime compose, copy, wire;
  std::optional<double> contention;
  bool overlap = true;

  explicit FlatTimes(const FlatModel& model)
      : startup(whole_units(model.startup_s * 1e12)),
        compose(ByteTime::of_seconds(model.compose_s_per_byte)),
        copy(ByteTime::of_seconds(model.copy_s_per_byte)),
        wire(ByteTime::of_seconds(model.wire_s_per_byte)),
        contention(model.contention),
        overlap(model.overlap) {}

  Charges of_round(const RoundFigures& round) const {
    return {startups_charge(round.messages, startup), bytes_charge(round.bytes, compose + copy + wire),
            bytes_charge(std::max<Bytes>(0, round.link_bytes - round.bytes), wire)};
  }

  Overlapped overlapped(const std::vector<StageFigures>& stages) const {
    const auto charges_of = [&](const StageFigures& stage) -> Charges {
      return {startups_charge(stage.messages, startup), bytes_charge(stage.load, compose), bytes_charge(stage.load, copy),
              bytes_charge(bytes_on_wire(stage), wire)};
    };
    return overlap ? overlapped_stages(stages, charges_of) : added_stages(stages, charges_of);
  }

  Bytes bytes_on_wire(const StageFigures& stage) const {
    const Bytes on_links = std::max<Bytes>(0, stage.wire - stage.volume);
    if (!contention) return std::max(stage.chain, stage.load) + on_links;
    const double meeting = *contention * static_cast<double>(stage.load);
    return meeting < static_cast<double>(stage.wire) ? static_cast<Bytes>(std::llround(meeting)) : stage.wire;
  }
};

}  // namespace

Prediction predict(const std::vector<StageFigures>& stages, const FlatModel& model) {
  const FlatTimes times(model);
  Prediction prediction;
  Picoseconds blocking = 0;
  for (const StageFigures& stage : stages) {
    prediction.startups += stage.startups;
    add_bytes(prediction.volume, stage.volume);
    for (const RoundFigures& round : stage.rounds) blocking = add_times(blocking, sum_of(times.of_round(round)));
  }
  const Overlapped overlapped = times.overlapped(stages);
  prediction.blocking_s = seconds_of(blocking);
  prediction.nonblocking_s = seconds_of(sum_of(overlapped.nonblocking));
  prediction.dataflow_s = seconds_of(sum_of(overlapped.dataflow));
  return prediction;
}

double Prediction::seconds(Policy policy) const {
  return Price{.blocking_s = blocking_s, .nonblocking_s = nonblocking_s, .dataflow_s = dataflow_s}.seconds(policy);
}

FlatModel flat_model_of(const Coefficients& coefficients) {
  FlatModel model{.startup_s = seconds(coefficients, "startup_us"),
                  .compose_s_per_byte = seconds(coefficients, "compose_us_per_byte"),
                  .copy_s_per_byte = seconds(coefficients, "copy_us_per_byte"),
                  .wire_s_per_byte = seconds(coefficients, "wire_us_per_byte")};
  if (const auto found = coefficients.find("contention"); found != coefficients.end()) model.contention = found->second;
  if (const auto found = coefficients.find("overlap"); found != coefficients.end()) model.overlap = found->second != 0;
  return model;
}

FlatModel flat_model_of(const MachineCosts& machine) {
  const auto found = machine.models.find("flat");
  if (found == machine.models.end())
    throw Error(ErrorCode::misuse, fmt::format("the machine {} says nothing for the model flat", machine.name));
  FlatModel model = flat_model_of(found->second);
  model.name = machine.name, model.description = machine.description, model.source = machine.source;
  return model;
}

namespace {

Formula flat_formula(const Coefficients& coefficients) {
  const FlatTimes times(flat_model_of(coefficients));
  return {.of_round = [times](const RoundFigures& round) { return times.of_round(round); },
          .overlapped = [times](const std::vector<StageFigures>& stages) { return times.overlapped(stages); }};
}

MessageTimes flat_times(const Coefficients& coefficients) {
  const Picoseconds startup = time_of(coefficients, "startup_us");
  const ByteTime copy = ByteTime::of_seconds(seconds(coefficients, "copy_us_per_byte") / 2);
  return {.resources = ResourceTimes{.send_startup = startup / 2,
                                     .receive_startup = startup - startup / 2,
                                     .compose = byte_time_of(coefficients, "compose_us_per_byte"),
                                     .copy_out = copy,
                                     .copy_in = copy,
                                     .wire = byte_time_of(coefficients, "wire_us_per_byte"),
                                     .overlap = coefficients.at("overlap") != 0}};
}

}  // namespace

extern const Model flat_model{
    .id = "flat",
    .formula = "blocking S T_s + V (t_m + t_c + t_d); nonblocking, each stage L t_m + max(P T_s, L t_c, X t_d)",
    .source = "liu2002, section 2.3",
    .coefficients =
        {flat_table::startup,
         flat_table::compose,
         flat_table::copy,
         flat_table::wire,
         {.key = "contention",
          .meaning =
              "factor for the wire, X = f L, because messages for one rank meet when each rank runs at its own pace; without "
              "one, X are the bytes of the longest chain of messages that wait for each other",
          .required = false,
          .least = 1},
         flat_table::overlap},
    .tells_policies_apart = true,
    .prices_chains = true,
    .terms = {{"start-ups"}, {"bytes", true}, {"more link bytes", true, true}},
    .formula_of = flat_formula,
    .overlapped_terms = parts_of_stages,
    .times_of_message = flat_times,
};

}  // namespace quadrille
