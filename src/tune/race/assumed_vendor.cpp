// SPDX-License-Identifier: BSD-3-Clause
#include "tune/race/assumed_vendor.hpp"

#include <algorithm>

#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/fit.hpp"
#include "quadrille/vendor_choice.hpp"

namespace quadrille {

void predict_vendor(RaceEntry& entry, const Problem& problem, std::string_view mpi, const std::vector<ExecutorFit>& fits) {
  const auto fit = std::find_if(fits.begin(), fits.end(), [](const ExecutorFit& each) { return each.executor == Executor::mpi; });
  const auto library = vendor_library_of(mpi);
  if (fit == fits.end() || !library) return;
  const auto algorithm = vendor_algorithm(library->id, problem);
  if (!algorithm) return;
  try {
    const auto equivalent = vendor_equivalent(library->id, problem, *algorithm);
    if (!equivalent) return;
    const Price price = price_by(*fit, workload(make_schedule(problem, *equivalent), {.nodes = true, .work = true}));
    entry.predicted_seconds = price.seconds(price.best_policy());
    entry.assumed = AssumedVendor{std::string(library->title), *algorithm, *equivalent};
  } catch (const Error& error) {
    if (error.code() != ErrorCode::too_large) throw;
  }
}

}  // namespace quadrille
