// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/candidate.hpp"

namespace quadrille {
namespace {

constexpr std::string_view vendor = "vendor";

}  // namespace

bool names_vendor(std::string_view text) { return text == vendor; }

Candidate parse_candidate(const Problem& problem, std::string_view text) {
  if (names_vendor(text)) return Vendor{};
  return parse_choice(problem, text.empty() ? default_algorithm(problem.collective).id : text);
}

std::string specification(const Candidate& candidate) {
  const auto* choice = std::get_if<Choice>(&candidate);
  return choice ? specification(*choice) : std::string(vendor);
}

}  // namespace quadrille
