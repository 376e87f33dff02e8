// SPDX-License-Identifier: BSD-3-Clause
#include "options/vendor_case.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "foundation/text/wording.hpp"
#include "quadrille/candidate.hpp"
#include "quadrille/vendor_choice.hpp"
#include "support/refuse.hpp"

namespace quadrille::command {
namespace {

// "vendor:a, vendor:b or vendor:c"
std::string all_names() {
  std::vector<std::string> names;
  for (const VendorLibrary& library : all_vendor_libraries()) names.push_back(fmt::format("vendor:{}", library.id));
  return alternatives(names);
}

}  // namespace

std::vector<std::string> vendor_library_ids() {
  std::vector<std::string> ids;
  for (const VendorLibrary& library : all_vendor_libraries()) ids.emplace_back(library.id);
  return ids;
}

std::string vendor_case_help() { return fmt::format("what an MPI library would send ({})", all_names()); }

Result<VendorCase> parse_vendor_case(const Problem& problem, std::string_view specification) {
  const std::size_t first = specification.find(':');
  const std::size_t second = first == specification.npos ? first : specification.find(':', first + 1);
  const std::string_view id = first == specification.npos ? "" : specification.substr(first + 1, second - first - 1);
  const std::optional<VendorLibrary> library = find_vendor_library(id);
  if (!library) {
    refuse(fmt::format("{} has no schedule unless the MPI library is named: {}; 'quadrille race' under mpirun runs it",
                       specification, all_names()));
  }
  const bool is_forced = second != specification.npos;
  const auto algorithm = is_forced ? Result<std::string>(specification.substr(second + 1)) : vendor_algorithm(id, problem);
  if (!algorithm) return cannot(algorithm.error());
  const auto choice = vendor_equivalent(id, problem, *algorithm);
  const std::string takes = fmt::format("{} {} {} here", library->title, is_forced ? "would run" : "takes", *algorithm);
  if (!choice) return cannot(fmt::format("{}; {}", takes, choice.error()));
  const std::string_view basis = is_forced             ? ""
                                 : library->is_checked ? "; assumed by its rules, not measured"
                                                       : "; assumed by its rules, which were not checked, and not measured";
  return VendorCase{std::string(specification),
                    fmt::format("{}, with the messages of {}{}", takes, short_name(problem, Candidate(*choice)), basis), *choice};
}

}  // namespace quadrille::command
