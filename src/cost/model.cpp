// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/model.hpp"

#include <algorithm>
#include <map>

#include "quadrille/error.hpp"

namespace quadrille {
namespace {

struct Totals {
  Count sent = 0, received = 0;
  Bytes out = 0, in = 0;

  void add(const Totals& other) {
    sent += other.sent;
    received += other.received;
    add_bytes(out, other.out);
    add_bytes(in, other.in);
  }
  Count messages() const { return std::max(sent, received); }
  Bytes bytes() const { return std::max(out, in); }
};

Totals totals_of(const Round& round) {
  Totals totals{static_cast<Count>(round.sends.size() + round.control_sends.size()),
                static_cast<Count>(round.receives.size() + round.control_receives.size()), 0, 0};
  for (const Message& message : round.sends) add_bytes(totals.out, bytes(message.regions));
  for (const Message& message : round.receives) add_bytes(totals.in, bytes(message.regions));
  for (const Control& control : round.control_sends) add_bytes(totals.out, control.bytes);
  for (const Control& control : round.control_receives) add_bytes(totals.in, control.bytes);
  return totals;
}

}  // namespace

std::vector<StageFigures> stage_figures(const Schedule& schedule) {
  std::vector<StageFigures> stages;
  std::vector<Stage> named;
  std::map<Count, std::pair<Count, Bytes>> rounds;  // most messages, most bytes
  const auto count = [&](const Program& program) {
    if (stages.empty())
      for (const Stage& stage : named = program.stages) stages.push_back({stage.name, 0, 0, 0});
    std::vector<Totals> of_stage(stages.size());
    std::size_t stage = 0;
    for (const Round& round : program.rounds) {
      while (stage + 1 < named.size() && round.number >= named[stage + 1].first_round) ++stage;
      const Totals totals = totals_of(round);
      of_stage[stage].add(totals);
      auto& [messages, bytes] = rounds[round.number];
      messages = std::max(messages, totals.messages());
      bytes = std::max(bytes, totals.bytes());
    }
    for (std::size_t i = 0; i < stages.size(); ++i) stages[i].load = std::max(stages[i].load, of_stage[i].bytes());
  };
  if (schedule.symmetry)
    for (const Rank rank : schedule.symmetry->representatives) count(schedule.program(rank));
  else
    for (Rank rank = 0; rank < schedule.problem.ranks; ++rank) count(schedule.program(rank));

  std::size_t stage = 0;
  for (const auto& [number, most] : rounds) {
    while (stage + 1 < named.size() && number >= named[stage + 1].first_round) ++stage;
    stages[stage].startups += most.first;
    add_bytes(stages[stage].volume, most.second);
  }
  return stages;
}

double Prediction::seconds(Policy policy) const {
  switch (policy) {
    case Policy::blocking: return blocking_s;
    case Policy::nonblocking: return nonblocking_s;
    case Policy::dataflow: return dataflow_s;
  }
  return 0;
}

Prediction predict(const std::vector<StageFigures>& stages, const FlatModel& model) {
  Prediction prediction;
  bool first = true;
  for (const StageFigures& stage : stages) {
    if (stage.startups == 0) continue;
    const double startups_s = static_cast<double>(stage.startups) * model.startup_s;
    const auto in_step = static_cast<double>(stage.volume), load = static_cast<double>(stage.load);
    prediction.startups += stage.startups;
    add_bytes(prediction.volume, stage.volume);
    prediction.blocking_s += startups_s + in_step * (model.compose_s_per_byte + model.copy_s_per_byte + model.wire_s_per_byte);
    const double own = model.contention ? load : in_step;
    const double on_wire = model.contention ? std::min(in_step, *model.contention * load) : in_step;
    const double moving_s = std::max({startups_s, own * model.copy_s_per_byte, on_wire * model.wire_s_per_byte});
    const double composing_s = own * model.compose_s_per_byte;
    prediction.nonblocking_s += composing_s + moving_s;
    prediction.dataflow_s += first ? composing_s + moving_s : std::max(composing_s, moving_s);
    first = false;
  }
  return prediction;
}

}  // namespace quadrille
