// SPDX-License-Identifier: BSD-3-Clause
#include "seeds/deciding.hpp"

#include "mpi_face/policy/simulated_ranks.hpp"

namespace quadrille::seeds {

std::string run_deciding(std::uint64_t seed) {
  namespace simulated = mpi_face::simulated;
  if (simulated::first_violation(seed, simulated::Fault::none).empty()) return {};
  return simulated::shortest_violation(seed, simulated::Fault::none);
}

}  // namespace quadrille::seeds
