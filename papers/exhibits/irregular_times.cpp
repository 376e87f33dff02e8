// SPDX-License-Identifier: BSD-3-Clause
#include "papers/exhibits/irregular_times.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "papers/exhibits/irregular_open.hpp"
#include "quadrille/simulate.hpp"

namespace quadrille::papers {
namespace {

constexpr std::uint64_t drawn = 3;        // number of random draws of Pattern1; exhibits show their mean
constexpr std::uint64_t most_drawn = 50;  // tried by the model only

}  // namespace

MessageTimes times_of_elements(const std::string& machine, std::optional<bool> overlap) {
  Coefficients costs = flat_of_elements(machine);
  if (overlap) costs.at("overlap") = *overlap ? 1 : 0;
  return message_times(*find_model("flat"), costs);
}

namespace {

constexpr ByMode<Policy> policies{{Policy::blocking, Policy::nonblocking, Policy::dataflow}};

}  // namespace

double simulated_ms(const Schedule& schedule, const MessageTimes& message, ExchangeMode mode) {
  const bool is_buffered = mode == ExchangeMode::two_buffers;
  return seconds_of(simulate_events(is_buffered ? with_two_buffers(schedule) : schedule, message, {.policy = policies[mode]}).end) *
         1000;
}

std::vector<IrregularPoint> over_nodes(const std::vector<Count>& ranks, Bytes most) {
  std::vector<IrregularPoint> points;
  for (const Count count : ranks) points.push_back({count, most});
  return points;
}

std::vector<IrregularPoint> over_lengths(Count ranks, Bytes first, Bytes last, Bytes factor) {
  std::vector<IrregularPoint> points;
  for (Bytes most = first; most <= last; most *= factor) points.push_back({ranks, most});
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

// Returns a schedule that stores its programs, because to make a program of A4 takes longer than to count or simulate it.
Schedule schedule_of(const Problem& problem, int number) {
  Schedule schedule = make_schedule(problem, irregular_algorithm(number));
  auto programs = std::make_shared<std::vector<Program>>();
  for (Rank rank = 0; rank < problem.ranks; ++rank) programs->push_back(schedule.program(rank));
  schedule.program = [programs](Rank rank) { return (*programs)[index(rank)]; };
  return schedule;
}

}  // namespace

std::uint64_t draws_of(TrafficKind pattern, const Making& making) {
  return pattern == TrafficKind::spike && !making.small ? drawn : 1;
}

std::uint64_t draws_tried(TrafficKind pattern, const Making& making) {
  return pattern == TrafficKind::spike && !making.small ? most_drawn : 1;
}

Coefficients flat_of_elements(const std::string& machine, double compose_us_per_byte, const char* model) {
  Coefficients costs = coefficients_of(machine_of_paper(machine), *find_model(model));
  costs.at("compose_us_per_byte") = compose_us_per_byte;
  for (const char* per_byte : {"compose_us_per_byte", "copy_us_per_byte", "wire_us_per_byte"})
    costs.at(per_byte) *= Number(platform_of(machine).element_bytes);
  return costs;
}

double model_ms(const Workload& work, const Coefficients& costs, ExchangeMode mode) {
  return price_of(work, *find_model("flat"), costs).seconds(policies[mode]) * 1000;
}

std::vector<CurveTimes> model_times(const IrregularPlot& plot, const Making& making, double compose_us_per_byte, Bytes small,
                                    bool with_own, std::uint64_t draw) {
  const Coefficients costs = flat_of_elements(plot.machine, compose_us_per_byte);
  const std::uint64_t first = draw > 0 ? draw : 1, last = draw > 0 ? draw : draws_of(plot.pattern, making);
  std::vector<IrregularCurve> curves = plot.curves;
  curves.insert(curves.end(), plot.further_curves.begin(), plot.further_curves.end());
  std::vector<CurveTimes> points;
  for (const IrregularPoint& point : plot.points) {
    CurveTimes& times = points.emplace_back();
    for (std::uint64_t seed = first; seed <= last; ++seed) {
      std::map<int, Price> prices;  // by algorithm
      for (const IrregularCurve& curve : curves) {
        const auto [entry, is_new] = prices.try_emplace(curve.algorithm);
        if (is_new) {
          const CountedExchange& counted = counted_exchange(point, plot.pattern, seed, curve.algorithm, small);
          entry->second = price_of(with_own ? counted.with_own : counted.without, *find_model("flat"), costs);
        }
        times[curve] += entry->second.seconds(policies[curve.mode]) * 1000 / Number(last - first + 1);
      }
    }
  }
  return points;
}

double decisive_at_named(const IrregularPlot& plot, const IrregularClaim& claim, const std::vector<double>& values) {
  if (values.size() != plot.points.size() || !claim.at_all_points) return *claim.decisive(values);
  std::vector<double> named;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!plot.points[i].is_ours) named.push_back(values[i]);
  if (!named.empty()) return *claim.decisive(named);
  return claim.relation == Relation::at_least ? *std::max_element(values.begin(), values.end())
                                              : *std::min_element(values.begin(), values.end());
}

