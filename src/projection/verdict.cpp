// SPDX-License-Identifier: BSD-3-Clause
// The sentence at the end of a projection.
#include "projection/verdict.hpp"

#include <fmt/format.h>

#include <cmath>

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
