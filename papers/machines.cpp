// SPDX-License-Identifier: BSD-3-Clause
#include "papers/machines.hpp"

#include "foundation/system/folders.hpp"

namespace quadrille::papers {

MachineCosts machine_of_paper(const std::string& name) {
  return read_machine((library_folder() / "machines" / (name + ".toml")).string());
}

Problem problem_of(Collective collective, Count ranks, Bytes block_bytes) {
  Problem problem;
  problem.collective = collective;
  problem.ranks = ranks;
  problem.block_bytes = block_bytes;
  return problem;
}

}  // namespace quadrille::papers
