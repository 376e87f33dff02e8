// SPDX-License-Identifier: BSD-3-Clause
#include "projection/check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "foundation/text/wording.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/settings.hpp"

namespace quadrille::projection {

void refuse(const std::string& sentence) { throw Error(ErrorCode::misuse, sentence); }

namespace {

constexpr double most_factor = 1e6;  // so that times stay finite

// Whether values are in their ranges depends on the call, so that is not checked here.
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

}  // namespace quadrille::projection
