// SPDX-License-Identifier: BSD-3-Clause
#include "tune/cores.hpp"

#include "plan/gathered.hpp"
#include "plan/placed.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

cpu_set_t own_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  ::sched_getaffinity(0, sizeof cores, &cores);
  return cores;
}

std::vector<cpu_set_t> cores_of_nodes(Communicator& communicator) {
  const ByRank<cpu_set_t> of_ranks = gathered(communicator, own_cores());
  const std::vector<Count>& nodes = communicator.nodes();
  std::vector<cpu_set_t> of_nodes(ranks_of_nodes(communicator).size());
  for (Rank rank = 0; rank < communicator.size(); ++rank) {
    cpu_set_t& cores = of_nodes[index(nodes[index(rank)])];
    CPU_OR(&cores, &cores, &of_ranks[rank]);
  }
  return of_nodes;
}

}  // namespace quadrille
