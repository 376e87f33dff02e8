// SPDX-License-Identifier: BSD-3-Clause
#include "papers/exhibits/irregular_open.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace quadrille::papers {
namespace {

constexpr int composing_steps = 20;

bool holds_at_named(const IrregularPlot& plot, const IrregularClaim& claim, const std::vector<CurveTimes>& times) {
  const auto holds = [&](const auto& reading) { return claim.is_met_by(decisive_at_named(plot, claim, reading(times))); };
  return holds(claim.values) || std::any_of(claim.other_readings.begin(), claim.other_readings.end(), holds);
}

}  // namespace

std::vector<OpenValues> open_values() {
  std::vector<OpenValues> all;
  for (const Bytes small : small_numbers)
    for (const bool with_own : {true, false}) all.push_back({small, with_own});
  return all;
}

std::string name(const OpenValues& values) {
  return fmt::format("small number {}, with{} messages to oneself", values.small, values.with_own ? "" : "out");
}

IrregularPlot with_small(IrregularPlot plot, Bytes small, const Making& making) {
  const auto is_small = [&](const IrregularPoint& point) { return small * least_variance <= point.most; };
  if (small != few) std::erase_if(plot.points, [&](const IrregularPoint& point) { return !is_small(point); });
  QUADRILLE_ASSERT(!plot.points.empty());
  return making.small ? thinned(plot) : plot;
}

double composing_us_per_byte(const std::string& machine, double share) {
  const Coefficients flat = machine_of_paper(machine).models.at("flat");
  return share * (flat.at("copy_us_per_byte") + flat.at("wire_us_per_byte"));
}

std::vector<double> composing_grid() {
  std::vector<double> grid;
  for (int step = 0; step <= composing_steps; ++step) grid.push_back(most_composing * step / composing_steps);
  return grid;
}

HeldClaims held_claims(const IrregularPlot& plot, const Making& making, const OpenValues& values) {
  HeldClaims held;
  for (const double share : composing_grid()) {
    auto& of_share = held.emplace_back();
    for (std::uint64_t draw = 1; draw <= draws_tried(plot.pattern, making); ++draw) {
      const std::vector<CurveTimes> times =
          model_times(plot, making, composing_us_per_byte(plot.machine, share), values.small, values.with_own, draw);
      std::vector<bool>& claims = of_share.emplace_back();
      for (const IrregularClaim& claim : plot.claims) claims.push_back(holds_at_named(plot, claim, times));
    }
  }
  return held;
}

std::vector<ComposingRanges> composing_ranges(const HeldClaims& held) {
  std::vector<ComposingRanges> ranges(held.front().front().size());
  std::vector<bool> held_before(ranges.size(), false);
  for (std::size_t at = 0; at < held.size(); ++at)
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const double share = composing_grid()[at];
      const bool holds = std::any_of(held[at].begin(), held[at].end(), [i](const auto& claims) { return claims[i]; });
      if (holds && !held_before[i]) ranges[i].push_back({share, share});
      if (holds) ranges[i].back().to = share;
      held_before[i] = holds;
    }
  return ranges;
}

std::vector<ComposingRanges> composing_ranges(const IrregularPlot& plot, const Making& making, const OpenValues& values) {
  return composing_ranges(held_claims(plot, making, values));
}

std::string composing_text(const ComposingRanges& ranges) {
  if (ranges.empty()) return "no t_m";
  if (ranges.size() == 1 && ranges.front().from == 0 && ranges.front().to == 0) return "t_m = 0";
  std::vector<std::string> texts;
  for (const auto& [from, to] : ranges) {
    if (from == 0 && to >= most_composing) return "every t_m";
    texts.push_back(from == to ? fmt::format("= {:.2g}", from) : fmt::format("from {:.2g} to {:.2g}", from, to));
  }
  return fmt::format("t_m {} (t_c + t_d)", fmt::join(texts, " and "));
}

// Returns the parts. A3 has only stages III and IV of A4, which both collect.
ExchangeParts parts_of(const Workload& work, const Coefficients& costs, const IrregularCurve& curve) {
  Coefficients without_composing = costs;
  without_composing["compose_us_per_byte"] = 0;
  const auto ms = [&](const StageFigures& stage, const Coefficients& by) {
    return model_ms({.stages = {stage}}, by,
                    curve.mode == ExchangeMode::blocking ? ExchangeMode::blocking : ExchangeMode::one_buffer);
  };
  ExchangeParts parts;
  const std::size_t distributing = curve.algorithm == 4 ? 2 : 0;
  for (std::size_t i = 0; i < work.stages.size(); ++i) {
    const double moving = ms(work.stages[i], without_composing), composing = ms(work.stages[i], costs) - moving;
    const bool is_hidden = curve.mode == ExchangeMode::two_buffers && i > 0;
    (i < distributing ? parts.distribute : parts.collect) += is_hidden ? std::max(0.0, composing - moving) : composing;
    parts.communicate += moving;
  }
  return parts;
}

