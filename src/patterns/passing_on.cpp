// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/passing_on.hpp"

namespace quadrille {

std::vector<PassingOn> passing_on(Count ranks, Count size, Rank me) {
  std::vector<PassingOn> rounds;
  const Count in_upper = ranks % (2 * size) - size;  // ranks of the last group, if it is an upper one that is not full
  if (in_upper <= 0) return rounds;
  const Rank lower = ranks - in_upper - size;  // the first rank of the lower group
  const bool takes_part = me >= lower && me < lower + size;
  for (Count distance = size / 2; distance > 0; distance /= 2) {
    PassingOn& round = rounds.emplace_back();
    const Rank other = me ^ distance,
               end = (me & -(2 * distance)) + in_upper;  // of this part, the ranks before `end` have the data
    if (!takes_part) continue;
    if (me < end && other >= end) round.to = other;
    if (other < end && me >= end) round.from = other;
  }
  return rounds;
}

}  // namespace quadrille
