// SPDX-License-Identifier: BSD-3-Clause
#include "projection/check.hpp"

#include <fmt/format.h>

#include <cmath>

#include "foundation/text/counted.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille::projection {

void refuse(const std::string& sentence) { throw Error(ErrorCode::misuse, sentence); }

void check(const Recording& recording, const ProjectionOptions& options) {
  const auto recorded = size(recording.ranks);
  if (recorded != recording.world_size)
    refuse(fmt::format("the recordings of {} of {} are missing, and without them calls cannot be matched",
                       recording.world_size - recorded, counted(recording.world_size, "rank")));
  if (!options.nodes.empty() && size(options.nodes) != recorded)
    refuse(fmt::format("the nodes hold {}, but {} recorded", counted(size(options.nodes), "rank"),
                       recorded == 1 ? "1 was" : fmt::format("{} were", recorded)));
  const auto check_factor = [](double factor, std::string_view what) {
    if (!(factor >= 0) || !std::isfinite(factor)) refuse(fmt::format("the factor for {} is not a number from 0 on", what));
  };
  check_factor(options.computing, "computing");
  check_factor(options.away, "time away");
  if (options.total_cores < 0 || options.draws < 0) refuse("numbers of cores and of draws are not negative");
  if (options.pieces.watch && options.without_late_ranks)
    refuse("without late ranks there are no pieces, because work moves between ranks");
  for (const auto& [collective, algorithm] : options.chosen)
    if (const std::string id = algorithm.substr(0, algorithm.find(':')); !find_algorithm(collective, id))
      refuse(fmt::format("{} has no algorithm '{}'", name(collective), id));
}

}  // namespace quadrille::projection