void add_parts(Reproduction& made, const IrregularPlot& whole, const Quotation& said, const Making& making) {
  const IrregularPlot plot = making.small ? thinned(whole) : whole;
  const double us_per_byte = composing_us_per_byte(plot.machine, most_composing);
  const Coefficients costs = flat_of_elements(plot.machine, us_per_byte);
  const std::uint64_t draws = draws_of(plot.pattern, making);
  const auto mean_parts = [&](std::size_t point, const IrregularCurve& curve, Workload CountedExchange::*work) {
    ExchangeParts mean;
    for (std::uint64_t seed = 1; seed <= draws; ++seed) {
      const CountedExchange& counted = counted_exchange(plot.points[point], plot.pattern, seed, curve.algorithm);
      const ExchangeParts parts = parts_of(counted.*work, costs, curve);
      mean.distribute += parts.distribute / Number(draws);
      mean.communicate += parts.communicate / Number(draws);
      mean.collect += parts.collect / Number(draws);
    }
    return mean;
  };
  Sheet& sheet =
      made.add_sheet({.name = fmt::format("parts-{}", plot.name),
                      .columns = {"algorithm, longest message (elements)", "distribute (ms)", "communicate (ms)", "collect (ms)"}});
  for (std::size_t point = 0; point < plot.points.size(); ++point)
    for (const IrregularCurve& curve : plot.curves) {
      const ExchangeParts parts = mean_parts(point, curve, &CountedExchange::with_own);
      sheet.rows.push_back(
          {fmt::format("{}, {}", curve.label(), plot.points[point].most), parts.distribute, parts.communicate, parts.collect});
    }
  made.add_panel({.title = fmt::format("{}, model, t_m = {:.3g} µs/byte", plot.title(), us_per_byte),
                  .x_label = sheet.columns[0],
                  .y_label = "time (ms)",
                  .x = 0,
                  .curves = {{1, "distribute"}, {2, "communicate"}, {3, "collect"}},
                  .kind = PanelKind::bars,
                  .range_group = 1});
  for (const ExchangeMode mode : {ExchangeMode::blocking, ExchangeMode::one_buffer}) {
    const IrregularCurve a3{3, mode}, a4{4, mode};
    const auto has = [&](const IrregularCurve& curve) {
      return std::find(plot.curves.begin(), plot.curves.end(), curve) != plot.curves.end();
    };
    if (!has(a3) || !has(a4) || plot.pattern != TrafficKind::transpose) continue;
    const auto ratio = [&](Workload CountedExchange::*work) {
      double least = 1e300;
      for (std::size_t point = 0; point < plot.points.size(); ++point)
        least = std::min(least, mean_parts(point, a3, work).communicate / mean_parts(point, a4, work).communicate);
      return least;
    };
    made.at_least(fmt::format("{}, model: communication time of {} over that of {}, minimum (\"{}\")", plot.title(), a3.label(),
                              a4.label(), said.words),
                  1, ratio(&CountedExchange::with_own), said.place)
        .because(a3_and_a4)
        .beside(without_own(ratio(&CountedExchange::without)));
  }
}

// For which values of what is open each claim about figures 15 to 23 holds, and how many hold together.

namespace {

struct OpenPlot {
  int figure = 0;
  IrregularPlot plot;
  std::vector<HeldClaims> held;  // by open_values()

