// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/candidate.hpp"

#include <fmt/format.h>

#include <utility>

#include "problem/problem_text.hpp"
#include "problem/same_problem.hpp"
#include "quadrille/error.hpp"

namespace quadrille {
namespace {

constexpr std::string_view vendor = "vendor", vendor_with_algorithm = "vendor:";

}  // namespace

Family::Family(std::string name, Make make, MadeBy made_by)
    : name_(std::move(name)), make_(std::make_shared<const Make>(std::move(make))), made_by_(made_by) {}

Result<Schedule> Family::schedule(const Problem& problem) const {
  Result<Schedule> made = (*make_)(problem);
  if (!made) return made;
  if (!moves_the_same(made->problem, problem))
    throw Error(ErrorCode::misuse, fmt::format("{} makes a schedule for {} instead of {}", name_, collective_text(made->problem),
                                               collective_text(problem)));
  made->problem = problem;
  made->algorithm = name_;
  // `verify` reads a limit of ports from this parameter. The limit stays when the parameters of the document go.
  if (const auto ports = made->parameters.find("ports"); ports != made->parameters.end())
    if (const auto* limit = std::get_if<Count>(&ports->second)) made->port_limit = *limit;
  made->parameters.clear();
  return made;
}

Family family_of_programs(std::string name, std::function<Program(const Problem&, Rank)> program) {
  return {std::move(name), [program = std::move(program)](const Problem& problem) {
            Schedule schedule{.problem = problem};
            schedule.program = [program, problem](Rank rank) { return program(problem, rank); };
            return schedule;
          }};
}

Family family_of_schedules(std::string name, std::vector<Schedule> schedules) {
  return {std::move(name), [schedules = std::move(schedules)](const Problem& problem) -> Result<Schedule> {
            for (const Schedule& schedule : schedules)
              if (moves_the_same(schedule.problem, problem)) return schedule;
            if (schedules.size() == 1)
              return cannot(fmt::format("the given schedule is for {}, not for {}", collective_text(schedules[0].problem),
                                        collective_text(problem)));
            return cannot(fmt::format("none of the given schedules is for {}", collective_text(problem)));
          }};
}

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
