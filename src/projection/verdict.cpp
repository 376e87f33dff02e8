// SPDX-License-Identifier: BSD-3-Clause
// The sentence at the end of a projection, and the remarks.
#include "projection/verdict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "foundation/text/counted.hpp"
#include "projection/call_problem.hpp"
#include "quadrille/checked.hpp"
#include "recording/totals.hpp"

namespace quadrille {

namespace projection {
namespace {

constexpr double least_gain = 0.01;   // of a total, to be worth a word
constexpr double least_share = 0.05;  // of a total, for a part to be the reason

}  // namespace

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

}  // namespace projection

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

namespace quadrille::projection {
namespace {

std::string ranks_text(const std::vector<Rank>& ranks) {
  return ranks.size() == 1 ? fmt::format("rank {}", ranks.front())
                           : fmt::format("rank {} and {} others", ranks.front(), ranks.size() - 1);
}

// As of the option --node-sizes: "4x6,2" for six nodes of four ranks and one of two.
std::string node_sizes_text(const std::vector<Count>& sizes) {
  std::vector<std::string> runs;
  for (std::size_t begin = 0, end = 0; begin < sizes.size(); begin = end) {
    while (end < sizes.size() && sizes[end] == sizes[begin]) ++end;
    runs.push_back(end - begin == 1 ? fmt::format("{}", sizes[begin]) : fmt::format("{}x{}", sizes[begin], end - begin));
  }
  return fmt::format("{}", fmt::join(runs, ","));
}

// What the residuals of the machine do to the prices.
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

// Does the program make blocking calls of the collective? An algorithm is named for these only.
bool calls(const CallPrices& prices, const Recording& recording, Collective collective) {
  return std::any_of(prices.calls().begin(), prices.calls().end(), [&](const PricedCall& call) {
    const auto form = form_of(recording.sites[call.sites.front()].function);
    return form && form->collective == collective && !form->is_nonblocking;
  });
}

}  // namespace

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
