// SPDX-License-Identifier: BSD-3-Clause
#include "projection/remarks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "foundation/text/wording.hpp"
#include "projection/call_problem.hpp"
#include "quadrille/checked.hpp"

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
