// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/vendor_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "quadrille/error.hpp"
#include "tune/rules/mpich_choice.hpp"
#include "tune/rules/openmpi_choice.hpp"

namespace quadrille {
namespace {

struct Row {
  VendorLibrary library;
  Result<std::string> (*algorithm)(const Problem& problem);
  Result<std::string> (*equivalent)(const Problem& problem, std::string_view algorithm);  // a specification
};

constexpr Row vendors[] = {
    {{.id = "openmpi", .title = "Open MPI 4.1"}, openmpi_algorithm, openmpi_equivalent},
    {{.id = "openmpi5", .title = "Open MPI 5.0", .is_checked = false}, openmpi5_algorithm, openmpi_equivalent},
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
