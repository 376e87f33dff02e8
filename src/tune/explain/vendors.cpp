// SPDX-License-Identifier: BSD-3-Clause
#include "tune/explain/vendors.hpp"

#include "quadrille/candidate.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/fit.hpp"
#include "quadrille/vendor_choice.hpp"
#include "tune/choosing/pricing_time.hpp"

namespace quadrille {
namespace {

// Returns true if measurements with the MPI library `mpi`, such as "Open MPI 4.1.4", tell of this library. No name stands for all.
bool is_meant(const VendorLibrary& library, const std::string& mpi) {
  if (mpi.empty()) return true;
  const auto measured = vendor_library_of(mpi);
  return measured && measured->id == library.id;
}

// Returns the time of MPI messages under the best policy; nothing if its figures are not known or pricing takes too long. Throws
// Error{too_large}.
std::optional<double> predicted(const Problem& problem, const Choice& choice, const MachineKnowledge& knowledge) {
  const auto fit = knowledge.fit(Executor::mpi, situation_of(problem));
  if (!fit || takes_too_long(problem, choice, true)) return std::nullopt;
  const Price price = price_by(*fit, workload(make_schedule(problem, choice), {.work = true}));
  return price.seconds(price.best_policy());
}

ExplainedVendor explained(const VendorLibrary& library, const Problem& problem, const MachineKnowledge& knowledge) {
  ExplainedVendor vendor{.title = std::string(library.title), .is_checked = library.is_checked};
  const auto algorithm = vendor_algorithm(library.id, problem);
  if (!algorithm) {
    vendor.reason = algorithm.error();
    return vendor;
  }
  vendor.algorithm = *algorithm;
  try {
    if (const auto choice = vendor_equivalent(library.id, problem, *algorithm)) {
      vendor.equivalent = short_name(problem, Candidate(*choice));
      vendor.predicted_s = predicted(problem, *choice, knowledge);
    } else {
      vendor.reason = choice.error();
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::too_large) throw;
    if (vendor.equivalent.empty()) vendor.reason = error.what();
  }
  return vendor;
}

}  // namespace

std::vector<ExplainedVendor> explained_vendors(const Problem& problem, const MachineKnowledge& knowledge) {
  std::vector<ExplainedVendor> vendors;
  if (!knowledge.has_mpi) return vendors;
  const std::string& mpi = knowledge.wisdom.machine.mpi;
  for (const VendorLibrary& library : all_vendor_libraries()) {
    if (!is_meant(library, mpi)) continue;
    ExplainedVendor vendor = explained(library, problem, knowledge);
    if (!mpi.empty() || !vendor.algorithm.empty()) vendors.push_back(std::move(vendor));
  }
  return vendors;
}

}  // namespace quadrille
