// SPDX-License-Identifier: BSD-3-Clause
// The flat model. Under the blocking policy a stage takes S T_s + V (t_m + t_c + t_d), with S start-ups and V bytes. If the
// messages of a stage are in flight at the same time (nonblocking), it takes V t_m + max(S T_s, V t_c, V t_d). Dataflow takes less,
// because the packing of a stage overlaps with the stage before.
// Source: [liu2002], section 2.3, (1) to (4).
#include <fmt/format.h>

#include <cmath>

#include "cost/models/terms.hpp"
#include "quadrille/message_times.hpp"

namespace quadrille {

namespace {

struct FlatTimes {
  Picoseconds startup = 0;
  ByteTime compose, copy, wire;
  std::optional<double> contention;

  explicit FlatTimes(const FlatModel& model)
      : startup(whole_units(model.startup_s * 1e12)),
        compose(ByteTime::of_seconds(model.compose_s_per_byte)),
        copy(ByteTime::of_seconds(model.copy_s_per_byte)),
        wire(ByteTime::of_seconds(model.wire_s_per_byte)),
        contention(model.contention) {}

  Charges of_round(const RoundFigures& round) const {
    return {startups_charge(round.messages, startup), bytes_charge(round.bytes, compose + copy + wire),
            bytes_charge(std::max<Bytes>(0, round.link_bytes - round.bytes), wire)};
  }

  Overlapped overlapped(const std::vector<StageFigures>& stages) const {
    return overlapped_stages(stages, [&](const StageFigures& stage) -> Charges {
      const Bytes own = contention ? stage.load : stage.volume;
      return {startups_charge(stage.startups, startup), bytes_charge(own, compose), bytes_charge(own, copy),
              bytes_charge(bytes_on_wire(stage), wire)};
    });
  }

  Bytes bytes_on_wire(const StageFigures& stage) const {
    if (!contention) return stage.wire;
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

Formula formula_of(const Coefficients& coefficients) {
  const FlatTimes times(flat_model_of(coefficients));
  Formula formula{.of_round = [times](const RoundFigures& round) { return times.of_round(round); }};
  if (coefficients.at("overlap") != 0)
    formula.overlapped = [times](const std::vector<StageFigures>& stages) { return times.overlapped(stages); };
  return formula;
}

MessageTimes times_of_message(const Coefficients& coefficients) {
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
    .formula = "blocking S T_s + V (t_m + t_c + t_d); nonblocking, each stage V t_m + max(S T_s, V t_c, V t_d)",
    .source = "liu2002, section 2.3",
    .coefficients = {flat_table::startup,
                     flat_table::compose,
                     flat_table::copy,
                     flat_table::wire,
                     {.key = "contention",
                      .meaning = "factor for the wire, because messages for one rank meet when each rank runs at its own pace",
                      .required = false,
                      .least = 1},
                     flat_table::overlap},
    .tells_policies_apart = true,
    .terms = {{"start-ups"}, {"bytes", true}, {"more link bytes", true, true}},
    .formula_of = formula_of,
    .overlapped_terms = parts_of_stages,
    .times_of_message = times_of_message,
};

}  // namespace quadrille
