// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/block_way.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/symmetry.hpp"
#include "verify/byte_flow.hpp"

namespace quadrille {
namespace {

// A step, and when it happens.
using TimedStep = std::pair<Count, WayStep>;

struct Ends {
  BytePlace start, required;
};

Ends ends_of(const Problem& problem, Rank from, Rank to, Bytes byte) {
  for (const Rank rank : {from, to})
    if (rank < 0 || rank >= problem.ranks)
      throw Error(ErrorCode::misuse, fmt::format("there is no rank {}; ranks are 0 to {}", rank, problem.ranks - 1));
  if (byte < 0) throw Error(ErrorCode::misuse, fmt::format("the byte {} of a block is negative", byte));
  Bytes length = 0;
  for (const ExpectedPiece& piece : expected_output(problem, to)) {
    if (from < piece.first || from > piece.last) continue;
    if (byte - length < piece.length) {
      const Bytes skipped = byte - length;
      return {{from, Buffer::input, piece.input_offset + skipped}, {to, Buffer::output, piece.offset + skipped}};
    }
    length += piece.length;
  }
  if (length == 0)
    throw Error(ErrorCode::misuse, fmt::format("{} brings no bytes from rank {} to rank {}", name(problem.collective), from, to));
  throw Error(ErrorCode::misuse, fmt::format("from rank {} to rank {} go {} bytes; there is no byte {}", from, to, length, byte));
}

// How the byte came to the place of a stay.
WayStep arrival(const ByteFlow& flow, const ByteStay& stay) {
  if (stay.written_by) return {StepKind::moved, flow.operations()[*stay.written_by].name, stay.place};
  return {stay.place.buffer == Buffer::input ? StepKind::start : StepKind::nothing, {}, stay.place};
}

// The stays by which the byte came to `last`, and its end there.
std::vector<TimedStep> path_to(const ByteFlow& flow, const std::vector<ByteStay>& copies, const ByteStay& last) {
  std::vector<TimedStep> steps{{never, {StepKind::end, {}, last.place}}};
  for (const ByteStay* stay = &last;; stay = &copies[*stay->next]) {
    steps.emplace_back(stay->since, arrival(flow, *stay));
    if (!stay->next) break;
  }
  return steps;
}

std::vector<TimedStep> all_steps(const ByteFlow& flow, const std::vector<ByteStay>& copies) {
  std::vector<TimedStep> steps;
  for (const ByteStay& stay : copies) {
    steps.emplace_back(stay.since, arrival(flow, stay));
    if (stay.overwritten_by)
      steps.emplace_back(stay.until, WayStep{StepKind::lost, flow.operations()[*stay.overwritten_by].name, stay.place});
    else
      steps.emplace_back(never, WayStep{StepKind::left, {}, stay.place});
  }
  return steps;
}

std::vector<WayStep> in_order(std::vector<TimedStep> timed, bool& cut) {
  std::stable_sort(timed.begin(), timed.end(), [](const TimedStep& a, const TimedStep& b) { return a.first < b.first; });
  if (timed.size() > most_way_steps) cut = true, timed.resize(most_way_steps);
  std::vector<WayStep> steps;
  for (TimedStep& step : timed) steps.push_back(std::move(step.second));
  return steps;
}

}  // namespace

std::string to_string(const NamedOperation& operation) {
  switch (operation.kind) {
    case NamedOperation::Kind::copy: return fmt::format("a copy at rank {}", operation.to);
    case NamedOperation::Kind::reduce: return fmt::format("a reduction at rank {}", operation.to);
    case NamedOperation::Kind::message: break;
  }
  return fmt::format("the message {} to {}", operation.from, operation.to);
}

std::string to_string(const BytePlace& place) {
  return fmt::format("rank {}, {}[{}]", place.rank, name(place.buffer), place.offset);
}

std::string to_string(const WayStep& step) {
  const std::string place = to_string(step.place);
  switch (step.kind) {
    case StepKind::start: return fmt::format("start: {}", place);
    case StepKind::nothing: return fmt::format("start: {}, which was never written", place);
    case StepKind::moved:
      return fmt::format("round {}: {} brings it to {}", step.operation->round, to_string(*step.operation), place);
    case StepKind::lost:
      return fmt::format("round {}: {} overwrites it at {}", step.operation->round, to_string(*step.operation), place);
    case StepKind::left: return fmt::format("end: it remains at {}, where it is not required", place);
    case StepKind::end: break;
  }
  return fmt::format("end: {}, as required", place);
}

BlockWay way_of_block(const Schedule& schedule, Rank from, Rank to, Bytes byte) {
  const Ends ends = ends_of(schedule.problem, from, to, byte);
  ByteFlow flow(schedule);
  const std::vector<ByteStay> copies = flow.copies_of(ends.start);
  const auto last = std::find_if(copies.begin(), copies.end(),
                                 [&](const ByteStay& stay) { return stay.place == ends.required && !stay.overwritten_by; });
  BlockWay way{from, to, byte, ends.required, last != copies.end(), {}, {}, false};
  way.steps = in_order(way.arrives ? path_to(flow, copies, *last) : all_steps(flow, copies), way.cut);
  if (way.arrives) return way;
  std::vector<TimedStep> origins;
  for (const ByteStay& stay : flow.origins_of(ends.required)) origins.emplace_back(stay.since, arrival(flow, stay));
  way.instead = in_order(std::move(origins), way.cut);
  return way;
}

}  // namespace quadrille
