// SPDX-License-Identifier: BSD-3-Clause
#include "draw/picture.hpp"

#include <fmt/format.h>

#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/extent.hpp"

namespace quadrille {
namespace {

constexpr Count most_messages = 50'000;
constexpr Count most_operations = Count{1} << 22;

}  // namespace

std::string headline(const Schedule& schedule) {
  const Problem& problem = schedule.problem;
  return fmt::format("{}/{}, {} rank{}{}", name(problem.collective), specification(schedule), problem.ranks,
                     problem.ranks == 1 ? "" : "s",
                     has_blocks(problem.collective) ? fmt::format(", {} B a block", problem.block_bytes) : "");
}

void check_parts(Count count, Count most, const std::string& parts) {
  if (count > most)
    throw Error(ErrorCode::too_large, fmt::format("{} {} are too many for this picture; the limit is {}", count, parts, most));
}

std::vector<Program> programs_of(const Schedule& schedule, Count most_ranks) {
  check_parts(schedule.problem.ranks, most_ranks, "ranks");
  check_parts(operation_count(schedule, most_operations), most_operations, "operations");
  std::vector<Program> programs;
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank) programs.push_back(schedule.program(rank));
  return programs;
}

MessagesByRound messages_of(const std::vector<Program>& programs, const Problem& problem, std::optional<Count> round) {
  MessagesByRound rounds;
  for (const Program& program : programs) add_messages(problem.ranks, program, problem.collective, rounds);
  if (round) {
    const auto found = rounds.find(*round);
    if (found == rounds.end()) {
      throw Error(ErrorCode::misuse, rounds.empty() ? "nothing is sent in any round"
                                                    : fmt::format("nothing is sent in round {}; messages are in rounds {} to {}",
                                                                  *round, rounds.begin()->first, rounds.rbegin()->first));
    }
    rounds = {*found};
  }
  Count count = 0;
  for (const auto& [number, messages] : rounds) count += size(messages);
  check_parts(count, most_messages, "messages");
  return rounds;
}

}  // namespace quadrille
