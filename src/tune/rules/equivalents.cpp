// SPDX-License-Identifier: BSD-3-Clause
#include "tune/rules/equivalents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "patterns/integers.hpp"

namespace quadrille {
namespace {

// Returns the collective with blocks of one size that does the same as an irregular one.
Collective regular(Collective collective) {
  switch (collective) {
    case Collective::alltoallv: return Collective::alltoall;
    case Collective::allgatherv: return Collective::allgather;
    case Collective::reduce_scatterv: return Collective::reduce_scatter;
    case Collective::scatterv: return Collective::scatter;
    case Collective::gatherv: return Collective::gather;
    default: return collective;
  }
}

const Equivalent* row_for(std::span<const Equivalent> table, Collective collective, const Problem& problem,
                          std::string_view algorithm) {
  const auto row = std::find_if(table.begin(), table.end(), [&](const Equivalent& each) {
    return each.collective == collective && each.algorithm == algorithm && (!each.where || each.where(problem));
  });
  return row == table.end() ? nullptr : &*row;
}

}  // namespace

Result<std::string> equivalent_in(std::span<const Equivalent> table, const Problem& problem, std::string_view algorithm) {
  const Equivalent* row = row_for(table, problem.collective, problem, algorithm);
  if (!row) row = row_for(table, regular(problem.collective), problem, algorithm);
  if (!row) return cannot(fmt::format("no algorithm '{}' of {} is known", algorithm, name(problem.collective)));
  if (row->ours.empty()) return cannot(std::string(row->reason));
  constexpr std::string_view others = "{p-1}";
  std::string text(row->ours);
  if (const std::size_t at = text.find(others); at != text.npos)
    text.replace(at, others.size(), fmt::format("{}", std::max<Count>(1, problem.ranks - 1)));
  return text;
}

Count elements_of(const Problem& problem) { return problem.block_bytes / problem.element_bytes; }
Count power_of_two_below(Count ranks) { return static_cast<Count>(std::bit_floor(static_cast<std::uint64_t>(ranks))); }

bool has_power_of_two(const Problem& problem) { return is_power_of_two(problem.ranks); }
bool has_even(const Problem& problem) { return problem.ranks % 2 == 0; }
bool has_element_for_each(const Problem& problem) { return elements_of(problem) >= problem.ranks; }
bool fills_all_shares(const Problem& problem) {
  const Count share = (elements_of(problem) + problem.ranks - 1) / problem.ranks;
  return has_element_for_each(problem) && (problem.ranks - 1) * share < elements_of(problem);
}
bool can_halve(const Problem& problem) { return problem.commutative && elements_of(problem) >= power_of_two_below(problem.ranks); }

}  // namespace quadrille
