// SPDX-License-Identifier: BSD-3-Clause
#include "projection/projection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "foundation/text/wording.hpp"
#include "projection/call_prices.hpp"
#include "projection/call_problem.hpp"
#include "projection/draws.hpp"
#include "projection/replay.hpp"
#include "projection/rows.hpp"
#include "projection/verdict.hpp"
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

std::string ranks_text(const std::vector<Rank>& ranks) {
  return ranks.size() == 1 ? fmt::format("rank {}", ranks.front())
                           : fmt::format("rank {} and {} others", ranks.front(), ranks.size() - 1);
}

// In the words of the option --node-sizes: "4x6,2" for four nodes of six ranks and one of two.
std::string node_sizes_text(const std::vector<Count>& sizes) {
  std::vector<std::string> runs;
  for (std::size_t begin = 0, end = 0; begin < sizes.size(); begin = end) {
    while (end < sizes.size() && sizes[end] == sizes[begin]) ++end;
    runs.push_back(end - begin == 1 ? fmt::format("{}", sizes[begin]) : fmt::format("{}x{}", end - begin, sizes[begin]));
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
        "the prices of {} of {} are corrected by the machine's residuals, which were measured on the same node sizes ({}){}",
        corrected, counted(replayed.calls, "call"), node_sizes_text(machine.residual_node_sizes),
        machine.residual_date.empty() ? "" : " on " + machine.residual_date);
  if (options.without_correction) return "no price is corrected by the machine's residuals, as asked";
  if (machine.residual_node_sizes.empty())
    return "half of each of the machine's residuals is taken, because its file does not say on which node sizes they were measured";
  const auto are_by = [&](Implementation by) {
    return std::any_of(machine.residuals.begin(), machine.residuals.end(), [&](const Residual& each) { return each.by == by; });
  };
  if (!are_by(Implementation::vendor) || !are_by(Implementation::ours))
    return "no price is corrected by the machine's residuals, because they are not of both sides, which are compared";
  return fmt::format(
      "half of each of the machine's residuals is taken, because no call is blocking, on the node sizes {} with consecutive ranks "
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

Projection project(const Recording& recording, const ProjectionOptions& options) {
  using namespace projection;
  check(recording, options);
  CallPrices prices(recording, options);
  const Replayed replayed = replay(recording, options, prices);
  const VendorLibrary library = *find_vendor_library(prices.vendor());
  Projection projection{.vendor_title = std::string(library.title),
                        .is_vendor_checked = library.is_checked,
                        .rows = rows_of(recording, prices, replayed),
                        .calls = replayed.calls,
                        .corrected_calls = prices.corrected_calls(),
                        .remarks = remarks_of(recording, options, replayed, prices)};
  const auto drawn = [&](bool as_if_calibrated) {
    return drawn_bands(recording, options, prices, replayed, projection.rows, {.as_if_calibrated = as_if_calibrated});
  };
  const DrawnBands bands = drawn(false);
  projection.vendor = bands.runs[0], projection.ours = bands.runs[1], projection.gain = bands.gain;
  for (std::size_t row = 0; row < bands.gains.size(); ++row) projection.rows[row].gain_s = bands.gains[row];
  projection.verdict = verdict_of(bands);
  if (projection.verdict == ProjectionVerdict::not_known && !is_of_messages(projection.vendor))
    projection.remedy = remedy_of(options.machine, projection, [&] { return drawn(true).gain; });
  for (const RecordedRank& rank : recording.ranks) projection.recorded_s = std::max(projection.recorded_s, rank.seconds);
  return projection;
}

std::string_view name(ProjectedPart part) {
  constexpr std::array<std::string_view, projected_parts> names{"computing", "waiting for late ranks", "in collectives",
                                                                "point-to-point", "other"};
  return names[static_cast<std::size_t>(part)];
}

}  // namespace quadrille
