// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/exhibits/irregular.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace quadrille::reproduce {

std::string irregular_algorithm(int number) {
  switch (number) {
    case 1: return "shift";
    case 2: return "two-phase:grain=1,counts=known";
    case 3: return "grid:columns=paper,counts=known";
    default: return "four-stage:columns=paper,split=paper,grain=1,counts=known";
  }
}

Problem traffic_of(Count ranks, TrafficKind kind, Bytes most, Bytes small, std::uint64_t seed) {
  return make_traffic(ranks, {.kind = kind, .most = most, .small = small, .seed = seed});
}

std::vector<StageTrace> trace(const Schedule& schedule) {
  const Count p = schedule.problem.ranks;
  const Traffic traffic(schedule.problem);
  std::vector<Bytes> held;
  std::vector<StageTrace> stages;
  std::vector<std::vector<Bytes>> sent;  // by stage, by rank
  for (Rank rank = 0; rank < p; ++rank) {
    held.push_back(traffic.sent_bytes(rank));
    const Program program = schedule.program(rank);
    if (rank == 0)
      for (const Stage& stage : program.stages) {
        stages.push_back({.name = stage.name});
        stages.back().received.resize(static_cast<std::size_t>(p));
        stages.back().longest.resize(static_cast<std::size_t>(p));
        stages.back().held.resize(static_cast<std::size_t>(p));
        sent.emplace_back(static_cast<std::size_t>(p));
      }
    std::size_t stage = 0;
    for (const Round& round : program.rounds) {
      while (stage + 1 < program.stages.size() && round.number >= program.stages[stage + 1].first_round) ++stage;
      for (const Message& message : round.sends) {
        const Bytes length = bytes(message.regions);
        StageTrace& traced = stages[stage];
        traced.messages.push_back({round.number - program.stages[stage].first_round, rank, message.peer, length});
        const auto to = static_cast<std::size_t>(message.peer);
        ++traced.received[to];
        traced.longest[to] = std::max(traced.longest[to], length);
        traced.held[to] += length;
        sent[stage][static_cast<std::size_t>(rank)] += length;
      }
    }
  }
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    StageTrace& traced = stages[stage];
    for (std::size_t rank = 0; rank < held.size(); ++rank) {
      const Bytes kept = held[rank] - sent[stage][rank];
      traced.received[rank] += kept > 0 ? 1 : 0;
      traced.longest[rank] = std::max(traced.longest[rank], kept);
      traced.held[rank] += kept;
      traced.longest_kept = std::max(traced.longest_kept, kept);
    }
    held = traced.held;
  }
  std::erase_if(stages, [](const StageTrace& traced) { return traced.messages.empty(); });
  return stages;
}

Count startups_with_own(const Schedule& schedule) {
  Count count = 0;
  for (const StageFigures& stage : stage_figures(schedule)) count += stage.startups > 0 ? stage.startups + 1 : 0;
  return count;
}

Bytes volume_with_own(const Schedule& schedule) {
  Bytes volume = 0;
  for (const StageFigures& stage : stage_figures(schedule)) volume += stage.volume;
  for (const StageTrace& stage : trace(schedule)) volume += stage.longest_kept;
  return volume;
}

Bytes most_received(const std::vector<StageTrace>& stages) {
  Bytes most = 0;
  for (std::size_t rank = 0; rank < stages.at(0).held.size(); ++rank) {
    Bytes sum = 0;
    for (const StageTrace& stage : stages) sum += stage.held[rank];
    most = std::max(most, sum);
  }
  return most;
}

Count paper_root(Count ranks) {
  Count root = 1;
  while (root * root < ranks) ++root;
  return root;
}

std::string IrregularCurve::label() const {
  const char* modes[] = {"b", "n1", "n2"};
  return fmt::format("A{}-{}", algorithm, modes[static_cast<int>(mode)]);
}

