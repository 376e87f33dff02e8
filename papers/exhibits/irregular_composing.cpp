// SPDX-License-Identifier: BSD-3-Clause
#include "papers/exhibits/irregular_composing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <mutex>

namespace quadrille::papers {
namespace {

constexpr int steps_a_decade = 12, decades = 5, halvings = 20;
constexpr double least_composing = 1e-5;  // µs/byte; the smallest value above 0

// Returns the geometric middle of a range. A range that begins at 0 is treated as if it began at the smallest value
// above 0.
double middle_of(const ComposingRange& range) {
  return std::sqrt(std::max(range.from, std::min(least_composing, range.to / 2)) * range.to);
}

}  // namespace

std::vector<double> composing_grid() {
  std::vector<double> grid{0};
  for (int step = 0; step <= steps_a_decade * decades; ++step)
    grid.push_back(least_composing * std::pow(10, Number(step) / steps_a_decade));
  return grid;
}

std::vector<ComposingRanges> composing_ranges(const IrregularPlot& plot, const Making& making) {
  // Returns the border between a value for which the claim holds and one for which it fails.
  const auto border = [&](const IrregularClaim& claim, double holding, double failing) {
    for (int i = 0; i < halvings; ++i) {
      const double middle = (holding + failing) / 2;
      (claim.holds(model_times(plot, making, middle)) ? holding : failing) = middle;
    }
    return holding;
  };
  std::vector<ComposingRanges> ranges(plot.claims.size());
  std::vector<bool> held_before(plot.claims.size(), false);
  double before = 0;
  for (const double value : composing_grid()) {
    const std::vector<CurveTimes> times = model_times(plot, making, value);
    for (std::size_t i = 0; i < plot.claims.size(); ++i) {
      const IrregularClaim& claim = plot.claims[i];
      const bool held = claim.holds(times);
      if (held && !held_before[i]) ranges[i].push_back({value == 0 ? 0 : border(claim, value, before), value});
      if (held) ranges[i].back().to = value;
      if (!held && held_before[i]) ranges[i].back().to = border(claim, before, value);
      held_before[i] = held;
    }
    before = value;
  }
  return ranges;
}

std::string composing_text(const ComposingRanges& ranges) {
  if (ranges.empty()) return fmt::format("holds for no t_m up to {} µs/byte", most_composing);
  std::vector<std::string> texts;
  for (const auto& [from, to] : ranges) {
    if (from == 0 && to >= most_composing)
      texts.push_back(fmt::format("any t_m up to {} µs/byte", most_composing));
    else if (to >= most_composing)
      texts.push_back(fmt::format("t_m from {:.3g} µs/byte on", from));
    else
      texts.push_back(fmt::format("t_m from {:.3g} to {:.3g} µs/byte", from, to));
  }
  return fmt::format("holds for {}", fmt::join(texts, " and "));
}

bool ComposingClaim::holds_at(double us_per_byte) const {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const ComposingRange& range) { return range.from <= us_per_byte && us_per_byte <= range.to; });
}

namespace {

std::vector<ComposingClaim> claims_about(const std::string& machine, const Making& making) {
  std::vector<ComposingClaim> claims;
  for (int figure = 15; figure <= 23; ++figure)
    for (const IrregularPlot& whole : plots_of(figure)) {
      if (whole.machine != machine) continue;
      making.show(fmt::format("t_m of figure {}, {}", figure, whole.title()));
      const IrregularPlot plot = making.small ? thinned(whole) : whole;
      const std::vector<ComposingRanges> ranges = composing_ranges(plot, making);
      for (std::size_t i = 0; i < plot.claims.size(); ++i) claims.push_back({figure, plot, plot.claims[i], ranges[i]});
    }
  return claims;
}

}  // namespace

const std::vector<ComposingClaim>& composing_claims(const std::string& machine, const Making& making) {
  static std::mutex mutex;  // locked during the computation, so that other exhibits wait instead of computing the same
  static std::map<std::pair<std::string, bool>, std::vector<ComposingClaim>> known;
  const std::lock_guard lock(mutex);
  const std::pair key{machine, making.small};
  const auto found = known.find(key);
  return found != known.end() ? found->second : known.emplace(key, claims_about(machine, making)).first->second;
}

ComposingFit fit_composing(const std::vector<ComposingClaim>& claims) {
  std::vector<double> borders{0, most_composing};
  for (const ComposingClaim& claim : claims)
    for (const auto& [from, to] : claim.ranges) borders.insert(borders.end(), {from, to});
  std::sort(borders.begin(), borders.end());
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  std::vector<std::size_t> held;  // number of claims that hold between one border and the next
  ComposingFit fit;
  for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
    held.push_back(claims_held(claims, middle_of({borders[i], borders[i + 1]})));
    if (i > 0 && held[i] <= fit.most) continue;
    fit.most = held[i];
    fit.most_range = {borders[i], borders[i + 1]};
  }
  double widest = 0;
  for (std::size_t first = 0; first < held.size();) {
    std::size_t last = first;
    while (last < held.size() && held[last] + 1 >= fit.most) ++last;
    if (last > first) {
      const ComposingRange range{borders[first], borders[last]};
      if (const double width = range.to / std::max(range.from, least_composing); width > widest) {
        widest = width;
        fit.range = range;
      }
    }
    first = std::max(last, first + 1);
  }
  fit.us_per_byte = middle_of(fit.range);
  return fit;
}

