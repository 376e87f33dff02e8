// SPDX-License-Identifier: BSD-3-Clause
#include "plan/family_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "execute/agreement.hpp"
#include "quadrille/document.hpp"

namespace quadrille {
namespace {

// What a rank says about its schedule before its reason or its text is sent.
struct Made {
  bool is_made = true;
  Bytes length = 0;  // of the text
  std::optional<Count> port_limit{};
};

Result<Schedule> made_by_every_rank(Communicator& communicator, const Family& family, const Problem& problem) {
  std::optional<Result<Schedule>> mine;
  const auto made = gathered_or_thrown(communicator, [&] {
    mine.emplace(family.schedule(problem));
    return Made{.is_made = mine->has_value()};
  });
  const auto without = std::find_if(made.begin(), made.end(), [](const Made& each) { return !each.is_made; });
  if (without == made.end()) return *std::move(mine);
  return cannot(told_by(communicator, without - made.begin(), mine->has_value() ? "" : mine->error()));
}

Result<Schedule> made_by_first_rank(Communicator& communicator, const Family& family, const Problem& problem) {
  if (communicator.size() > most_ranks_of_first)
    throw Error(ErrorCode::too_large,
                fmt::format("{} makes the schedules of all ranks at rank 0, for at most {} ranks, and not for {}", family.name(),
                            most_ranks_of_first, communicator.size()));
  std::string text;
  const auto made = gathered_or_thrown(communicator, [&]() -> Made {
    if (communicator.rank() != 0) return {};
    const Result<Schedule> schedule = family.schedule(problem);
    if (!schedule) {
      text = schedule.error();
      return {false, static_cast<Bytes>(text.size())};
    }
    std::ostringstream out;
    write_text(out, *schedule);
    text = std::move(out).str();
    return {true, static_cast<Bytes>(text.size()), schedule->port_limit};
  });
  text = told_in_parts(communicator, 0, std::move(text), made[0].length);
  if (!made[0].is_made) return cannot(std::move(text));
  return made_or_thrown(communicator, [&] {
    Schedule schedule = std::move(parse_documents(text).front());
    schedule.problem = problem;
    schedule.port_limit = made[0].port_limit;
    return schedule;
  });
}

}  // namespace

Result<Schedule> schedule_of(Communicator& communicator, const Family& family, const Problem& problem) {
  return family.made_by() == Family::MadeBy::every_rank ? made_by_every_rank(communicator, family, problem)
                                                        : made_by_first_rank(communicator, family, problem);
}

}  // namespace quadrille
