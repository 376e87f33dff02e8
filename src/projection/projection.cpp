// SPDX-License-Identifier: BSD-3-Clause
#include "projection/projection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "foundation/text/wording.hpp"
#include "projection/bands.hpp"
#include "projection/call_prices.hpp"
#include "projection/call_problem.hpp"
#include "projection/replay.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/checked.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/projection.hpp"
#include "quadrille/vendor_choice.hpp"
#include "recording/totals.hpp"
#include "schedule/settings.hpp"

namespace quadrille::projection {
void refuse(const std::string& sentence) { throw Error(ErrorCode::misuse, sentence); }
namespace {

constexpr double most_factor = 1e6;  // the limit of factors, so that times stay finite

// Does not check whether values are in their ranges, because ranges depend on the call.
void check_chosen(Collective collective, std::string_view specification) {
  const auto [id, settings] = parts_of_specification(specification);
  const Algorithm* algorithm = find_algorithm(collective, id);
  if (!algorithm) refuse(fmt::format("{} has no algorithm '{}'", name(collective), id));
  std::vector<std::string> known;
  for (const Parameter& parameter : algorithm->parameters) known.emplace_back(parameter.name);
  for (const ParameterSetting& setting : settings) {
    if (!setting.value || setting.value->empty())
      refuse(fmt::format("'{}' in '{}' is not a setting; write name=value", setting.text, specification));
    if (std::find(known.begin(), known.end(), setting.name) == known.end())
      refuse(
          fmt::format("{}/{} has no parameter '{}'; {}", name(collective), id, setting.name, guess_or_list(setting.name, known)));
  }
}

constexpr double least_gain = 0.01;   // a gain of less than this share of a total is not mentioned
constexpr double least_share = 0.05;  // a part of less than this share of a total is not given as the reason

std::string ranks_text(const std::vector<Rank>& ranks) {
  return ranks.size() == 1 ? fmt::format("rank {}", ranks.front())
                           : fmt::format("rank {} and {} others", ranks.front(), ranks.size() - 1);
}

// In the words of the option --node-sizes: "4x6,2" for six nodes of four ranks and one of two.
std::string node_sizes_text(const std::vector<Count>& sizes) {
  std::vector<std::string> runs;
  for (std::size_t begin = 0, end = 0; begin < sizes.size(); begin = end) {
    while (end < sizes.size() && sizes[end] == sizes[begin]) ++end;
    runs.push_back(end - begin == 1 ? fmt::format("{}", sizes[begin]) : fmt::format("{}x{}", sizes[begin], end - begin));
  }
  return fmt::format("{}", fmt::join(runs, ","));
}

// Returns a sentence about the effect of the machine's residuals on the prices.
std::string residuals_remark(const ProjectionOptions& options, const Replayed& replayed, const CallPrices& prices) {
  const MachineCosts& machine = options.machine;
  if (machine.residuals.empty())
    return fmt::format("the machine {} has no residuals, so the bands assume that each price is off by {:.0f} %", machine.name,
                       100 * usual_residual);
  const Count corrected = prices.corrected_calls();
  if (corrected > 0)
    return fmt::format(
        "the prices of {} of {} are corrected by the machine's residuals, which were measured on the same node sizes ({})",
        corrected, counted(replayed.calls, "call"), node_sizes_text(machine.residual_node_sizes));
  if (options.without_correction) return "no price is corrected by the machine's residuals, as asked";
  if (machine.residual_node_sizes.empty())
    return "no price is corrected by the machine's residuals, because its file does not say on which node sizes they were measured";
  const auto are_by = [&](Implementation by) {
    return std::any_of(machine.residuals.begin(), machine.residuals.end(), [&](const Residual& each) { return each.by == by; });
  };
  if (!are_by(Implementation::vendor) || !are_by(Implementation::ours))
    return "no price is corrected by the machine's residuals, because they are not of both sides, which are compared";
  return fmt::format(
      "no price is corrected by the machine's residuals, because no call is blocking, on the node sizes {} with consecutive ranks "
      "on "
      "each node, and of a collective that was measured by both sides",
      node_sizes_text(machine.residual_node_sizes));
}

// Does the program make blocking calls of the collective? Options name algorithms for these calls only.
bool calls(const CallPrices& prices, const Recording& recording, Collective collective) {
  return std::any_of(prices.calls().begin(), prices.calls().end(), [&](const PricedCall& call) {
    const auto form = form_of(recording.sites[call.sites.front()].function);
    return form && form->collective == collective && !form->is_nonblocking;
  });
}

}  // namespace

void check_complete(const Recording& recording) {
  quadrille::check(recording);
  const Count missing = recording.world_size - size(recording.ranks);
  if (missing == 0) return;
  refuse(fmt::format("the recordings of {} of {} are missing, and without them calls cannot be matched{}", missing,
                     counted(recording.world_size, "rank"), recording.remarks.empty() ? "" : "; " + recording.remarks.front()));
}

void check(const Recording& recording, const ProjectionOptions& options) {
  check_complete(recording);
  const auto recorded = size(recording.ranks);
  if (!options.nodes.empty() && size(options.nodes) != recorded)
    refuse(fmt::format("the nodes hold {}, but {} recorded", counted(size(options.nodes), "rank"),
                       recorded == 1 ? "1 was" : fmt::format("{} were", recorded)));
  const auto check_factor = [](double factor, std::string_view what) {
    if (!(factor >= 0 && factor <= most_factor))
      refuse(fmt::format("the factor for {} is not a number from 0 to {}", what, most_factor));
  };
  check_factor(options.computing, "computing");
  check_factor(options.away, "time away");
  if (options.total_cores < 0 || options.draws < 0) refuse("numbers of cores and of draws are not negative");
  if (options.pieces.watch && options.without_late_ranks)
    refuse("without late ranks there are no pieces, because work moves between ranks");
  for (const auto& [collective, algorithm] : options.chosen) check_chosen(collective, algorithm);
}

double share_of(const ProjectedRun& run, ProjectedPart part) {
  return run.total.value > 0 ? run.part(part).value / run.total.value : 0;
}

ProjectionVerdict verdict_of(const ProjectedRun& vendor, const Band& gain) {
  if (share_of(vendor, ProjectedPart::point_to_point) > recording::most_point_to_point) return ProjectionVerdict::no_verdict;
  if (gain.value >= least_gain) return gain.low > 0 ? ProjectionVerdict::run_it : ProjectionVerdict::perhaps;
  if (gain.value <= -least_gain) return ProjectionVerdict::keep_it;
  const double waiting = share_of(vendor, ProjectedPart::waiting), inside = share_of(vendor, ProjectedPart::collectives);
  if (waiting >= least_share && waiting > inside) return ProjectionVerdict::late_ranks;
  return inside >= least_share ? ProjectionVerdict::network : ProjectionVerdict::computing;
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
    unseen = checked_sum(unseen, rank.unseen_calls).value_or(std::numeric_limits<Count>::max());
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
  for (const auto& [collective, algorithm] : options.chosen)
    if (!calls(prices, recording, collective))
      remarks.push_back(
          fmt::format("the algorithm named for {0} is not taken, because there is no blocking call of {0}", name(collective)));
  remarks.push_back(residuals_remark(options, replayed, prices));
  for (const std::string& remark : recording.remarks) remarks.push_back(remark);
  return remarks;
}

}  // namespace quadrille::projection

