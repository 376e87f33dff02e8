// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/vendor_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "quadrille/error.hpp"
#include "tune/rules/mpich_choice.hpp"
#include "tune/rules/openmpi_choice.hpp"

namespace quadrille {
namespace {

const VendorLibrary& library_named(std::string_view id) {
  if (const VendorLibrary* library = find_vendor_library(id)) return *library;
  std::vector<std::string_view> known;
  for (const VendorLibrary& library : all_vendor_libraries()) known.push_back(library.id);
  throw Error(ErrorCode::misuse,
              fmt::format("the rules of the MPI library '{}' are not known; known are: {}", id, fmt::join(known, ", ")));
}

}  // namespace

const std::vector<VendorLibrary>& all_vendor_libraries() {
  static const std::vector<VendorLibrary> all{
      {.id = "openmpi", .title = "Open MPI 4.1", .algorithm = openmpi_algorithm, .equivalent = openmpi_equivalent},
      {.id = "openmpi5",
       .title = "Open MPI 5.0",
       .is_checked = false,
       .algorithm = openmpi5_algorithm,
       .equivalent = openmpi_equivalent},
      {.id = "mpich", .title = "MPICH", .algorithm = mpich_algorithm, .equivalent = mpich_equivalent},
  };
  return all;
}

const VendorLibrary* find_vendor_library(std::string_view id) {
  const auto& all = all_vendor_libraries();
  const auto library = std::find_if(all.begin(), all.end(), [&](const VendorLibrary& each) { return each.id == id; });
  return library == all.end() ? nullptr : &*library;
}

Result<std::string> vendor_algorithm(std::string_view library, const Problem& problem) {
  return library_named(library).algorithm(problem);
}

Result<Choice> vendor_equivalent(std::string_view library, const Problem& problem, std::string_view algorithm) {
  const VendorLibrary& found = library_named(library);
  // A single rank copies, as every algorithm does.
  const auto text = problem.ranks == 1 ? Result<std::string>(std::string(default_algorithm(problem.collective).id))
                                       : found.equivalent(problem, algorithm);
  if (!text) return cannot(text.error());
  const Choice choice = parse_choice(problem, *text);
  if (const auto result = applies(problem, choice); !result)
    return cannot(fmt::format("the table's {} does not apply: {}", choice.algorithm->id, result.error()));
  return choice;
}

}  // namespace quadrille
