// SPDX-License-Identifier: BSD-3-Clause
#include "projection/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "foundation/text/wording.hpp"
#include "recording/totals.hpp"

namespace quadrille {
namespace projection {
namespace {

constexpr double least_share = 0.05;  // a part of less than this share of a total is not given as the reason

double share_of(const ProjectedRun& run, ProjectedPart part) {
  return run.total.value > 0 ? run.part(part).value / run.total.value : 0;
}

double percent(double share) { return std::round(100 * share) + 0.0; }

std::string interval(const Band& gain) { return fmt::format("[{:.0f}, {:.0f}]", percent(gain.low), percent(gain.high)); }

}  // namespace

bool is_of_messages(const ProjectedRun& vendor) {
  return share_of(vendor, ProjectedPart::point_to_point) > recording::most_point_to_point;
}

ProjectionVerdict verdict_of(const DrawnBands& bands) {
  const ProjectedRun& vendor = bands.runs[0];
  if (is_of_messages(vendor)) return ProjectionVerdict::not_known;
  if (bands.gain.value >= least_gain && bands.shorter >= sure) return ProjectionVerdict::run_it;
  if (bands.gain.value >= least_gain || bands.worthwhile > 1 - sure) return ProjectionVerdict::not_known;
  if (bands.gain.value <= -least_gain) return ProjectionVerdict::keep_it;
  const double waiting = share_of(vendor, ProjectedPart::waiting), inside = share_of(vendor, ProjectedPart::collectives);
  if (waiting >= least_share && waiting > inside) return ProjectionVerdict::late_ranks;
  return inside >= least_share ? ProjectionVerdict::network : ProjectionVerdict::computing;
}

std::string remedy_of(const MachineCosts& machine, const Projection& projection, const std::function<Band()>& calibrated) {
  const bool is_calibrated = !machine.residuals.empty() && machine.assumed.empty();
  if (!is_calibrated || 2 * projection.corrected_calls < projection.calls)
    return fmt::format("measure {} by `quadrille calibrate --time 60` (2 minutes), which would narrow it to about {} %",
                       is_calibrated ? "the node sizes of the run" : "the machine", interval(calibrated()));
  const auto widest = std::max_element(projection.rows.begin(), projection.rows.end(), [](const auto& a, const auto& b) {
    return a.gain_s.high - a.gain_s.low < b.gain_s.high - b.gain_s.low;
  });
  if (widest == projection.rows.end()) return "";
  return fmt::format("most of the doubt is in {} with blocks of {}, which `quadrille race` times on the machine", widest->function,
                     bytes_text(widest->most_bytes));
}

}  // namespace projection

std::string verdict_text(const Projection& projection) {
  using namespace projection;
  const Band& gain = projection.gain;
  const auto nothing = [&](std::string_view reason) { return fmt::format("nothing to gain {} %: {}", interval(gain), reason); };
  switch (projection.verdict) {
    case ProjectionVerdict::run_it:
      return fmt::format("run it by `quadrille wrap`: {:.0f} % shorter {}", percent(gain.value), interval(gain));
    case ProjectionVerdict::keep_it: return nothing("our choice would be longer");
    case ProjectionVerdict::late_ranks: return nothing("your ranks wait for each other");
    case ProjectionVerdict::network: return nothing("the network is the limit");
    case ProjectionVerdict::computing:
      return nothing(
          fmt::format("{:.0f} % of the run is in collectives", percent(share_of(projection.vendor, ProjectedPart::collectives))));
    case ProjectionVerdict::not_known:
      if (is_of_messages(projection.vendor))
        return fmt::format("not known: {:.0f} % of the run is in point-to-point calls, which are not projected",
                           percent(share_of(projection.vendor, ProjectedPart::point_to_point)));
      return fmt::format("not known: the band {} % {}{}{}", interval(gain),
                         gain.low <= 0 && gain.high >= 0 ? "contains 0" : "is near 0", projection.remedy.empty() ? "" : "; ",
                         projection.remedy);
  }
  return {};
}

}  // namespace quadrille