namespace quadrille {
namespace {

using namespace projection;

// Means of the ranks. The run lasts until its last rank ends.
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

std::string_view name(ProjectedPart part) {
  constexpr std::array<std::string_view, projected_parts> names{"computing", "waiting for late ranks", "in collectives",
                                                                "point-to-point", "other"};
  return names[static_cast<std::size_t>(part)];
}

std::string verdict_text(const Projection& projection) {
  const auto percent = [](double share) { return std::round(100 * share) + 0.0; };
  const Band& gain = projection.gain;
  const auto band = [&](double sign) {
    const double low = sign * (sign > 0 ? gain.low : gain.high), high = sign * (sign > 0 ? gain.high : gain.low);
    return fmt::format("{:.0f} % [{:.0f}, {:.0f}]", percent(sign * gain.value), percent(low), percent(high));
  };
  switch (projection.verdict) {
    case ProjectionVerdict::run_it: return fmt::format("run it by `quadrille wrap`: {} shorter", band(1));
    case ProjectionVerdict::perhaps:
      return fmt::format("perhaps: {} shorter by `quadrille wrap`, which these figures do not settle", band(1));
    case ProjectionVerdict::keep_it: return fmt::format("nothing to gain: our choice would be {} longer", band(-1));
    case ProjectionVerdict::late_ranks: return "nothing to gain: your ranks wait for each other";
    case ProjectionVerdict::network: return "nothing to gain: the network is the limit";
    case ProjectionVerdict::computing:
      return fmt::format("nothing to gain: {:.0f} % of the run is in collectives",
                         percent(projection::share_of(projection.vendor, ProjectedPart::collectives)));
    case ProjectionVerdict::no_verdict:
      return fmt::format("no verdict: {:.0f} % of the run is in point-to-point calls",
                         percent(projection::share_of(projection.vendor, ProjectedPart::point_to_point)));
  }
  return {};
}

}  // namespace quadrille
