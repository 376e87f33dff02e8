// SPDX-License-Identifier: BSD-3-Clause
#include "verify/block_way.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "quadrille/error.hpp"
#include "quadrille/fault_cause.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/regions.hpp"
#include "schedule/symmetry.hpp"

namespace quadrille {
namespace {

// About 200 MB, and some seconds.
constexpr Count most_spans = Count{1} << 21;
constexpr Count most_work = Count{1} << 30;

[[noreturn]] void too_many_runs() { throw Error(ErrorCode::too_large, "its operations have too many runs to follow single bytes"); }

bool covers(const BytePlace& first, Bytes length, const BytePlace& place) {
  return place.offset >= first.offset && place.offset - first.offset < length;
}

Regions runs_of(const Regions& regions) {
  Regions runs;
  for (const Region& region : regions)
    for_each_run(region, [&](Bytes offset, Bytes length) { runs.push_back({region.buffer, offset, length, {}}); });
  return runs;
}

std::size_t list_of(const BytePlace& place) { return index(place.rank) * 4 + static_cast<std::size_t>(place.buffer); }

// A step and its time.
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

// The step that brought the byte to the place of a stay.
WayStep arrival(const ByteFlow& flow, const ByteStay& stay) {
  if (stay.written_by) return {StepKind::moved, flow.operations()[*stay.written_by].name, stay.place};
  return {stay.place.buffer == Buffer::input ? StepKind::start : StepKind::nothing, {}, stay.place};
}

// The steps that brought the byte to `last`, and the end of its stay there.
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

ByteFlow::ByteFlow(const Schedule& schedule) {
  const Count p = schedule.problem.ranks;
  if (operation_count(schedule, most_spans) > most_spans) too_many_runs();
  for (Rank rank = 0; rank < p; ++rank) programs_.push_back(schedule.program(rank));
  for (const Program& program : programs_) {
    for (const Stage& stage : program.stages) last_round_ = std::max(last_round_, stage.first_round + stage.round_count - 1);
    for (const Round& round : program.rounds) last_round_ = std::max(last_round_, round.number);
  }
  reads_.resize(index(p) * 4);
  writes_.resize(index(p) * 4);
  FindingList ignored = FindingList::that_keeps_nothing();
  replay(schedule, no_symmetry(p), programs_, {}, ignored, {}, {}, [&](const PlayedOperation& played) { enter(played); });
}

void ByteFlow::enter(const PlayedOperation& played) {
  // The messages of a round are adjacent here. All of them read before the first of them writes.
  const bool same_reading = played.name.kind == NamedOperation::Kind::message && !operations_.empty() &&
                            operations_.back().name.kind == NamedOperation::Kind::message &&
                            operations_.back().name.round == played.name.round;
  const Count read_time = same_reading ? operations_.back().read_time : time_++;
  operations_.push_back({played.name, read_time, time_++, played.source, played.target});
  if (played.done) return enter_spans(played);
  const auto enter_end = [&](const Regions* regions, bool reads) {
    if (regions == nullptr) return;
    for (const Region& region : *regions)
      unfinished_.push_back({operations_.size() - 1, reads, reads ? played.name.from : played.name.to, region});
  };
  enter_end(played.source, true);
  enter_end(played.target, false);
}

void ByteFlow::enter_spans(const PlayedOperation& played) {
  for_each_pair_of_runs(runs_of(*played.source), runs_of(*played.target), [&](const Region& from, const Region& to) {
    const Span span{
        operations_.size() - 1, {played.name.from, from.buffer, from.offset}, {played.name.to, to.buffer, to.offset}, from.length};
    if (size(spans_) >= most_spans) too_many_runs();
    reads_[list_of(span.from)].push_back(spans_.size());
    writes_[list_of(span.to)].push_back(spans_.size());
    spans_.push_back(span);
  });
}

const ByteFlow::Spans& ByteFlow::of(const std::vector<Spans>& spans, const BytePlace& place) {
  const Spans& list = spans[list_of(place)];
  if ((work_ += size(list) + 1) > most_work) throw Error(ErrorCode::too_large, "following its bytes takes too long");
  return list;
}

std::vector<ByteStay> ByteFlow::copies_of(const BytePlace& start) {
  std::vector<ByteStay> stays;
  std::multimap<Count, ByteStay> waiting{{before_all, {start, before_all, never, {}, {}, {}, {}, 0}}};
  std::set<std::pair<std::size_t, Bytes>> seen;
  while (!waiting.empty()) {
    ByteStay stay = waiting.extract(waiting.begin()).mapped();
    for (const std::size_t i : of(writes_, stay.place)) {
      const TimedOperation& operation = operations_[spans_[i].operation];
      if (operation.write_time <= stay.since || operation.name.kind == NamedOperation::Kind::reduce) continue;
      if (!covers(spans_[i].to, spans_[i].length, stay.place)) continue;
      stay.until = operation.write_time;
      stay.overwritten_by = spans_[i].operation;
      break;
    }
    for (const std::size_t i : of(reads_, stay.place)) {
      const Span& span = spans_[i];
      const TimedOperation& operation = operations_[span.operation];
      if (operation.read_time <= stay.since || operation.read_time >= stay.until) continue;
      if (!covers(span.from, span.length, stay.place)) continue;
      const Bytes skipped = stay.place.offset - span.from.offset;
      if (!seen.emplace(i, skipped).second) continue;
      const BytePlace target{span.to.rank, span.to.buffer, span.to.offset + skipped};
      waiting.emplace(operation.write_time,
                      ByteStay{target, operation.write_time, never, span.operation, {}, stays.size(), stay.place, i});
    }
    stays.push_back(std::move(stay));
  }
  return stays;
}

std::vector<ByteStay> ByteFlow::origins_of(const BytePlace& end, Count time) {
  std::vector<ByteStay> stays;
  std::vector<ByteStay> waiting{{end, before_all, time, {}, {}, {}, {}, 0}};
  std::set<std::pair<std::size_t, Bytes>> seen;
  while (!waiting.empty()) {
    ByteStay stay = waiting.back();
    waiting.pop_back();
    const Spans& writers = of(writes_, stay.place);
    const auto writer = std::find_if(writers.rbegin(), writers.rend(), [&](std::size_t i) {
      return operations_[spans_[i].operation].write_time < stay.until && covers(spans_[i].to, spans_[i].length, stay.place);
    });
    if (writer != writers.rend()) {
      const Span& span = spans_[*writer];
      const TimedOperation& operation = operations_[span.operation];
      const Bytes skipped = stay.place.offset - span.to.offset;
      stay.since = operation.write_time;
      stay.written_by = span.operation;
      stay.written_span = *writer;
      stay.source = {span.from.rank, span.from.buffer, span.from.offset + skipped};
      if (seen.emplace(*writer, skipped).second) {
        waiting.push_back({stay.source, before_all, operation.read_time, {}, {}, stays.size(), {}, 0});
        if (operation.name.kind == NamedOperation::Kind::reduce)
          waiting.push_back({stay.place, before_all, operation.read_time, {}, {}, stays.size(), {}, 0});
      }
    }
    stays.push_back(stay);
  }
  return stays;
}

Count ByteFlow::round_of(Count time) const {
  const auto after = std::upper_bound(operations_.begin(), operations_.end(), time,
                                      [](Count moment, const TimedOperation& operation) { return moment < operation.read_time; });
  if (time == never || operations_.empty()) return last_round_;
  return after == operations_.begin() ? operations_.front().name.round : std::prev(after)->name.round;
}

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
