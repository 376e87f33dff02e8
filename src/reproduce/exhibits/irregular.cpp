// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/exhibits/irregular.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "quadrille/simulate.hpp"

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
      traced.kept.push_back(kept);
    }
    held = traced.held;
  }
  return stages;
}

namespace {

void add_own_messages(Program& program, const std::vector<StageTrace>& stages, Rank rank, Rank twin) {
  std::vector<Round> rounds;
  auto next = program.rounds.begin();
  Bytes free = program.scratch_bytes;  // where nothing else is, so that no message waits for those to oneself but at the ports
  for (std::size_t i = 0; i < stages.size(); ++i) {
    Stage& stage = program.stages[i];
    const Count end = stage.first_round + stage.round_count, added = static_cast<Count>(i);
    for (; next != program.rounds.end() && next->number < end; ++next) {
      rounds.push_back(std::move(*next));
      rounds.back().number += added;
    }
    if (const Bytes kept = stages[i].kept[static_cast<std::size_t>(rank)]; kept > 0) {
      const auto at = [&](Bytes offset) { return Regions{{.buffer = Buffer::scratch, .offset = offset, .length = kept}}; };
      rounds.push_back({.number = end + added, .sends = {{twin, at(free)}}, .receives = {{twin, at(free + kept)}}});
      free += 2 * kept;
    }
    stage.first_round += added;
    ++stage.round_count;
  }
  program.rounds = std::move(rounds);
  program.scratch_bytes = free;
}

}  // namespace

