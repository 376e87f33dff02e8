// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/projection.hpp"

#include <algorithm>
#include <cmath>

#include "projection/bands.hpp"
#include "projection/call_prices.hpp"
#include "projection/check.hpp"
#include "projection/replay.hpp"
#include "projection/verdict.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/vendor_choice.hpp"

namespace quadrille {
namespace {

using namespace projection;

// Means of the ranks. The run ends with its last rank.
PartTimes parts_of(const std::vector<RankTimes>& ranks) {
  PartTimes sums{};
  double last_s = 0;
  for (const RankTimes& rank : ranks) last_s = std::max(last_s, rank.now_s);
  for (const RankTimes& rank : ranks) {
    for (std::size_t part = 0; part < projected_parts; ++part) sums[part] += rank.parts[part];
    sums[static_cast<std::size_t>(ProjectedPart::waiting)] += last_s - rank.now_s;
  }
  for (double& sum : sums) sum /= static_cast<double>(std::max<std::size_t>(ranks.size(), 1));
  return sums;
}

// The standard deviation of all gaps together, mean of the ranks: gaps of a site are drawn independently of each other.
double gap_deviation(const std::vector<GapSums>& gaps, double factor, std::size_t ranks) {
  double variance = 0;
  for (const GapSums& site : gaps)
    if (site.count > 1) variance += std::max(0.0, site.squares - site.sum_s * site.sum_s / static_cast<double>(site.count));
  return factor * std::sqrt(variance) / static_cast<double>(std::max<std::size_t>(ranks, 1));
}

}  // namespace

Projection project(const Recording& recording, const ProjectionOptions& options) {
  check(recording, options);
  CallPrices prices(recording, options);
  const Replayed replayed = replay(recording, options, prices);
  std::vector<RowSums> rows = rows_of(recording, prices, replayed);
  const VendorLibrary library = *find_vendor_library(prices.vendor());
  Projection projection{
      .vendor_title = std::string(library.title), .is_vendor_checked = library.is_checked, .calls = replayed.calls};
  const BandInputs inputs{.options = options,
                          .figures = prices.machine().assumed().size(),
                          .rows = rows,
                          .parts = {parts_of(replayed.ranks[0]), parts_of(replayed.ranks[1])},
                          .gap_deviation_s = gap_deviation(replayed.gaps, options.computing, recording.ranks.size())};
  Bands bands = bands_of(inputs);
  projection.vendor = bands.runs[0], projection.ours = bands.runs[1];
  projection.corrected_calls = prices.corrected_calls();
  projection.gain = bands.gain;
  projection.verdict = verdict_of(projection.vendor, projection.gain);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].row.gain_s = bands.gains[i];
    projection.rows.push_back(std::move(rows[i].row));
  }
  for (const RecordedRank& rank : recording.ranks) projection.recorded_s = std::max(projection.recorded_s, rank.seconds);
  projection.remarks = remarks_of(recording, options, replayed, prices);
  return projection;
}

}  // namespace quadrille
