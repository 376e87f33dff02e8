// SPDX-License-Identifier: BSD-3-Clause
#include "draw/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "collectives/table.hpp"
#include "foundation/text/wording.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/symmetry.hpp"

namespace quadrille {
namespace {

constexpr Count most_messages = 50'000;
constexpr Count most_operations = Count{1} << 22;

constexpr double least_headline_width = 330, longest_name = 780, longest_stage_name = 240;

}  // namespace

ByteUnit unit_for(const Problem& problem, const MessagesByRound& messages) {
  std::vector<Bytes> sizes;
  if (has_blocks(problem.collective)) sizes.push_back(problem.block_bytes);
  for (const auto& [round, list] : messages)
    for (const RoutedMessage& message : list) sizes.push_back(message.bytes);
  return common_unit(sizes);
}

std::string headline(const Schedule& schedule, const DrawOptions& options, const ByteUnit& unit) {
  const Problem& problem = schedule.problem;
  const auto nodes = std::set<Count>(problem.nodes.begin(), problem.nodes.end()).size();
  std::string text = fmt::format("{}/{}, {}", name(problem.collective), fitted(short_specification(schedule), longest_name),
                                 counted(problem.ranks, "rank"));
  if (nodes > 0) text += " on " + counted(nodes, "node");
  if (has_blocks(problem.collective)) text += fmt::format(", {} a block", bytes_text(problem.block_bytes, unit));
  if (!options.note.empty()) text += ", " + options.note;
  return text;
}

std::string stage_text(const std::string& name) { return fitted(name, longest_stage_name); }

std::string with_headline(Svg& svg, Point reach) {
  const double width = svg.headline({picture_margin, 22}, std::max(reach.x - picture_margin, least_headline_width));
  return svg.written(std::max(reach.x, picture_margin + width) + picture_margin, reach.y);
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
