// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/same_schedule.hpp"

#include <algorithm>
#include <tuple>

#include "problem/same_problem.hpp"
#include "quadrille/error.hpp"
#include "schedule/forms/document.hpp"

namespace quadrille {
namespace {

// Appends the operation, cut at each boundary of either list of runs.
void add_pieces(const Local& local, std::vector<Local>& pieces) {
  Regions source = flattened(local.source), target = flattened(local.target);
  if (bytes(source) != bytes(target)) {  // an incorrect operation is not cut
    pieces.push_back({local.kind, local.order, std::move(source), std::move(target)});
    return;
  }
  auto to = target.begin();
  for (Region& from : source)
    while (from.length > 0) {
      const Bytes length = std::min(from.length, to->length);
      pieces.push_back({local.kind, local.order, {{from.buffer, from.offset, length, {}}}, {{to->buffer, to->offset, length, {}}}});
      from.offset += length, from.length -= length;
      to->offset += length, to->length -= length;
      if (to->length == 0) ++to;
    }
}

void normalise(std::vector<Message>& messages) {
  for (Message& message : messages) message.regions = flattened(message.regions);
  std::erase_if(messages, [](const Message& message) { return message.regions.empty(); });
}

bool does_something(const Round& round) {
  return !round.locals.empty() || !round.sends.empty() || !round.receives.empty() || !round.control_sends.empty() ||
         !round.control_receives.empty();
}

bool is_same(const Program& one, const Program& other) {
  if (one == other) return true;
  try {
    return normalised(one) == normalised(other);
  } catch (const Error&) {  // a region that has no runs
    return false;
  }
}

bool have_same_problem(const Schedule& one, const Schedule& other) {
  return is_same(one.problem, other.problem) ||
         (moves_the_same(one.problem, other.problem) && one.problem.nodes == other.problem.nodes);
}

// `stated` is empty if the size is the one that the problem defines.
Bytes buffer_bytes(const std::vector<Bytes>& stated, Rank rank, Bytes defined) {
  return stated.empty() ? defined : stated.at(static_cast<std::size_t>(rank));
}

bool have_same_buffers(const Schedule& one, const Schedule& other, Rank rank) {
  const auto sizes = [rank](const Schedule& schedule) {
    return std::pair(buffer_bytes(schedule.stated_input_bytes, rank, input_bytes(schedule.problem, rank)),
                     buffer_bytes(schedule.stated_output_bytes, rank, output_bytes(schedule.problem, rank)));
  };
  return sizes(one) == sizes(other);
}

}  // namespace

Program normalised(Program program) {
  for (Round& round : program.rounds) {
    std::vector<Local> pieces;
    for (const Local& local : round.locals) add_pieces(local, pieces);
    std::erase_if(pieces, [](const Local& local) { return local.source.empty() && local.target.empty(); });
    round.locals = std::move(pieces);
    normalise(round.sends);
    normalise(round.receives);
    std::ranges::stable_sort(
        round.receives, [](const Message& a, const Message& b) { return std::tie(a.peer, a.port) < std::tie(b.peer, b.port); });
    std::ranges::stable_sort(round.control_receives, {}, &Control::peer);
  }
  std::erase_if(program.rounds, [](const Round& round) { return !does_something(round); });
  return program;
}

bool is_same(const Schedule& one, const Schedule& other) {
  if (!have_same_problem(one, other) || specification(one) != specification(other)) return false;
  for (Rank rank = 0; rank < one.problem.ranks; ++rank)
    if (!have_same_buffers(one, other, rank) || !is_same(one.program(rank), other.program(rank))) return false;
  return true;
}

}  // namespace quadrille