std::size_t claims_held(const std::vector<ComposingClaim>& claims, double us_per_byte) {
  return index(
      std::count_if(claims.begin(), claims.end(), [&](const ComposingClaim& claim) { return claim.holds_at(us_per_byte); }));
}

ComposingFit fit_composing(const std::string& machine, const Making& making) {
  return fit_composing(composing_claims(machine, making));
}

// Returns the parts. A3 has only stages III and IV of A4, which both collect.
ExchangeParts parts_of(const std::vector<StageFigures>& stages, const FlatModel& model, const IrregularCurve& curve) {
  FlatModel without_composing = model;
  without_composing.compose_s_per_byte = 0;
  const auto ms = [&](const StageFigures& stage, const FlatModel& by) {
    return model_ms({stage}, by, curve.mode == ExchangeMode::blocking ? ExchangeMode::blocking : ExchangeMode::one_buffer);
  };
  ExchangeParts parts;
  const std::size_t distributing = curve.algorithm == 4 ? 2 : 0;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const double moving = ms(stages[i], without_composing), composing = ms(stages[i], model) - moving;
    const bool is_hidden = curve.mode == ExchangeMode::two_buffers && i > 0;
    (i < distributing ? parts.distribute : parts.collect) += is_hidden ? std::max(0.0, composing - moving) : composing;
    parts.communicate += moving;
  }
  return parts;
}

void add_parts(Reproduction& made, const IrregularPlot& whole, const Quotation& said, const Making& making) {
  const IrregularPlot plot = making.small ? thinned(whole) : whole;
  const double us_per_byte = fit_composing(plot.machine, making).range.to;
  const FlatModel model = flat_of_elements(plot.machine, us_per_byte);
  const std::uint64_t draws = draws_of(plot.pattern, making);
  const auto mean_parts = [&](std::size_t point, const IrregularCurve& curve, std::vector<StageFigures> CountedExchange::*stages) {
    ExchangeParts mean;
    for (std::uint64_t seed = 1; seed <= draws; ++seed) {
      const CountedExchange& counted = counted_exchange(plot.points[point], plot.pattern, seed, curve.algorithm);
      const ExchangeParts parts = parts_of(counted.*stages, model, curve);
      mean.distribute += parts.distribute / Number(draws);
      mean.communicate += parts.communicate / Number(draws);
      mean.collect += parts.collect / Number(draws);
    }
    return mean;
  };
  Sheet sheet{.name = fmt::format("parts-{}", plot.name),
              .columns = {"algorithm, longest message (elements)", "distribute (ms)", "communicate (ms)", "collect (ms)"}};
  for (std::size_t point = 0; point < plot.points.size(); ++point)
    for (const IrregularCurve& curve : plot.curves) {
      const ExchangeParts parts = mean_parts(point, curve, &CountedExchange::with_own);
      sheet.rows.push_back(
          {fmt::format("{}, {}", curve.label(), plot.points[point].most), parts.distribute, parts.communicate, parts.collect});
    }
  made.panels.push_back({.title = fmt::format("{}, model, t_m = {:.3g} µs/byte", plot.title(), us_per_byte),
                         .x_label = sheet.columns[0],
                         .y_label = "time (ms)",
                         .sheet = made.sheets.size(),
                         .x = 0,
                         .curves = {{1, "distribute"}, {2, "communicate"}, {3, "collect"}},
                         .kind = PanelKind::bars,
                         .range_group = 1});
  made.sheets.push_back(std::move(sheet));
  for (const ExchangeMode mode : {ExchangeMode::blocking, ExchangeMode::one_buffer}) {
    const IrregularCurve a3{3, mode}, a4{4, mode};
    const auto has = [&](const IrregularCurve& curve) {
      return std::find(plot.curves.begin(), plot.curves.end(), curve) != plot.curves.end();
    };
    if (!has(a3) || !has(a4) || plot.pattern != TrafficKind::transpose) continue;
    const auto ratio = [&](std::vector<StageFigures> CountedExchange::*stages) {
      double least = 1e300;
      for (std::size_t point = 0; point < plot.points.size(); ++point)
        least = std::min(least, mean_parts(point, a3, stages).communicate / mean_parts(point, a4, stages).communicate);
      return least;
    };
    made.comparisons.push_back({.what = fmt::format("{}, model: communication time of {} over that of {}, minimum (\"{}\")",
                                                    plot.title(), a3.label(), a4.label(), said.words),
                                .paper = 1.5,
                                .ours = ratio(&CountedExchange::with_own),
                                .relation = Relation::at_least,
                                .reason = a3_and_a4,
                                .place = said.place,
                                .aside = without_own(ratio(&CountedExchange::without)),
                                .is_reading = true});
  }
}

}  // namespace quadrille::papers