namespace {

// Times from one method, with and without messages to oneself.
struct Way {
  std::string name;  // "model", "simulation"
  std::vector<CurveTimes> times, without;
};

// Simulates all curves. For all small numbers but the first, simulates only one draw, with messages to oneself.
Way simulation(const IrregularPlot& plot, const Making& making, Bytes small) {
  const MessageTimes message = times_of_elements(plot.machine);
  const std::uint64_t draws = small == few ? draws_of(plot.pattern, making) : 1;
  Way way{.name = "simulation", .times = {}, .without = {}};
  for (const IrregularPoint& point : plot.points) {
    making.show(fmt::format("{}, {} ranks, {} elements", pattern_name(plot.pattern), point.ranks, point.most));
    CurveTimes &times = way.times.emplace_back(), &without = way.without.emplace_back();
    for (std::uint64_t seed = 1; seed <= draws; ++seed) {
      const Problem problem = traffic_of(point.ranks, plot.pattern, point.most, small, seed);
      std::map<int, std::pair<Schedule, Schedule>> schedules;  // with and without messages to oneself, by algorithm
      for (const IrregularCurve& curve : plot.curves) {
        const auto [entry, is_new] = schedules.try_emplace(curve.algorithm);
        auto& [schedule, own] = entry->second;
        if (is_new) {
          schedule = schedule_of(problem, curve.algorithm);
          own = with_own_messages(schedule);
        }
        times[curve] += simulated_ms(own, message, curve.mode) / Number(draws);
        if (small == few) without[curve] += simulated_ms(schedule, message, curve.mode) / Number(draws);
      }
    }
  }
  return way;
}

// The values of a claim for all values of what is open: the decisive ones, and the best ones. The best ones may leave out points
// that the paper does not name.
class ClaimRange {
 public:
  explicit ClaimRange(const IrregularClaim& claim) : claim_(claim) {}

  void add(const IrregularPlot& plot, const std::vector<CurveTimes>& times) {
    look(plot, claim_.values(times));
    for (const auto& reading : claim_.other_readings)
      if (times.front().size() > plot.curves.size() || plot.further_curves.empty()) look(plot, reading(times));
  }

  const Extremes& range() const { return range_; }

 private:
  void look(const IrregularPlot& plot, const std::vector<double>& values) {
    range_.add(*claim_.decisive(values));
    range_.add(decisive_at_named(plot, claim_, values));
  }

