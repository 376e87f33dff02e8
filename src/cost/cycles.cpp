// SPDX-License-Identifier: BSD-3-Clause
#include "cost/cycles.hpp"

#include <algorithm>
#include <vector>

#include "problem/collective_facts.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
// Repeatedly removes ranks that do not wait for any remaining rank. The ranks of a cycle are never removed, so a
// cycle exists if ranks remain.
bool waits_in_cycle(const Schedule& schedule) {
  constexpr Rank most_ranks = 4096;  // limit for making programs
  const Count ranks = schedule.problem.ranks;
  if (ranks == 1) return false;
  if (all_depend_on_all(schedule.problem.collective)) return true;
  if (ranks > most_ranks) return true;         // making the programs would take long; assume the more expensive case
  ByRank<std::vector<Rank>> receivers(ranks);  // by sender
  ByRank<Count> awaited(ranks);                // number of ranks for which each rank waits
  for (Rank rank = 0; rank < ranks; ++rank) {
    std::vector<Rank>& own = receivers[rank];
    for (const Round& round : schedule.program(rank).rounds) {
      for (const Message& message : round.sends) own.push_back(message.peer);
      for (const Control& control : round.control_sends) own.push_back(control.peer);
    }
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    std::erase(own, rank);
    for (const Rank receiver : own) ++awaited[receiver];
  }
  std::vector<Rank> free;
  for (Rank rank = 0; rank < ranks; ++rank)
    if (awaited[rank] == 0) free.push_back(rank);
  for (std::size_t next = 0; next < free.size(); ++next)
    for (const Rank receiver : receivers[free[next]])
      if (--awaited[receiver] == 0) free.push_back(receiver);
  return size(free) < ranks;
}

}  // namespace quadrille
