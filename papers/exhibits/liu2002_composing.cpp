// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "papers/exhibits/irregular_composing.hpp"

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
    made.at_least(fmt::format("{}, model: communication time of {} over that of {}, minimum (\"{}\")", plot.title(), a3.label(),
                              a4.label(), said.words),
                  1.5, ratio(&CountedExchange::with_own), said.place)
        .because(a3_and_a4)
        .beside(without_own(ratio(&CountedExchange::without)))
        .reading();
  }
}

// Fits t_m of the T3D and of the SP2, for which table 1 has no value: a range for each claim, and a range that fits
// most claims.

namespace {

std::string ranges_text(const ComposingRanges& ranges) {
  std::string text;
  for (const auto& [from, to] : ranges) text += fmt::format("{}{:.3g} to {:.3g}", text.empty() ? "" : ", ", from, to);
  return text.empty() ? "none" : text;
}

struct Machine {
  const char* name;
  std::vector<ComposingClaim> claims;
  ComposingFit fit;
};

// Adds a sheet with the number of claims that hold for each t_m.
void add_held(const std::vector<Machine>& machines, Reproduction& made) {
  Sheet sheet{.name = "held", .columns = {"t_m (µs/byte)"}};
  for (const double us_per_byte : composing_grid())
    if (us_per_byte >= 1e-4) sheet.rows.push_back({us_per_byte});
  Panel panel{.title = "Claims about figures 15 to 23 that hold",
              .x_label = sheet.columns[0],
              .y_label = "share of the claims (%)",
              .sheet = made.sheets.size(),
              .log_x = true};
  for (const Machine& machine : machines) {
    sheet.columns.push_back(fmt::format("{}, of {} claims (%)", machine.name, machine.claims.size()));
    panel.curves.push_back({sheet.columns.size() - 1, sheet.columns.back(), CurveStyle::steps});
    for (auto& row : sheet.rows)
      row.push_back(100.0 * Number(claims_held(machine.claims, std::get<double>(row[0]))) / Number(machine.claims.size()));
  }
  made.panels.push_back(std::move(panel));
  made.sheets.push_back(std::move(sheet));
}

void add_fits(const std::vector<Machine>& machines, Reproduction& made) {
  Sheet sheet{.name = "fits",
              .columns = {"machine", "claims", "hold at t_m = 0", "most that hold together", "for t_m from (µs/byte)", "to",
                          "at most one fewer holds, from", "to ", "fitted t_m", "hold at this t_m", "fitted t_m over t_c + t_d"}};
  for (const auto& [name, claims, fit] : machines) {
    const FlatModel model = flat_model_of(machine_of_paper(name));
    sheet.rows.push_back({name, size(claims), static_cast<Count>(claims_held(claims, 0)), static_cast<Count>(fit.most),
                          fit.most_range.from, fit.most_range.to, fit.range.from, fit.range.to, fit.us_per_byte,
                          static_cast<Count>(claims_held(claims, fit.us_per_byte)),
                          fit.us_per_byte * 1e-6 / (model.copy_s_per_byte + model.wire_s_per_byte)});
  }
  made.sheets.push_back(std::move(sheet));
}

// Checks each figure's claims with the t_m that was fitted to the claims about the other figures. This shows how
// well a fit predicts new data.
void add_checks(const std::vector<Machine>& machines, Reproduction& made) {
  Sheet sheet{.name = "checks",
              .columns = {"machine", "figure", "claims", "hold at t_m = 0", "t_m fitted to the other figures, from (µs/byte)", "to",
                          "middle", "hold at this t_m"}};
  std::string sums;
  for (const Machine& machine : machines) {
    std::size_t at_zero = 0, at_fit = 0;
    for (int figure = 15; figure <= 23; ++figure) {
      std::vector<ComposingClaim> own, others;
      for (const ComposingClaim& claim : machine.claims) (claim.figure == figure ? own : others).push_back(claim);
      if (own.empty()) continue;
      const ComposingFit fit = fit_composing(others);
      const double fitted = fit.us_per_byte;
      sheet.rows.push_back({machine.name, Count{figure}, size(own), static_cast<Count>(claims_held(own, 0)), fit.range.from,
                            fit.range.to, fitted, static_cast<Count>(claims_held(own, fitted))});
      at_zero += claims_held(own, 0);
      at_fit += claims_held(own, fitted);
    }
    sums +=
        fmt::format("{}{}: {} against {} of {}", sums.empty() ? "" : "; ", machine.name, at_fit, at_zero, machine.claims.size());
    made.at_least(fmt::format("{}: number of claims that hold at the t_m fitted to the other figures ({}), "
                              "minus the number that hold at t_m = 0 ({})",
                              machine.name, at_fit, at_zero),
                  1, Number(at_fit) - Number(at_zero), "sections 4.1 and 4.2")
        .because(
            "the fit predicts the claims no better than t_m = 0 does" +
            std::string(machine.fit.range.from > 0 ? ", so they give a range of t_m at most" : ", so they do not determine t_m"))
        .reading();
  }
  made.sheets.push_back(std::move(sheet));
  made.remarks.push_back(
      fmt::format("Number of claims that hold at the t_m fitted to the other figures, against the number that hold at t_m = 0: {}. "
                  "If the two numbers are equal, the fit predicts the claims no better than t_m = 0 does and confirms nothing: the "
                  "claims do not determine t_m. If the fitted range begins at 0, the claims only bound t_m from above; otherwise "
                  "they favour a range, but no single value in it.",
                  sums));
}

void add_ranges(const std::vector<Machine>& machines, Reproduction& made) {
  Sheet sheet{.name = "ranges", .columns = {"machine", "figure", "plot", "claim", "holds for t_m (µs/byte)"}};
  for (const Machine& machine : machines)
    for (const ComposingClaim& each : machine.claims)
      sheet.rows.push_back({machine.name, Count{each.figure}, each.plot.title(), each.claim.what, ranges_text(each.ranges)});
  made.sheets.push_back(std::move(sheet));
}

void compare_at_the_fit(const Machine& machine, const Making& making, Reproduction& made) {
  for (const ComposingClaim& each : machine.claims) {
    const std::vector<double> list = each.claim.values(model_times(each.plot, making, machine.fit.us_per_byte));
    made.comparisons.push_back(
        {.what = fmt::format("{}, t_m = {:.3g} µs/byte, figure {}, {}: {} (\"{}\")", machine.name, machine.fit.us_per_byte,
                             each.figure, each.plot.title(), each.claim.what, each.claim.said.words),
         .paper = each.claim.bound,
         .ours = *each.claim.decisive(list),
         .relation = each.claim.relation,
         .tolerance = claim_tolerance,
         .reason = "by the model the claim " + composing_text(each.ranges),
         .place = each.claim.said.place,
         .is_reading = true});
  }
}

Reproduction make_liu2002_composing(const Making& making) {
  Reproduction made{
      .remarks = {
          "One value per machine is fitted: t_m, chosen so that many of the claims hold. Nothing else is fitted. A claim that "
          "holds at the fitted t_m does not confirm the fit if the fit used this claim. So the sheet of checks tests the fit: it "
          "shows how many of each figure's claims hold at the t_m that fits the claims about the other figures.",
          "Times are those of the flat model with messages to oneself, as in figures 15 to 23; the simulation has no t_m. The "
          "range of t_m in which the most claims hold may be very narrow. So the fit is the middle of the widest range in which at "
          "most one claim fewer holds. The width of a range is the ratio of its ends, and its middle is their geometric mean; 0 "
          "counts as 10⁻⁵ µs/byte. t_m is searched up to 1 µs/byte, which is over 20 times t_c + t_d. On the T3D nothing overlaps, "
          "so "
          "two buffers gain nothing whatever t_m is."}};
  std::vector<Machine> machines;
  for (const char* name : {"t3d", "sp2"}) {
    Machine& machine = machines.emplace_back(Machine{name, composing_claims(name, making), {}});
    machine.fit = fit_composing(machine.claims);
  }
  add_held(machines, made);
  add_fits(machines, made);
  add_checks(machines, made);
  add_ranges(machines, made);
  for (const Machine& machine : machines) compare_at_the_fit(machine, making, made);
  return made;
}

}  // namespace

extern const Exhibit liu2002_composing{
    .id = "liu2002-composing",
    .title = "t_m, fitted to the paper's claims",
    .source = "liu2002, table 1 and sections 4.1 and 4.2",
    .about =
        "table 1 has no t_m; the table shows the t_m for which most of the paper's claims about figures 15 to 23 hold, and the "
        "comparisons check each claim at that t_m",
    .make = make_liu2002_composing,
};

}  // namespace quadrille::papers