  const IrregularClaim& claim_;
  Extremes range_;
};

// Names the points at which a claim holds by its first reading: "all", "none", or "64 ranks, our choice; 81 ranks, our choice".
std::string points_text(const IrregularPlot& plot, const IrregularClaim& claim, const std::vector<CurveTimes>& times) {
  std::vector<std::string> holding;
  for (std::size_t i = 0; i < times.size(); ++i)
    if (claim.holds({times[i]})) holding.push_back(plot.at(i));
  if (holding.empty()) return "none";
  return holding.size() == times.size() ? "all" : fmt::format("{}", fmt::join(holding, ", "));
}

// Says for which values of what is open a claim holds. `ranges` are those of composing_ranges, by open_values().
std::string where_it_holds(const IrregularPlot& plot, const IrregularClaim& claim, const std::map<Bytes, Way>& simulated,
                           const std::vector<Way>& ways, const Making& making, const std::vector<ComposingRanges>& ranges) {
  std::vector<std::string> holding;
  for (std::size_t i = 0; i < ranges.size(); ++i)
    holding.push_back(fmt::format("{}: {}", name(open_values()[i]), composing_text(ranges[i])));
  for (const auto& [small, way] : simulated) {
    const double value = decisive_at_named(with_small(plot, small, making), claim, claim.values(way.times));
    const bool holds = outcome_of({.paper = claim.bound, .ours = value, .relation = claim.relation}) == Outcome::holds;
    holding.push_back(fmt::format("simulated with small number {}: {}", small, holds ? "yes" : "no"));
  }
  const IrregularPlot shown = with_small(plot, few, making);
  const std::uint64_t draws = draws_tried(plot.pattern, making);
  const bool names_none =
      std::all_of(plot.points.begin(), plot.points.end(), [](const IrregularPoint& point) { return point.is_ours; });
  const std::string everywhere =
      fmt::format("{}at {} it holds for {}", draws > 1 ? fmt::format("with at least one of {} draws ", draws) : "",
                  names_none ? "one point or more, of which the paper names none," : "the points that the paper names",
                  fmt::join(holding, "; "));
  if (claim.values(ways[0].times).size() < 2) return everywhere;
  return fmt::format("points at which it holds for small number 1 and t_m = 0: {} by the model, {} simulated; {}",
                     points_text(shown, claim, ways[0].times), points_text(shown, claim, ways[1].times), everywhere);
}

// Compares each claim with both ways, for all values of what is open.
void compare(const IrregularPlot& plot, const std::map<Bytes, Way>& simulated, const std::vector<Way>& ways, const Making& making,
             Reproduction& made) {
  std::vector<ClaimRange> all(plot.claims.begin(), plot.claims.end());
  const auto add = [&](const IrregularPlot& at, const std::vector<CurveTimes>& times) {
    for (ClaimRange& range : all) range.add(at, times);
  };
  std::vector<std::vector<ComposingRanges>> ranges;  // by open_values() and claim
  for (const OpenValues& values : open_values()) {
    const IrregularPlot at = with_small(plot, values.small, making);
    for (const double share : {0.0, most_composing / 2, most_composing})
      for (std::uint64_t draw = 0; draw <= draws_tried(plot.pattern, making); ++draw)  // 0 is the mean, which the panels show
        add(at, model_times(at, making, composing_us_per_byte(plot.machine, share), values.small, values.with_own, draw));
    ranges.push_back(composing_ranges(at, making, values));
  }
  for (const auto& [small, way] : simulated) {
    add(with_small(plot, small, making), way.times);
    if (small == few) add(with_small(plot, small, making), way.without);
  }
  for (std::size_t i = 0; i < plot.claims.size(); ++i) {
    const IrregularClaim& claim = plot.claims[i];
    Comparison& comparison = made.comparisons.emplace_back(
        comparison_of(with_small(plot, few, making), "model and simulation", claim, ways.front().times));
    comparison.open = all[i].range();
    comparison.aside =
        fmt::format("model {:.4g}, simulation {:.4g}; {}", *claim.decisive(claim.values(ways[0].times)),
                    *claim.decisive(claim.values(ways[1].times)), without_own(*claim.decisive(claim.values(ways[0].without))));
    if (outcome_of(comparison) != Outcome::not_testable) continue;
    std::vector<ComposingRanges> own;
    for (const std::vector<ComposingRanges>& of_claims : ranges) own.push_back(of_claims[i]);
    comparison.reason = where_it_holds(plot, claim, simulated, ways, making, own);
  }
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

Sheet& add_points(const IrregularPlot& plot, Reproduction& made) {
  const bool by_nodes = is_over_nodes(plot.points);
  Sheet& sheet = made.add_sheet({.name = plot.name, .columns = {by_nodes ? "ranks" : "longest message (elements)"}});
  for (const IrregularPoint& point : plot.points) sheet.rows.push_back({by_nodes ? point.ranks : point.most});
  return sheet;
}

void add_curves(const IrregularPlot& plot, const std::string& way, const std::vector<CurveTimes>& times, std::size_t range,
                Reproduction& made) {
  constexpr ByMode<CurveStyle> styles{{CurveStyle::line, CurveStyle::dashed, CurveStyle::dotted}};
  Sheet& sheet = made.sheets.back();
  Panel& panel = made.add_panel({.title = fmt::format("{}, {}", plot.title(), way),
                                 .x_label = sheet.columns.front(),
                                 .y_label = "time (ms)",
                                 .log_x = true,
                                 .log_y = true,
                                 .range_group = range});
  for (const IrregularCurve& curve : plot.curves) {
    sheet.columns.push_back(fmt::format("{}, {} (ms)", curve.label(), way));
    panel.curves.push_back({sheet.columns.size() - 1, curve.label(), styles[curve.mode], index(curve.algorithm - 1)});
    for (std::size_t row = 0; row < sheet.rows.size(); ++row) sheet.rows[row].push_back(times[row].at(curve));
  }
}

void add_times(const IrregularPlot& whole, const Making& making, Reproduction& made) {
  const IrregularPlot plot = with_small(whole, few, making);
  std::map<Bytes, Way> simulated;
  for (const Bytes small : small_numbers) simulated[small] = simulation(with_small(whole, small, making), making, small);
  const std::vector<Way> ways{{"model", model_times(plot, making, 0), model_times(plot, making, 0, few, false)}, simulated[few]};
  add_points(plot, made);
  for (const auto& [own, times] : {std::pair("", &Way::times), std::pair(", without messages to oneself", &Way::without)})
    for (const Way& way : ways) add_curves(plot, way.name + own, way.*times, 0, made);
  compare(whole, simulated, ways, making, made);
}

namespace {

const std::vector<std::string> remarks{
    "Start-ups and bytes are those of table 1. In the model all ranks keep step under blocking mode; in nonblocking mode each rank "
    "goes at its own pace, but sends, and receives, one message at a time. The simulation has no barriers; a processor, a DMA "
    "engine, an output port and an input port of each rank serve one message at a time, as in figure 3, and on the T3D, where "
    "nothing overlaps (section 4.1), the processor does all of this but receive. With two buffers the messages of a stage leave "
    "when all messages of the stages before are in. Times of Pattern1 are the mean of three random draws.",
    "The paper leaves open what decides some claims: t_m, for which table 1 has no value (tried from 0 to t_c + t_d, by the "
    "model); the split of t_c + t_d, which we do not try (all is on the wire); the random targets of Pattern1 (50 draws, by the "
    "model, each on its own); the \"small number of elements\" (1 and 4); whether messages to oneself cost a start-up and their "
    "elements, as section 3 assumes, or nothing, as in our schedules; the numbers of ranks of figures 15 and 17, and the shortest "
    "and longest messages of others (\"our choice\"); and whether nonblocking has one send buffer or two in section 4.1. Each "
    "claim is compared for all these values, by the model and by the simulation: our values are the range, and in brackets those "
    "for t_m = 0 and one element. A claim that holds for a part of them is not testable, and liu2002-open says which claims hold "
    "together.",
    "The panels show t_m = 0 and a small number of 1."};

}  // namespace

Reproduction reproduction_of(const std::vector<IrregularPlot>& plots, const Making& making) {
  Reproduction made{.remarks = remarks};
  for (const IrregularPlot& plot : plots) add_times(plot, making, made);
  return made;
}

void add_stages(Reproduction& made, const std::string& machine, const IrregularPoint& point, const Quotation& said) {
  const Coefficients costs = flat_of_elements(machine);
  Sheet& sheet =
      made.add_sheet({.name = "stages",
                      .columns = {"algorithm", "stage", "start-ups (ms)", "elements (ms)",
                                  "start-ups without messages to oneself (ms)", "elements without messages to oneself (ms)"}});
  double slowest[2][5] = {};  // with messages to oneself and without; by algorithm
  for (const int number : {3, 4}) {
    const CountedExchange& exchange = counted_exchange(point, TrafficKind::transpose, 1, number);
    const std::vector<StageFigures> counted[] = {exchange.with_own.stages, exchange.without.stages};
    for (std::size_t stage = 0; stage < counted[1].size(); ++stage) {
      if (counted[1][stage].startups == 0) continue;
      std::vector<Cell> row{fmt::format("A{}", number), counted[1][stage].name};
      for (std::size_t own = 0; own < 2; ++own) {
        const StageFigures& figures = counted[own][stage];
        const double startups_ms = Number(figures.startups) * costs.at("startup_us") / 1000,
                     whole_ms = model_ms({.stages = {figures}}, costs, ExchangeMode::blocking);
        row.insert(row.end(), {startups_ms, whole_ms - startups_ms});
        slowest[own][number] = std::max(slowest[own][number], whole_ms);
      }
      sheet.rows.push_back(std::move(row));
    }
  }
  made.at_least(
          fmt::format("{} elements, Pattern2: time of the slowest stage of A3 over that of A4 (\"{}\")", point.most, said.words), 1,
          slowest[0][3] / slowest[0][4], said.place)
      .aside = without_own(slowest[1][3] / slowest[1][4]);
}

std::string without_own(double value) { return fmt::format("{:.4g} without messages to oneself", value); }

}  // namespace quadrille::papers
