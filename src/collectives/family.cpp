// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/family.hpp"

#include <fmt/format.h>

#include <utility>

#include "problem/problem_text.hpp"
#include "problem/same_problem.hpp"
#include "quadrille/error.hpp"

namespace quadrille {

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

}  // namespace quadrille
