// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/candidate.hpp"

#include "quadrille/error.hpp"

namespace quadrille {
namespace {

constexpr std::string_view vendor = "vendor", vendor_with_algorithm = "vendor:";

}  // namespace

bool names_vendor(std::string_view text) { return text == vendor || text.starts_with(vendor_with_algorithm); }

Candidate parse_candidate(const Problem& problem, std::string_view text) {
  if (text == vendor) return Vendor{};
  if (names_vendor(text)) {
    text.remove_prefix(vendor_with_algorithm.size());
    if (text.empty())
      throw Error(ErrorCode::misuse, "'vendor:' must be followed by the name of one of the MPI library's algorithms");
    return Vendor{std::string(text)};
  }
  return parse_choice(problem, text.empty() ? default_algorithm(problem.collective).id : text);
}

std::string specification(const Candidate& candidate) {
  if (const auto* choice = std::get_if<Choice>(&candidate)) return specification(*choice);
  if (const auto* family = std::get_if<Family>(&candidate)) return family->name();
  const std::string& algorithm = std::get<Vendor>(candidate).algorithm;
  return algorithm.empty() ? std::string(vendor) : std::string(vendor_with_algorithm) + algorithm;
}

std::string short_name(const Problem& problem, const Candidate& candidate) {
  const auto* choice = std::get_if<Choice>(&candidate);
  return choice ? specification(shortened(problem, *choice)) : specification(candidate);
}

Schedule make_schedule(const Problem& problem, const Candidate& candidate) {
  if (const auto* choice = std::get_if<Choice>(&candidate)) return make_schedule(problem, *choice);
  const auto* family = std::get_if<Family>(&candidate);
  if (!family) throw Error(ErrorCode::misuse, "vendor has no schedule: it is the transport's own collective");
  Result<Schedule> made = family->schedule(problem);
  if (!made) throw Error(ErrorCode::misuse, family->name() + " does not apply: " + made.error());
  return *std::move(made);
}

}  // namespace quadrille
