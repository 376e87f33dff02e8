// SPDX-License-Identifier: BSD-3-Clause
#include "tune/rules/vendor_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <iterator>

#include "patterns/integers.hpp"
#include "quadrille/error.hpp"
#include "quadrille/vendor_choice.hpp"
#include "tune/rules/mpich_choice.hpp"

namespace quadrille {
namespace {

// Returns the collective with blocks of one size that does the same as an irregular one: its name has no v at the end.
Collective regular(Collective collective) {
  const std::string_view all = name(collective);
  return is_irregular(collective) ? collective_named(all.substr(0, all.size() - 1)).value() : collective;
}

const Equivalent* row_for(std::span<const Equivalent> table, Collective collective, const Problem& problem,
                          std::string_view algorithm) {
  const auto row = std::find_if(table.begin(), table.end(), [&](const Equivalent& each) {
    return each.collective == collective && each.algorithm == algorithm && (!each.where || each.where(problem));
  });
  return row == table.end() ? nullptr : &*row;
}

struct Row {
  VendorLibrary library;
  Result<std::string> (*algorithm)(const Problem& problem);
  Result<std::string> (*equivalent)(const Problem& problem, std::string_view algorithm);  // a specification
};

constexpr Row vendors[] = {
    {{.id = "openmpi", .title = "Open MPI 4.1"}, openmpi_algorithm, openmpi_equivalent},
    {{.id = "openmpi5", .title = "Open MPI 5.0", .without_nodes = "OMPI_MCA_coll_han_priority=0", .is_checked = false},
     openmpi5_algorithm,
     openmpi_equivalent},
    {{.id = "mpich", .title = "MPICH"}, mpich_algorithm, mpich_equivalent},
};

const Row* find_row(std::string_view id) {
  const Row* const row =
      std::find_if(std::begin(vendors), std::end(vendors), [&](const Row& each) { return each.library.id == id; });
  return row == std::end(vendors) ? nullptr : row;
}

const Row& row_of(std::string_view id) {
  if (const Row* const row = find_row(id)) return *row;
  std::vector<std::string_view> known;
  for (const Row& row : vendors) known.push_back(row.library.id);
  throw Error(ErrorCode::misuse,
              fmt::format("the rules of the MPI library '{}' are not known; known are: {}", id, fmt::join(known, ", ")));
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

std::vector<VendorLibrary> all_vendor_libraries() {
  std::vector<VendorLibrary> libraries;
  for (const Row& row : vendors) libraries.push_back(row.library);
  return libraries;
}

std::optional<VendorLibrary> find_vendor_library(std::string_view id) {
  const Row* const row = find_row(id);
  return row ? std::optional(row->library) : std::nullopt;
}

std::optional<VendorLibrary> vendor_library_of(std::string_view mpi) {
  std::string name(mpi);
  constexpr std::string_view letter = "Open MPI v";
  if (name.starts_with(letter)) name.erase(letter.size() - 1, 1);
  for (const Row& row : vendors)
    if (name.starts_with(row.library.title)) return row.library;
  return std::nullopt;
}

Result<std::string> vendor_algorithm(std::string_view library, const Problem& problem) {
  return row_of(library).algorithm(problem);
}

Result<Choice> vendor_equivalent(std::string_view library, const Problem& problem, std::string_view algorithm) {
  const Row& row = row_of(library);
  // A single rank copies, as every algorithm does.
  const auto text = problem.ranks == 1 ? Result<std::string>(std::string(default_algorithm(problem.collective).id))
                                       : row.equivalent(problem, algorithm);
  if (!text) return cannot(text.error());
  const Choice choice = parse_choice(problem, *text);
  if (const auto result = applies(problem, choice); !result)
    return cannot(fmt::format("the table's {} does not apply: {}", choice.algorithm->id, result.error()));
  return choice;
}

}  // namespace quadrille
