// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/projection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "foundation/text/counted.hpp"
#include "projection/bands.hpp"
#include "projection/call_prices.hpp"
#include "projection/check.hpp"
#include "projection/replay.hpp"
#include "projection/rows.hpp"
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

std::string ranks_text(const std::vector<Rank>& ranks) {
  return ranks.size() == 1 ? fmt::format("rank {}", ranks.front())
                           : fmt::format("rank {} and {} others", ranks.front(), ranks.size() - 1);
}

std::vector<std::string> remarks_of(const Recording& recording, const ProjectionOptions& options, const Replayed& replayed,
                                    const CallPrices& prices) {
  std::vector<std::string> remarks;
  const auto killed =
      std::count_if(recording.ranks.begin(), recording.ranks.end(), [](const auto& rank) { return !rank.has_ended; });
  if (killed > 0)
    remarks.push_back(fmt::format("{} did not end normally, or still {}", counted(killed, "rank"), killed == 1 ? "runs" : "run"));
  if (!replayed.stuck.empty())
    remarks.push_back(fmt::format("the replay stops where {} {} for a call that {} has not recorded", ranks_text(replayed.stuck),
                                  replayed.stuck.size() == 1 ? "waits" : "wait",
                                  replayed.missed.empty() ? std::string("another rank") : ranks_text(replayed.missed)));
  Count unseen = 0, sampled = 0;
  double away_s = 0, all_s = 0;
  for (const RecordedRank& rank : recording.ranks) {
    unseen += rank.unseen_calls;
    all_s += rank.seconds;
    for (const RecordedTimes& times : rank.times) away_s += times.away_s;
  }
  for (const RecordedSite& site : recording.sites) sampled += site.are_sampled;
  if (unseen > 0) remarks.push_back(fmt::format("{} by other threads were not recorded", counted(unseen, "call")));
  if (sampled > 0) remarks.emplace_back("some vectors of counts stand for others, because there were more than 1,000");
  constexpr double much = 0.1;
  if (away_s > much * all_s)
    remarks.push_back(
        fmt::format("{:.0f} % of the recorded time ranks were away from a processor, because they slept or shared cores: it "
                    "counts as other, as recorded",
                    100 * away_s / all_s));
  if (recording.is_folded) remarks.emplace_back("of repetitions only means were recorded, so ranks are late less often");
  if (prices.without_delays() > 0)
    remarks.push_back(fmt::format("there are so many different calls that in {} of them each rank is taken to wait for all others",
                                  prices.without_delays()));
  for (const auto& [collective, reason] : prices.not_chosen())
    remarks.push_back(fmt::format("the algorithm named for {} is not everywhere possible, so ours was taken there: {}",
                                  name(collective), reason));
  if (options.machine.residuals.empty())
    remarks.push_back(fmt::format("the machine {} has no residuals, so the bands assume that each price is off by {:.0f} %",
                                  options.machine.name, 100 * usual_residual));
  for (const std::string& remark : recording.remarks) remarks.push_back(remark);
  return remarks;
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