IrregularMachine::IrregularMachine(const std::string& name) : flat_(flat_model_of(machine_of_paper(name))) {
  const double element_bytes = name == "t3d" ? 48 : 22;
  flat_.compose_s_per_byte *= element_bytes;
  flat_.copy_s_per_byte *= element_bytes;
  flat_.wire_s_per_byte *= element_bytes;
}

double IrregularMachine::model_ms(const Problem& problem, const IrregularCurve& curve) const {
  const std::vector<StageFigures> stages = stage_figures(make_schedule(problem, irregular_algorithm(curve.algorithm)));
  FlatModel model = flat_;
  if (curve.mode != ExchangeMode::blocking) model.contention = 1;
  const Prediction prediction = predict(stages, model);
  const double modes[] = {prediction.blocking_s, prediction.nonblocking_s, prediction.dataflow_s};
  return modes[static_cast<int>(curve.mode)] * 1000;
}

IrregularTimes::IrregularTimes(const IrregularPlot& plot, const Making& making, Reproduction& made) : curves_(plot.curves) {
  const bool over_ranks = plot.ranks.size() > 1;
  const IrregularMachine machine(plot.machine);
  Sheet sheet{.name = plot.name, .columns = {over_ranks ? "nodes" : "longest message (elements)"}};
  Panel panel{.title = plot.title,
              .x_label = sheet.columns[0],
              .y_label = "time (ms)",
              .sheet = made.sheets.size(),
              .log_x = !over_ranks,
              .log_y = true};
  for (const IrregularCurve& curve : curves_) {
    sheet.columns.push_back(curve.label() + " (ms)");
    panel.curves.push_back(
        {sheet.columns.size() - 1, curve.label(), curve.mode == ExchangeMode::blocking ? CurveStyle::line : CurveStyle::dashed});
  }
  for (const Count ranks : plot.ranks)
    for (const Bytes most : plot.most) {
      making.show(fmt::format("{}, {} nodes, {} elements", plot.title, ranks, most));
      const Problem problem = traffic_of(ranks, plot.pattern, most);
      auto& row = sheet.rows.emplace_back(std::vector<Cell>{over_ranks ? ranks : most});
      auto& times = model_.emplace_back();
      for (const IrregularCurve& curve : curves_) row.emplace_back(times.emplace_back(machine.model_ms(problem, curve)));
    }
  made.sheets.push_back(std::move(sheet));
  made.panels.push_back(std::move(panel));
}

std::vector<double> IrregularTimes::times(const IrregularCurve& curve) const {
  const auto column = static_cast<std::size_t>(std::find(curves_.begin(), curves_.end(), curve) - curves_.begin());
  std::vector<double> list;
  for (const auto& point : model_) list.push_back(point.at(column));
  return list;
}

double IrregularTimes::most_ratio(const IrregularCurve& one, const IrregularCurve& other) const {
  const std::vector<double> a = times(one), b = times(other);
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, a[i] / b[i]);
  return most;
}

double IrregularTimes::least_ratio(const IrregularCurve& one, const IrregularCurve& other) const {
  return 1 / most_ratio(other, one);
}

double IrregularTimes::growth(const IrregularCurve& curve) const {
  const std::vector<double> list = times(curve);
  return list.back() - list.front();
}

Comparison lower(const std::string& place, const IrregularTimes& times, const IrregularCurve& one, const IrregularCurve& other,
                 const std::string& reason) {
  return {.what = fmt::format("{}: time of {} over that of {}, the most", place, one.label(), other.label()),
          .paper = 1,
          .ours = times.most_ratio(one, other),
          .relation = Relation::at_most,
          .reason = reason};
}

const std::vector<std::string> irregular_remarks{
    "Start-ups and bytes are those of table 1, which has no t_m, the time of putting messages together: it is 0 here. The paper's "
    "\"small number of elements\" is taken to be 16."};

}  // namespace quadrille::reproduce
