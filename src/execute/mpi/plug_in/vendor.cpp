// SPDX-License-Identifier: BSD-3-Clause
#include "execute/mpi/plug_in/vendor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <climits>

#include "execute/mpi/plug_in/vendor_calls.hpp"
#include "execute/mpi/plug_in/vendor_executable.hpp"

namespace quadrille {
namespace {

// Returns the largest count or displacement that is passed to MPI: for a regular function the length of a block, for an irregular
// one the last displacement of a buffer.
Bytes longest_count(const Problem& problem) {
  if (is_reduction(problem.collective)) return std::max(input_bytes(problem, 0), output_bytes(problem, 0)) / problem.element_bytes;
  Bytes longest = problem.block_bytes;
  if (is_irregular(problem.collective))
    for (Rank rank = 0; rank < problem.ranks; ++rank)
      longest = std::max({longest, input_bytes(problem, rank), output_bytes(problem, rank)});
  return longest;
}

}  // namespace

Result<std::unique_ptr<Executable>> vendor_collective(const Lease& lease, const Waiter& waiter, const Problem& problem,
                                                      const Operator* operation, Rank rank) {
  const VendorFunction function = vendor_function(problem.collective);
  if (!function) return cannot(fmt::format("MPI has no {}", name(problem.collective)));
  std::shared_ptr<const MpiOperator> reduction;
  if (is_reduction(problem.collective)) {
    auto found = MpiOperator::of(*operation);
    if (!found) return cannot(found.error());
    if (problem.reproducible) return cannot("MPI does not specify the order in which it combines operands");
    reduction = *found;
  }
  if (const Bytes longest = longest_count(problem); longest > INT_MAX)
    return cannot(fmt::format("MPI 3.1's counts end at {} and it needs {}", INT_MAX, longest));
  return std::make_unique<VendorExecutable>(waiter, function, VendorArguments(lease, problem, std::move(reduction), rank));
}

}  // namespace quadrille
