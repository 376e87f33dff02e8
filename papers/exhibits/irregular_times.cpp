// SPDX-License-Identifier: BSD-3-Clause
#include "papers/exhibits/irregular_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <tuple>

#include "papers/exhibits/irregular_composing.hpp"
#include "quadrille/simulate.hpp"

namespace quadrille::papers {
namespace {

std::function<std::vector<double>(const std::vector<CurveTimes>&)> ratios(const IrregularCurve& one, const IrregularCurve& other) {
  return [one, other](const std::vector<CurveTimes>& points) {
    std::vector<double> list;
    for (const CurveTimes& times : points) list.push_back(times.at(one) / times.at(other));
    return list;
  };
}

std::string over(const IrregularCurve& one, const IrregularCurve& other) {
  return fmt::format("time of {} over that of {}", one.label(), other.label());
}

}  // namespace

std::string IrregularCurve::label() const {
  constexpr ByMode<const char*> names{{"b", "n1", "n2"}};
  return fmt::format("A{}-{}", algorithm, names[mode]);
}

bool IrregularClaim::holds(const std::vector<CurveTimes>& points) const {
  const std::vector<double> list = values(points);
  const double value = *decisive(list);
  return relation == Relation::at_least ? value >= bound * (1 - claim_tolerance) : value <= bound * (1 + claim_tolerance);
}

std::vector<double>::const_iterator IrregularClaim::decisive(const std::vector<double>& list) const {
  return (relation == Relation::at_least) == at_all_points ? std::min_element(list.begin(), list.end())
                                                           : std::max_element(list.begin(), list.end());
}

IrregularClaim is_lower(const IrregularCurve& one, const IrregularCurve& other, const Quotation& said, const std::string& reason) {
  return has_ratio(one, other, Relation::at_most, 1, said, reason);
}

IrregularClaim has_ratio(const IrregularCurve& one, const IrregularCurve& other, Relation relation, double bound,
                         const Quotation& said, const std::string& reason) {
  return {
      .what = over(one, other), .said = said, .values = ratios(one, other), .relation = relation, .bound = bound, .reason = reason};
}

IrregularClaim has_gain(const IrregularCurve& one, const IrregularCurve& other, double bound, const Quotation& said,
                        const std::string& reason) {
  return {.what = over(one, other),
          .said = said,
          .values = ratios(one, other),
          .bound = bound,
          .at_all_points = false,
          .reason = reason};
}

IrregularClaim gains_less(int number, int than, const Quotation& said, const std::string& reason) {
  using enum ExchangeMode;
  return {.what = fmt::format("nonblocking over blocking time of A{}, divided by the same ratio of A{}", number, than),
          .said = said,
          .values =
              [own = ratios({number, one_buffer}, {number, blocking}),
               other = ratios({than, one_buffer}, {than, blocking})](const std::vector<CurveTimes>& points) {
                std::vector<double> list = own(points);
                const std::vector<double> beside = other(points);
                for (std::size_t i = 0; i < list.size(); ++i) list[i] /= beside[i];
                return list;
              },
          .relation = Relation::at_least,
          .reason = reason};
}

IrregularClaim grows_more(const IrregularCurve& one, const IrregularCurve& other, const Quotation& said,
                          const std::string& reason) {
  return {.what = fmt::format("growth of {} over that of {}", one.label(), other.label()),
          .said = said,
          .values =
              [one, other](const std::vector<CurveTimes>& points) {
                return std::vector{(points.back().at(one) - points.front().at(one)) /
                                   (points.back().at(other) - points.front().at(other))};
              },
          .relation = Relation::at_least,
          .reason = reason};
}

namespace {

constexpr std::uint64_t drawn = 5;  // number of random draws of Pattern1; exhibits show their mean

}  // namespace

MessageTimes times_of_elements(const std::string& machine, std::optional<bool> overlap) {
  Coefficients coefficients = machine_of_paper(machine).models.at("flat");
  for (const char* per_byte : {"compose_us_per_byte", "copy_us_per_byte", "wire_us_per_byte"})
    coefficients.at(per_byte) *= element_bytes(machine);
  if (overlap) coefficients.at("overlap") = *overlap ? 1 : 0;
  return message_times(*find_model("flat"), coefficients);
}

double simulated_ms(const Schedule& schedule, const MessageTimes& message, ExchangeMode mode) {
  constexpr ByMode<Policy> policies{{Policy::blocking, Policy::nonblocking, Policy::dataflow}};
  const bool is_buffered = mode == ExchangeMode::two_buffers;
  return seconds_of(simulate_events(is_buffered ? with_two_buffers(schedule) : schedule, message, {.policy = policies[mode]}).end) *
         1000;
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

namespace {

bool is_over_nodes(const std::vector<IrregularPoint>& points) { return points.front().ranks != points.back().ranks; }

}  // namespace

std::string IrregularPlot::title() const {
  const std::string fixed =
      is_over_nodes(points) ? fmt::format("{} elements", points.front().most) : fmt::format("{} ranks", points.front().ranks);
  return fmt::format("{}, {}", pattern_name(pattern), fixed);
}

std::string IrregularPlot::at(std::size_t point) const {
  const auto& [ranks, most, is_ours] = points[point];
  const std::string value = is_over_nodes(points) ? fmt::format("{} ranks", ranks) : fmt::format("{} elements", most);
  return is_ours ? value + ", our choice" : value;
}

IrregularPlot thinned(IrregularPlot plot) {
  plot.points = {plot.points.front(), plot.points.back()};
  return plot;
}

namespace {

// Returns a schedule that stores its programs, because making one of A4 takes longer than counting or simulating it.
Schedule schedule_of(const Problem& problem, int number) {
  Schedule schedule = make_schedule(problem, irregular_algorithm(number));
  auto programs = std::make_shared<std::vector<Program>>();
  for (Rank rank = 0; rank < problem.ranks; ++rank) programs->push_back(schedule.program(rank));
  schedule.program = [programs](Rank rank) { return (*programs)[index(rank)]; };
  return schedule;
}

// Merges the rounds of each stage into one round with all their start-ups and bytes. In the flat model it
// takes as long as all of them.
std::vector<StageFigures> in_one_round(std::vector<StageFigures> stages) {
  for (StageFigures& stage : stages) stage.rounds = {{.messages = stage.startups, .bytes = stage.volume, .longest = stage.volume}};
  return stages;
}

CountedExchange counted_both_ways(const Schedule& schedule, const Schedule& own) {
  return {in_one_round(stage_figures(own)), in_one_round(stage_figures(schedule))};
}

using ExchangeKey = std::tuple<Count, Bytes, TrafficKind, std::uint64_t, int>;

// The exchanges that have been counted. Several threads make exhibits, so access is locked.
class KnownExchanges {
 public:
  const CountedExchange* find(const ExchangeKey& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = exchanges_.find(key);
    return found == exchanges_.end() ? nullptr : &found->second;
  }

  const CountedExchange& add(const ExchangeKey& key, CountedExchange exchange) {
    const std::lock_guard lock(mutex_);
    return exchanges_.try_emplace(key, std::move(exchange)).first->second;
  }

 private:
  mutable std::mutex mutex_;
  std::map<ExchangeKey, CountedExchange> exchanges_;
};

KnownExchanges& known_exchanges() {
  static KnownExchanges known;
  return known;
}

ExchangeKey key_of(const IrregularPoint& point, TrafficKind pattern, std::uint64_t seed, int algorithm) {
  return {point.ranks, point.most, pattern, seed, algorithm};
}

}  // namespace

const CountedExchange& counted_exchange(const IrregularPoint& point, TrafficKind pattern, std::uint64_t seed, int algorithm) {
  const ExchangeKey key = key_of(point, pattern, seed, algorithm);
  if (const CountedExchange* known = known_exchanges().find(key)) return *known;
  const Schedule schedule = schedule_of(traffic_of(point.ranks, pattern, point.most, few, seed), algorithm);
  return known_exchanges().add(key, counted_both_ways(schedule, with_own_messages(schedule)));
}

std::uint64_t draws_of(TrafficKind pattern, const Making& making) {
  return pattern == TrafficKind::spike && !making.small ? drawn : 1;
}

double element_bytes(const std::string& machine) { return machine == "t3d" ? 48 : 22; }

FlatModel flat_of_elements(const std::string& machine, double compose_us_per_byte) {
  FlatModel model = flat_model_of(machine_of_paper(machine));
  model.compose_s_per_byte = compose_us_per_byte * 1e-6;
  for (double* per_byte : {&model.compose_s_per_byte, &model.copy_s_per_byte, &model.wire_s_per_byte})
    *per_byte *= element_bytes(machine);
  return model;
}

double model_ms(const std::vector<StageFigures>& stages, const FlatModel& model, ExchangeMode mode) {
  const Prediction prediction = predict(stages, model);
  const ByMode<double> seconds{{prediction.blocking_s, prediction.nonblocking_s, prediction.dataflow_s}};
  return seconds[mode] * 1000;
}

namespace {

// Returns the mean times over the draws, with or without messages to oneself.
std::vector<CurveTimes> model_times(const IrregularPlot& plot, const Making& making, const FlatModel& model,
                                    std::vector<StageFigures> CountedExchange::*stages) {
  const std::uint64_t draws = draws_of(plot.pattern, making);
  std::vector<CurveTimes> points;
  for (const IrregularPoint& point : plot.points) {
    CurveTimes& times = points.emplace_back();
    for (const IrregularCurve& curve : plot.curves)
      for (std::uint64_t seed = 1; seed <= draws; ++seed)
        times[curve] +=
            model_ms(counted_exchange(point, plot.pattern, seed, curve.algorithm).*stages, model, curve.mode) / Number(draws);
  }
  return points;
}

}  // namespace

std::vector<CurveTimes> model_times(const IrregularPlot& plot, const Making& making, double compose_us_per_byte) {
  return model_times(plot, making, flat_of_elements(plot.machine, compose_us_per_byte), &CountedExchange::with_own);
}

namespace {

// Times from one method, with and without messages to oneself.
struct Way {
  std::string name;  // "model", "simulation"
  std::vector<CurveTimes> times, without;
};

// Simulates all curves. Also counts each schedule that it makes, for the model.
Way simulation(const IrregularPlot& plot, const Making& making) {
  const MessageTimes message = times_of_elements(plot.machine);
  const std::uint64_t draws = draws_of(plot.pattern, making);
  Way way{.name = "simulation", .times = {}, .without = {}};
  for (const IrregularPoint& point : plot.points) {
    making.show(fmt::format("{}, {} ranks, {} elements", pattern_name(plot.pattern), point.ranks, point.most));
    CurveTimes &times = way.times.emplace_back(), &without = way.without.emplace_back();
    for (std::uint64_t seed = 1; seed <= draws; ++seed) {
      const Problem problem = traffic_of(point.ranks, plot.pattern, point.most, few, seed);
      std::map<int, std::pair<Schedule, Schedule>> schedules;  // with and without messages to oneself, by algorithm
      for (const IrregularCurve& curve : plot.curves) {
        const auto [entry, is_new] = schedules.try_emplace(curve.algorithm);
        auto& [schedule, own] = entry->second;
        if (is_new) {
          schedule = schedule_of(problem, curve.algorithm);
          own = with_own_messages(schedule);
          const ExchangeKey key = key_of(point, plot.pattern, seed, curve.algorithm);
          if (!known_exchanges().find(key)) known_exchanges().add(key, counted_both_ways(schedule, own));
        }
        times[curve] += simulated_ms(own, message, curve.mode) / Number(draws);
        without[curve] += simulated_ms(schedule, message, curve.mode) / Number(draws);
      }
    }
  }
  return way;
}

void compare(const IrregularPlot& plot, const IrregularClaim& claim, const ComposingRanges& ranges, const Way& way,
             Reproduction& made) {
  Comparison comparison = comparison_of(plot, way.name, claim, way.times);
  const std::vector<double> without = claim.values(way.without);
  comparison.aside = without_own(*claim.decisive(without)) +
                     (outcome_of(comparison) == Outcome::holds ? "" : fmt::format("; by the model it {}", composing_text(ranges)));
  made.comparisons.push_back(std::move(comparison));
}

}  // namespace

Comparison comparison_of(const IrregularPlot& plot, std::string_view way, const IrregularClaim& claim,
                         const std::vector<CurveTimes>& times, double tolerance) {
  const std::vector<double> list = claim.values(times);
  const auto decisive = claim.decisive(list);
  const bool is_least = (claim.relation == Relation::at_least) == claim.at_all_points;
  Comparison comparison{.paper = claim.bound,
                        .relation = claim.relation,
                        .tolerance = tolerance,
                        .reason = claim.reason.empty() ? "the model and table 1 leave out what makes the difference" : claim.reason,
                        .place = claim.said.place,
                        .is_reading = claim.bound != 1};
  const auto holds = [&](double value) {
    comparison.ours = value;
    return outcome_of(comparison) == Outcome::holds;
  };
  std::string which, where;
  if (list.size() > 1) {
    which = is_least ? ", minimum" : ", maximum";
    where = fmt::format(" (at {}; holds at {} of {} points; {})", plot.at(index(decisive - list.begin())),
                        std::count_if(list.begin(), list.end(), holds), list.size(),
                        claim.at_all_points ? "all are required" : "one is enough");
  }
  comparison.what = fmt::format("{}, {}: {}{} (\"{}\"){}", plot.title(), way, claim.what, which, claim.said.words, where);
  comparison.ours = *decisive;
  return comparison;
}

Sheet sheet_of_points(const IrregularPlot& plot) {
  const bool by_nodes = is_over_nodes(plot.points);
  Sheet sheet{.name = plot.name, .columns = {by_nodes ? "ranks" : "longest message (elements)"}};
  for (const IrregularPoint& point : plot.points) sheet.rows.push_back({by_nodes ? point.ranks : point.most});
  return sheet;
}

Panel add_curves(const IrregularPlot& plot, const std::string& way, const std::vector<CurveTimes>& times, Sheet& sheet) {
  constexpr ByMode<CurveStyle> styles{{CurveStyle::line, CurveStyle::dashed, CurveStyle::dotted}};
  Panel panel{.title = fmt::format("{}, {}", plot.title(), way),
              .x_label = sheet.columns.front(),
              .y_label = "time (ms)",
              .log_x = true,
              .log_y = true};
  for (const IrregularCurve& curve : plot.curves) {
    sheet.columns.push_back(fmt::format("{}, {} (ms)", curve.label(), way));
    panel.curves.push_back({sheet.columns.size() - 1, curve.label(), styles[curve.mode], index(curve.algorithm - 1)});
    for (std::size_t row = 0; row < sheet.rows.size(); ++row) sheet.rows[row].push_back(times[row].at(curve));
  }
  return panel;
}

void add_times(const IrregularPlot& whole, const Making& making, Reproduction& made) {
  const IrregularPlot plot = making.small ? thinned(whole) : whole;
  const Way simulated = simulation(plot, making);  // first, because it makes the schedules
  const FlatModel model = flat_of_elements(plot.machine);
  const Way ways[] = {{"model", model_times(plot, making, model, &CountedExchange::with_own),
                       model_times(plot, making, model, &CountedExchange::without)},
                      simulated};
  Sheet sheet = sheet_of_points(plot);
  for (const auto& [own, times] : {std::pair("", &Way::times), std::pair(", without messages to oneself", &Way::without)})
    for (const Way& way : ways) {
      Panel& panel = made.panels.emplace_back(add_curves(plot, way.name + own, way.*times, sheet));
      panel.sheet = made.sheets.size();
      panel.range_group = 0;
    }
  made.sheets.push_back(std::move(sheet));
  const std::vector<ComposingRanges> ranges = composing_ranges(plot, making);
  for (std::size_t i = 0; i < plot.claims.size(); ++i)
    for (const Way& way : ways) compare(plot, plot.claims[i], ranges[i], way, made);
}

namespace {

const std::vector<std::string> remarks{
    "Start-ups and bytes are those of table 1. Table 1 has no t_m, the time to compose messages, so t_m is 0 here; "
    "liu2002-composing says for which t_m each claim holds. The paper's \"small number of elements\" is taken to be 1. Times of "
    "Pattern1 are the mean of five random draws. In the model all ranks keep step under blocking mode; in nonblocking mode each "
    "rank "
    "goes at its own pace, but sends, and receives, one message at a time. The simulation has no barriers; a processor, a DMA "
    "engine, an output port and an input port of each rank serve one message at a time, as in figure 3, and on the T3D, where "
    "nothing "
    "overlaps (section 4.1), the processor does all of this but receive. With two buffers the messages of a stage leave when all "
    "messages of the stages before are in.",
    "Section 3 of the paper assumes that each processor sends a message to itself. So such a message costs a start-up and its "
    "elements here, and the verdicts follow from times with them. In our schedules these messages are local copies and cost "
    "nothing; the values without them are in brackets, and their times have panels of their own."};

}  // namespace

Reproduction reproduction_of(const std::vector<IrregularPlot>& plots, const Making& making) {
  Reproduction made{.remarks = remarks};
  for (const IrregularPlot& plot : plots) add_times(plot, making, made);
  return made;
}

void add_stages(Reproduction& made, const std::string& machine, const IrregularPoint& point, const Quotation& said) {
  const FlatModel model = flat_of_elements(machine);
  Sheet sheet{.name = "stages",
              .columns = {"algorithm", "stage", "start-ups (ms)", "elements (ms)", "start-ups without messages to oneself (ms)",
                          "elements without messages to oneself (ms)"}};
  double slowest[2][5] = {};  // with messages to oneself and without; by algorithm
  for (const int number : {3, 4}) {
    const CountedExchange& exchange = counted_exchange(point, TrafficKind::transpose, 1, number);
    const std::vector<StageFigures>* counted[] = {&exchange.with_own, &exchange.without};
    for (std::size_t stage = 0; stage < exchange.without.size(); ++stage) {
      if (exchange.without[stage].startups == 0) continue;
      std::vector<Cell> row{fmt::format("A{}", number), exchange.without[stage].name};
      for (std::size_t own = 0; own < 2; ++own) {
        const StageFigures& figures = (*counted[own])[stage];
        const double startups_ms = Number(figures.startups) * model.startup_s * 1000,
                     whole_ms = model_ms({figures}, model, ExchangeMode::blocking);
        row.insert(row.end(), {startups_ms, whole_ms - startups_ms});
        slowest[own][number] = std::max(slowest[own][number], whole_ms);
      }
      sheet.rows.push_back(std::move(row));
    }
  }
  made.sheets.push_back(std::move(sheet));
  made.at_least(
          fmt::format("{} elements, Pattern2: time of the slowest stage of A3 over that of A4 (\"{}\")", point.most, said.words), 1,
          slowest[0][3] / slowest[0][4], said.place)
      .aside = without_own(slowest[1][3] / slowest[1][4]);
}

std::string without_own(double value) { return fmt::format("{:.4g} without messages to oneself", value); }

}  // namespace quadrille::papers
