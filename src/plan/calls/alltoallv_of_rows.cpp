// SPDX-License-Identifier: BSD-3-Clause
// Gathers the counts of an alltoallv from all ranks.
#include <fmt/format.h>

#include <algorithm>

#include "quadrille/error.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {

Problem alltoallv_of_rows(Group ranks, const std::vector<Bytes>& row) {
  constexpr Bytes bad = -1;  // replaces every count of an invalid row, so that all ranks find the error
  Communicator& communicator = ranks;
  const auto p = index(communicator.size());
  const bool good = row.size() == p && std::all_of(row.begin(), row.end(), [](Bytes count) { return count >= 0; });
  const std::vector<Bytes> mine = good ? row : std::vector<Bytes>(p, bad);
  std::vector<Bytes> counts(p * p);
  communicator.all_gather(mine.data(), counts.data(), static_cast<Count>(p * sizeof(Bytes)));
  if (const auto found = std::find(counts.begin(), counts.end(), bad); found != counts.end())
    throw Error(ErrorCode::misuse,
                fmt::format("rank {} has no row of {} counts, each 0 or more", (found - counts.begin()) / communicator.size(), p));
  return Problem::alltoallv(communicator.size(), std::move(counts));
}

}  // namespace quadrille
