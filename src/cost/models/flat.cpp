// SPDX-License-Identifier: BSD-3-Clause
// The flat model: blocking S T_s + V (t_m + t_c + t_d); where a stage's messages are under way together, V t_m + max(S T_s, V t_c,
// V t_d) for each stage; and less where composing is hidden behind the stage before.
// Source: [liu2002], section 2.3, (1) to (4).
#include <fmt/format.h>

#include "cost/models/terms.hpp"

namespace quadrille {

Prediction predict(const std::vector<StageFigures>& stages, const FlatModel& model) {
  Prediction prediction;
  bool first = true;
  for (const StageFigures& stage : stages) {
    if (stage.startups == 0) continue;
    const double startups_s = static_cast<double>(stage.startups) * model.startup_s;
    const auto in_step = static_cast<double>(stage.volume), load = static_cast<double>(stage.load),
               wire = static_cast<double>(stage.wire);
    prediction.startups += stage.startups;
    add_bytes(prediction.volume, stage.volume);
    prediction.blocking_s +=
        startups_s + in_step * (model.compose_s_per_byte + model.copy_s_per_byte) + wire * model.wire_s_per_byte;
    const double own = model.contention ? load : in_step;
    const double on_wire = model.contention ? std::min(wire, *model.contention * load) : wire;
    const double moving_s = std::max({startups_s, own * model.copy_s_per_byte, on_wire * model.wire_s_per_byte});
    const double composing_s = own * model.compose_s_per_byte;
    prediction.nonblocking_s += composing_s + moving_s;
    prediction.dataflow_s += first ? composing_s + moving_s : std::max(composing_s, moving_s);
    first = false;
  }
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

Price price(const Workload& workload, const Coefficients& coefficients) {
  const FlatModel model = flat_model_of(coefficients);
  const Prediction prediction = predict(workload.stages, model);
  const double per_byte = model.compose_s_per_byte + model.copy_s_per_byte + model.wire_s_per_byte;
  Price result{
      .terms = {startups_term("start-ups", prediction.startups, model.startup_s), bytes_term("bytes", prediction.volume, per_byte)},
      .blocking_s = prediction.blocking_s,
      .nonblocking_s = prediction.nonblocking_s,
      .dataflow_s = prediction.dataflow_s};
  if (workload.has_links) {
    Bytes more = 0;
    for (const StageFigures& stage : workload.stages) add_bytes(more, stage.wire - stage.volume);
    result.terms.push_back(bytes_term("more link bytes", more, model.wire_s_per_byte));
  }
  if (coefficients.at("overlap") == 0) result.nonblocking_s = result.dataflow_s = result.blocking_s;
  return result;
}

}  // namespace

extern const Model flat_model{
    .id = "flat",
    .formula = "blocking S T_s + V (t_m + t_c + t_d); nonblocking, each stage V t_m + max(S T_s, V t_c, V t_d)",
    .source = "liu2002, section 2.3",
    .coefficients = {{.key = "startup_us", .meaning = "T_s, of a message"},
                     {.key = "compose_us_per_byte", .meaning = "t_m, of putting messages together and taking them apart"},
                     {.key = "copy_us_per_byte", .meaning = "t_c, of copying to and from the interface"},
                     {.key = "wire_us_per_byte", .meaning = "t_d, of the wire"},
                     {.key = "contention",
                      .meaning = "how many times as long the wire takes where messages meet and ranks go at their own pace",
                      .required = false,
                      .least = 1},
                     {.key = "overlap",
                      .meaning = "1 where messages can be under way together, 0 where processors do all the work themselves",
                      .required = false,
                      .standard = 1}},
    .tells_policies_apart = true,
    .price = price,
};

}  // namespace quadrille
