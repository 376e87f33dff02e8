// SPDX-License-Identifier: BSD-3-Clause
#include "tune/explain/vendors.hpp"

#include <algorithm>

#include "quadrille/candidate.hpp"
#include "quadrille/vendor_choice.hpp"

namespace quadrille {
namespace {

// Returns true if measurements with the MPI library `mpi`, such as "Open MPI 4.1.4", tell of this library. No name stands for all.
bool is_meant(const VendorLibrary& library, const std::string& mpi) { return mpi.empty() || mpi.starts_with(library.title); }

std::optional<double> predicted(const Problem& problem, const Choice& choice, const std::vector<ExplainedWay>& ways) {
  std::optional<double> least;
  for (const ExplainedWay& way : ways) {
    const auto& seconds = way.considered.predicted_s;
    if (!seconds || parse_candidate(problem, way.considered.way.algorithm) != Candidate(choice)) continue;
    least = std::min(least.value_or(*seconds), *seconds);
  }
  return least;
}

ExplainedVendor explained(const VendorLibrary& library, const Problem& problem, const std::vector<ExplainedWay>& ways) {
  ExplainedVendor vendor{.title = std::string(library.title), .is_checked = library.is_checked};
  const auto algorithm = vendor_algorithm(library.id, problem);
  if (!algorithm) {
    vendor.reason = algorithm.error();
    return vendor;
  }
  vendor.algorithm = *algorithm;
  const auto choice = vendor_equivalent(library.id, problem, *algorithm);
  if (!choice) {
    vendor.reason = choice.error();
    return vendor;
  }
  vendor.equivalent = short_name(problem, Candidate(*choice));
  vendor.predicted_s = predicted(problem, *choice, ways);
  return vendor;
}

}  // namespace

std::vector<ExplainedVendor> explained_vendors(const Problem& problem, const MachineKnowledge& knowledge,
                                               const std::vector<ExplainedWay>& ways) {
  std::vector<ExplainedVendor> vendors;
  if (!knowledge.has_mpi) return vendors;
  for (const VendorLibrary& library : all_vendor_libraries())
    if (is_meant(library, knowledge.wisdom.machine.mpi)) vendors.push_back(explained(library, problem, ways));
  return vendors;
}

}  // namespace quadrille