  // Returns which claims hold with the draw for which the most hold. Each plot has its own draw.
  const std::vector<bool>& best(std::size_t values, std::size_t share) const {
    const auto count = [](const std::vector<bool>& claims) { return std::count(claims.begin(), claims.end(), true); };
    const auto& draws = held[values][share];
    return *std::max_element(draws.begin(), draws.end(),
                             [&](const auto& one, const auto& other) { return count(one) < count(other); });
  }
};

std::vector<OpenPlot> plots_on(const std::string& machine, const Making& making) {
  std::vector<OpenPlot> plots;
  for (int figure = 15; figure <= 23; ++figure)
    for (const IrregularPlot& plot : plots_of(figure)) {
      if (plot.machine != machine || plot.claims.empty()) continue;
      making.show(fmt::format("figure {}, {}", figure, plot.title()));
      OpenPlot& open = plots.emplace_back(OpenPlot{figure, plot, {}});
      for (const OpenValues& values : open_values())
        open.held.push_back(held_claims(with_small(plot, values.small, making), making, values));
    }
  return plots;
}

// The values for which the most claims hold together. If there are several such values, the first.
struct Together {
  std::size_t values = 0, share = 0, held = 0;
};

Together most_together(const std::vector<OpenPlot>& plots, Sheet& sheet, const std::string& machine) {
  Together best;
  for (std::size_t share = 0; share < composing_grid().size(); ++share) {
    std::vector<Cell> row{machine, composing_grid()[share]};
    for (std::size_t values = 0; values < open_values().size(); ++values) {
      std::size_t held = 0;
      for (const OpenPlot& each : plots)
        for (const bool holds : each.best(values, share)) held += holds ? 1 : 0;
      if (held > best.held) best = {values, share, held};
      row.emplace_back(static_cast<Count>(held));
    }
    sheet.rows.push_back(std::move(row));
  }
  return best;
}

Reproduction make_liu2002_open(const Making& making) {
  Reproduction made{
      .remarks = {
          "Table 1 has no t_m, the time to compose a byte: it is tried from 0 to t_c + t_d. The paper's \"small number of "
          "elements\" is tried as 1 and as 4; points whose longest message has under four times as many are left out then. "
          "Messages to oneself are counted, as section 3 assumes, or not, as our schedules run. Ranks keep step under blocking "
          "mode, as theorem 2 assumes. Figure 14 leaves the targets of Pattern1 to chance: 50 draws are tried, and a claim holds "
          "if it holds with one of them. Points that the paper does not name fail no claim; of a figure without named points one "
          "is enough. Not tried are a t_m above t_c + t_d, and a split of t_c + t_d: all of it is on the wire.",
          "The tables of claims say for which t_m each claim of figures 15 to 23 holds, given the other values, and the tables "
          "`together` how many hold for the same values, each plot with the draw that suits it best. A claim that holds for some "
          "values only is not testable, because we would choose the values."}};
  for (const std::string machine : {"t3d", "sp2"}) {
    Sheet& claims = made.add_sheet({.name = "claims-" + machine, .columns = {"machine", "figure", "plot", "claim"}});
    Sheet& together = made.add_sheet({.name = "together-" + machine, .columns = {"machine", "t_m over t_c + t_d"}});
    for (const OpenValues& values : open_values())
      for (Sheet* sheet : {&claims, &together}) sheet->columns.push_back(name(values));
    const std::vector<OpenPlot> plots = plots_on(machine, making);
    const Together best = most_together(plots, together, machine);
    std::vector<std::string> failing;
    for (const OpenPlot& each : plots) {
      std::vector<std::vector<ComposingRanges>> ranges;  // by open_values() and claim
      for (const HeldClaims& held : each.held) ranges.push_back(composing_ranges(held));
      for (std::size_t i = 0; i < each.plot.claims.size(); ++i) {
        const std::string& what = each.plot.claims[i].what;
        std::vector<Cell>& row = claims.rows.emplace_back(std::vector<Cell>{machine, Count{each.figure}, each.plot.title(), what});
        for (const auto& of_claims : ranges) row.emplace_back(composing_text(of_claims[i]));
        if (!each.best(best.values, best.share)[i])
          failing.push_back(fmt::format("figure {}, {}: {}", each.figure, each.plot.title(), what));
      }
    }
    made.equal(
            fmt::format("{}: claims about figures 15 to 23 that hold together, by the model with {} and t_m = {:.2g} (t_c + t_d), "
                        "of what is open the best values",
                        machine, name(open_values()[best.values]), composing_grid()[best.share]),
            claims.rows.size(), best.held, "sections 4.1 and 4.2")
        .because(fmt::format("with these values do not hold {}{}", fmt::join(failing, "; "),
                             machine == "t3d" ? "; at 1024 elements figures 19 and 20 contradict each other" : ""));
  }
  return made;
}

}  // namespace

extern const Exhibit liu2002_open{
    .title = "What the paper leaves open, and for which values its claims hold",
    .source = "liu2002, table 1 and sections 3, 4.1 and 4.2",
    .about = "claims about figures 15 to 23 by the flat model, over all values of what the paper does not say",
    .make = make_liu2002_open,
};

}  // namespace quadrille::papers
