// SPDX-License-Identifier: BSD-3-Clause
// The stacked parts of times in figures 20 and 22 of [liu2002].
#include <fmt/format.h>

#include <algorithm>

#include "papers/exhibits/irregular_composing.hpp"

namespace quadrille::papers {

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