Schedule with_own_messages(const Schedule& schedule) {
  const Count p = schedule.problem.ranks;
  Schedule twins = schedule;
  twins.problem = alltoall(2 * p, 1);  // only the number of ranks is read; who sends what is in the programs
  twins.symmetry.reset();
  twins.program = [p, one = schedule.program, stages = trace(schedule)](Rank rank) {
    const Rank base = rank / p * p, twin = (rank + p) % (2 * p);
    Program program = one(rank % p);
    program.rank = rank;
    for (Round& round : program.rounds)
      for (std::vector<Message>* messages : {&round.sends, &round.receives})
        for (Message& message : *messages) message.peer += base;
    add_own_messages(program, stages, rank % p, twin);
    return program;
  };
  return twins;
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

namespace {

constexpr double tolerance = 1e-6;  // of ratios
constexpr std::uint64_t drawn = 5;  // Pattern1 is drawn so often, and the mean is shown

double element_bytes(const std::string& machine) { return machine == "t3d" ? 48 : 22; }

FlatModel flat_model(const std::string& machine) {
  FlatModel model = flat_model_of(machine_of_paper(machine));
  for (double* per_byte : {&model.compose_s_per_byte, &model.copy_s_per_byte, &model.wire_s_per_byte})
    *per_byte *= element_bytes(machine);
  return model;
}

double model_ms(const std::vector<StageFigures>& stages, FlatModel model, ExchangeMode mode) {
  if (mode != ExchangeMode::blocking) model.contention = 1;
  const Prediction prediction = predict(stages, model);
  const double modes[] = {prediction.blocking_s, prediction.nonblocking_s, prediction.dataflow_s};
  return modes[static_cast<int>(mode)] * 1000;
}

MessageTimes times_of_messages(const std::string& machine) {
  Coefficients coefficients = machine_of_paper(machine).models.at("linear");
  coefficients.at("transfer_us_per_byte") *= element_bytes(machine);
  return message_times(*find_model("linear"), coefficients);
}

double simulated_ms(const Schedule& schedule, const MessageTimes& message, ExchangeMode mode) {
  constexpr Policy policies[] = {Policy::blocking, Policy::nonblocking, Policy::dataflow};
  return seconds_of(simulate_events(schedule, message, {.policy = policies[static_cast<int>(mode)]}).end) * 1000;
}

bool is_over_nodes(const std::vector<IrregularPoint>& points) { return points.front().ranks != points.back().ranks; }

std::string title_of(const IrregularPlot& plot) {
  const std::string fixed = is_over_nodes(plot.points) ? fmt::format("{} elements", plot.points.front().most)
                                                       : fmt::format("{} nodes", plot.points.front().ranks);
  return fmt::format("{}, {}", pattern_name(plot.pattern), fixed);
}

// With its programs made once: making one of A4's takes longer than counting or simulating it.
Schedule schedule_of(const Problem& problem, int number) {
  Schedule schedule = make_schedule(problem, irregular_algorithm(number));
  auto programs = std::make_shared<std::vector<Program>>();
  for (Rank rank = 0; rank < problem.ranks; ++rank) programs->push_back(schedule.program(rank));
  schedule.program = [programs](Rank rank) { return (*programs)[static_cast<std::size_t>(rank)]; };
  return schedule;
}

std::string without_own(double value) { return fmt::format("{:.4g} without messages to oneself", value); }

// The first point and the last.
IrregularPlot thinned(IrregularPlot plot) {
  plot.points = {plot.points.front(), plot.points.back()};
  return plot;
}

}  // namespace

IrregularTimes::IrregularTimes(const IrregularPlot& plot, const Making& making, Reproduction& made)
    : plot_(making.small ? thinned(plot) : plot), made_(made), ways_{{"model", {}}, {"simulation", {}}} {
  const FlatModel model = flat_model(plot_.machine);
  const MessageTimes message = times_of_messages(plot_.machine);
  const std::string axis = is_over_nodes(plot_.points) ? "nodes" : "longest message (elements)";
  Sheet sheet{.name = plot_.name, .columns = {axis}};
  constexpr CurveStyle styles[] = {CurveStyle::line, CurveStyle::dashed, CurveStyle::dotted};  // by mode
  const auto each_curve = [&](const auto& visit) {  // columns and panels, in the order of the cells of a row
    for (const char* own : {"", ", without messages to oneself"})
      for (const Way& way : ways_) visit(way, own);
  };
  each_curve([&](const Way& way, const char* own) {
    Panel panel{.title = fmt::format("{}, {}{}", title_of(plot_), way.name, own),
                .x_label = axis,
                .y_label = "time (ms)",
                .sheet = made.sheets.size(),
                .log_x = true,
                .log_y = true,
                .range_group = 0};
    for (const IrregularCurve& curve : plot_.curves) {
      sheet.columns.push_back(fmt::format("{}, {}{} (ms)", curve.label(), way.name, own));
      panel.curves.push_back({sheet.columns.size() - 1, curve.label(), styles[static_cast<int>(curve.mode)],
                              static_cast<std::size_t>(curve.algorithm - 1)});
    }
    made.panels.push_back(std::move(panel));
  });
  for (const IrregularPoint& point : plot_.points) {
    making.show(fmt::format("{}, {} nodes, {} elements", pattern_name(plot_.pattern), point.ranks, point.most));
    for (Way& way : ways_)
      for (Times* times : {&way.times, &way.without}) times->emplace_back(plot_.curves.size(), 0.0);
    const std::uint64_t draws = plot_.pattern == TrafficKind::spike && !making.small ? drawn : 1;
    for (std::uint64_t seed = 1; seed <= draws; ++seed) {
      const Problem problem = traffic_of(point.ranks, plot_.pattern, point.most, few, seed);
      struct Counted {
        Schedule schedule;
        std::vector<StageFigures> stages;
      };
      std::map<int, std::array<Counted, 2>> counted;  // by algorithm: with messages to oneself, and without
      for (std::size_t i = 0; i < plot_.curves.size(); ++i) {
        const auto& [number, mode] = plot_.curves[i];
        if (!counted.contains(number)) {
          const Schedule schedule = schedule_of(problem, number), own = with_own_messages(schedule);
          counted[number] = {Counted{own, stage_figures(own)}, Counted{schedule, stage_figures(schedule)}};
        }
        for (std::size_t own = 0; own < 2; ++own) {
          const Counted& one = counted[number][own];
          const double times[] = {model_ms(one.stages, model, mode), simulated_ms(one.schedule, message, mode)};
          for (std::size_t way = 0; way < 2; ++way)
            (own == 0 ? ways_[way].times : ways_[way].without).back()[i] += times[way] / static_cast<double>(draws);
        }
      }
    }
    auto& row = sheet.rows.emplace_back(std::vector<Cell>{is_over_nodes(plot_.points) ? point.ranks : point.most});
    for (const auto times : {&Way::times, &Way::without})
      for (const Way& way : ways_) row.insert(row.end(), (way.*times).back().begin(), (way.*times).back().end());
  }
  made.sheets.push_back(std::move(sheet));
}

std::size_t IrregularTimes::column_of(const IrregularCurve& curve) const {
  return static_cast<std::size_t>(std::find(plot_.curves.begin(), plot_.curves.end(), curve) - plot_.curves.begin());
}

IrregularTimes::Ratios IrregularTimes::ratios(const IrregularCurve& one, const IrregularCurve& other) const {
  return [a = column_of(one), b = column_of(other)](const Times& times) {
    std::vector<double> list;
    for (const auto& point : times) list.push_back(point.at(a) / point.at(b));
    return list;
  };
}

void IrregularTimes::compare(const std::string& what, const Ratios& ratios, Relation relation, double bound,
                             const std::string& reason) {
  const auto extreme_of = [&](const std::vector<double>& list) {
    return relation == Relation::at_least ? std::min_element(list.begin(), list.end()) : std::max_element(list.begin(), list.end());
  };
  for (const Way& way : ways_) {
    const std::vector<double> list = ratios(way.times), without = ratios(way.without);
    const auto extreme = extreme_of(list);
    std::string where;
    if (list.size() > 1) {
      const IrregularPoint& point = plot_.points[static_cast<std::size_t>(extreme - list.begin())];
      const auto holding = std::count_if(list.begin(), list.end(), [&](double ratio) {
        return relation == Relation::at_least ? ratio >= bound * (1 - tolerance) : ratio <= bound * (1 + tolerance);
      });
      where = fmt::format(" (at {} {}; so at {} of {} points)", is_over_nodes(plot_.points) ? point.ranks : point.most,
                          is_over_nodes(plot_.points) ? "nodes" : "elements", holding, list.size());
    }
    made_.comparisons.push_back({.what = fmt::format("{}, {}: {}{}", title_of(plot_), way.name, what, where),
                                 .paper = bound,
                                 .ours = *extreme,
                                 .relation = relation,
                                 .tolerance = tolerance,
                                 .reason = reason,
                                 .aside = without_own(*extreme_of(without)),
                                 .is_reading = bound != 1});
  }
}

void IrregularTimes::expect_lower(const IrregularCurve& one, const std::vector<IrregularCurve>& others, const std::string& reason) {
  for (const IrregularCurve& other : others)
    compare(fmt::format("time of {} over that of {}, the most", one.label(), other.label()), ratios(one, other), Relation::at_most,
            1, reason);
}

void IrregularTimes::expect_ratio(const IrregularCurve& one, const IrregularCurve& other, Relation relation, double bound,
                                  const std::string& quotation, const std::string& reason) {
  compare(fmt::format("time of {} over that of {}, the {} (\"{}\")", one.label(), other.label(),
                      relation == Relation::at_least ? "least" : "most", quotation),
          ratios(one, other), relation, bound, reason);
}

void IrregularTimes::expect_gain(const IrregularCurve& one, const IrregularCurve& other, double bound, const std::string& quotation,
                                 const std::string& reason) {
  compare(
      fmt::format("time of {} over that of {}, the least (\"{}\")", one.label(), other.label(), quotation),
      [each = ratios(one, other)](const Times& times) {
        const std::vector<double> list = each(times);
        return std::vector{*std::min_element(list.begin(), list.end())};
      },
      Relation::at_most, bound, reason);
}

void IrregularTimes::expect_smaller_gain(int number, int than, const std::string& quotation, const std::string& reason) {
  using enum ExchangeMode;
  compare(
      fmt::format("what overlapping leaves of the time of A{} over the same of A{}, the least (\"{}\")", number, than, quotation),
      [own = ratios({number, one_buffer}, {number, blocking}),
       other = ratios({than, one_buffer}, {than, blocking})](const Times& times) {
        std::vector<double> list = own(times);
        const std::vector<double> beside = other(times);
        for (std::size_t i = 0; i < list.size(); ++i) list[i] /= beside[i];
        return list;
      },
      Relation::at_least, 1, reason);
}

void IrregularTimes::expect_more_growth(const IrregularCurve& one, const IrregularCurve& other, const std::string& reason) {
  compare(
      fmt::format("growth of {} over that of {}", one.label(), other.label()),
      [a = column_of(one), b = column_of(other)](const Times& times) {
        return std::vector{(times.back().at(a) - times.front().at(a)) / (times.back().at(b) - times.front().at(b))};
      },
      Relation::at_least, 1, reason);
}

std::vector<IrregularPoint> over_nodes(const std::vector<Count>& ranks, Bytes most) {
  std::vector<IrregularPoint> points;
  for (const Count count : ranks) points.push_back({count, most});
  return points;
}

std::vector<IrregularPoint> over_lengths(Count ranks, Bytes first, Bytes last) {
  std::vector<IrregularPoint> points;
  for (Bytes most = first; most <= last; most *= 2) points.push_back({ranks, most});
  return points;
}

void add_stages(Reproduction& made, const std::string& machine, const IrregularPoint& point) {
  const FlatModel model = flat_model(machine);
  Sheet sheet{.name = "stages",
              .columns = {"algorithm", "stage", "start-ups (ms)", "elements (ms)", "start-ups without those to oneself (ms)",
                          "elements without those to oneself (ms)"}};
  double slowest[2][5] = {};  // with messages to oneself and without, by algorithm
  for (const int number : {3, 4}) {
    const Schedule schedule = schedule_of(traffic_of(point.ranks, TrafficKind::transpose, point.most), number);
    const std::vector<StageFigures> counted[] = {stage_figures(with_own_messages(schedule)), stage_figures(schedule)};
    for (std::size_t stage = 0; stage < counted[1].size(); ++stage) {
      if (counted[1][stage].startups == 0) continue;
      std::vector<Cell> row{fmt::format("A{}", number), counted[1][stage].name};
      for (std::size_t own = 0; own < 2; ++own) {
        const StageFigures& figures = counted[own][stage];
        const double startups_ms = static_cast<double>(figures.startups) * model.startup_s * 1000,
                     whole_ms = model_ms({figures}, model, ExchangeMode::blocking);
        row.insert(row.end(), {startups_ms, whole_ms - startups_ms});
        slowest[own][number] = std::max(slowest[own][number], whole_ms);
      }
      sheet.rows.push_back(std::move(row));
    }
  }
  made.sheets.push_back(std::move(sheet));
  made.comparisons.push_back({.what = fmt::format("{} elements, Pattern2: time of the slowest stage of A3 over that of A4 "
                                                  "(\"hot-spots .. result in much larger latencies\")",
                                                  point.most),
                              .paper = 1,
                              .ours = slowest[0][3] / slowest[0][4],
                              .relation = Relation::at_least,
                              .aside = without_own(slowest[1][3] / slowest[1][4])});
}

void add_second_buffer(Reproduction& made, const std::string& machine, const IrregularPoint& point, double share, double bound) {
  FlatModel model = flat_model(machine);
  model.compose_s_per_byte = share * (model.copy_s_per_byte + model.wire_s_per_byte);
  const Schedule schedule = schedule_of(traffic_of(point.ranks, TrafficKind::transpose, point.most), 4);
  const auto leaves = [&](const Schedule& counted) {
    const std::vector<StageFigures> stages = stage_figures(counted);
    return model_ms(stages, model, ExchangeMode::two_buffers) / model_ms(stages, model, ExchangeMode::one_buffer);
  };
  made.comparisons.push_back(
      {.what = fmt::format("Pattern2, {} elements, model: time of A4-n2 over that of A4-n1 if putting a byte "
                           "together took {} of the time of moving it",
                           point.most, share),
       .paper = bound,
       .ours = leaves(with_own_messages(schedule)),
       .relation = Relation::at_most,
       .aside = without_own(leaves(schedule)),
       .is_reading = true});
}

std::string_view pattern_name(TrafficKind pattern) { return pattern == TrafficKind::spike ? "Pattern1" : "Pattern2"; }

const std::vector<std::string> irregular_remarks{
    "Start-ups and bytes are those of table 1, which has no t_m, the time of putting messages together: it is 0 here. The paper's "
    "\"small number of elements\" is taken to be 1, and Pattern1 is the mean of five draws. In the simulation every node goes at "
    "its own pace, and a message takes a port of its sender and one of its receiver.",
    "Section 3 of the paper assumes that each processor sends a message to itself, so these messages cost a start-up and their "
    "elements here, and the verdicts follow from that. In our schedules they are local copies and cost nothing; what comes of that "
    "is said in brackets and shown in the panels of its own."};

}  // namespace quadrille::reproduce
