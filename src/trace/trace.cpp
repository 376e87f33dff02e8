// SPDX-License-Identifier: BSD-3-Clause
// Makes the record of a schedule: joins the two ends of each message, and puts messages and local operations in order.
#include "quadrille/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "foundation/assert.hpp"
#include "foundation/text/wording.hpp"
#include "problem/limits.hpp"
#include "quadrille/checked.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/comparison.hpp"
#include "schedule/composition.hpp"
#include "schedule/dependence.hpp"
#include "schedule/symmetry.hpp"
#include "topology/round_messages.hpp"
#include "trace/trace_format.hpp"

namespace quadrille {
namespace {

constexpr Bytes bytes_of_traced_operation = 256;  // about the memory of an operation in a trace

// A send or receive.
struct PostedEnd {
  Rank from = 0, to = 0;
  Count round = 0;
  bool is_control = false;
  Message message;
  Count place = 0;               // place among the receives of a rank in a round
  PostedEnd* partner = nullptr;  // the other end of the message

  auto meeting() const { return std::tie(from, to, round, is_control, message.port); }
};

void by_round_and_rank(auto& list, auto rank) {
  std::stable_sort(list.begin(), list.end(),
                   [&](const auto& a, const auto& b) { return std::tie(a.round, a.*rank) < std::tie(b.round, b.*rank); });
}

class Tracer {
 public:
  Tracer(const Schedule& schedule, Trace& trace) : schedule_(schedule), trace_(trace) {}

  void run() {
    for (Rank rank = 0; rank < schedule_.problem.ranks; ++rank) add(in_posting_order(schedule_.program(rank)));
    by_round_and_rank(trace_.locals, &TracedLocal::rank);
    join();
    for (std::vector<PostedEnd>* ends : {&sends_, &receives_})
      for (PostedEnd& end : *ends)
        if (ends == &sends_ || !end.partner) enter(end, ends == &sends_);
    by_round_and_rank(trace_.messages, &TracedMessage::from);
    if (schedule_.says)
      for (const TracedMessage& message : trace_.messages)
        if (const auto [said, is_first] = trace_.says.try_emplace(message.round); is_first)
          said->second = schedule_.says(message.round);
    drop_usual_places();
  }

 private:
  void add(Program program) {
    if (program.rank == 0) trace_.stages = program.stages;
    const BufferBytes buffers = buffer_bytes(schedule_, program.rank);
    trace_.input_bytes.push_back(buffers.input);
    trace_.output_bytes.push_back(buffers.output);
    trace_.scratch_bytes.push_back(program.scratch_bytes);
    for (Round& round : program.rounds) {
      for (Local& local : round.locals) trace_.locals.push_back({round.number, program.rank, std::move(local)});
      for (Message& send : round.sends)
        sends_.push_back({program.rank, send.peer, round.number, is_control(send), std::move(send)});
      Count place = 0;
      for (Message& receive : round.receives)
        receives_.push_back({receive.peer, program.rank, round.number, is_control(receive), std::move(receive), place++});
    }
  }

  // If the same two ranks have several messages on the same port, the first send meets the first receive, and so on.
  void join() {
    const auto in_order = [](std::vector<PostedEnd>& ends) {
      std::vector<PostedEnd*> list;
      for (PostedEnd& end : ends) list.push_back(&end);
      std::stable_sort(list.begin(), list.end(),
                       [](const PostedEnd* a, const PostedEnd* b) { return a->meeting() < b->meeting(); });
      return list;
    };
    for_each_meeting(
        in_order(sends_), in_order(receives_),
        [](const PostedEnd* a, const PostedEnd* b) -> std::weak_ordering { return a->meeting() <=> b->meeting(); },
        [](PostedEnd* send, PostedEnd* receive) { send->partner = receive, receive->partner = send; }, [](const PostedEnd*) {},
        [](const PostedEnd*) {});
  }

  void drop_usual_places() {
    std::map<std::pair<Count, Rank>, Count> last;  // the place of the last message, by round and receiver
    for (const TracedMessage& message : trace_.messages) {
      if (message.ends == MessageEnds::sender_only) continue;
      const auto [known, is_first] = last.try_emplace({message.round, message.to}, message.receive_place);
      if (!is_first && message.receive_place < known->second) return;
      known->second = message.receive_place;
    }
    for (TracedMessage& message : trace_.messages) message.receive_place = 0;
  }

  void enter(PostedEnd& end, bool is_send) {
    QUADRILLE_ASSERT(!end.partner || (is_send && end.partner->partner == &end));
    TracedMessage message{.round = end.round,
                          .from = end.from,
                          .to = end.to,
                          .bytes = bytes(end.message.regions),
                          .is_control = end.is_control,
                          .port = end.message.port,
                          .receive_place = is_send ? (end.partner ? end.partner->place : 0) : end.place};
    if (!end.partner) message.ends = is_send ? MessageEnds::sender_only : MessageEnds::receiver_only;
    if (!end.is_control) {
      (is_send ? message.read : message.write) = std::move(end.message.regions);
      if (end.partner) message.write = std::move(end.partner->message.regions);
    }
    trace_.messages.push_back(std::move(message));
  }

  const Schedule& schedule_;
  Trace& trace_;
  std::vector<PostedEnd> sends_, receives_;
};

TracedNetwork network_of(const Topology& topology, const Problem& problem, const std::vector<TracedMessage>& messages) {
  TracedNetwork network{.topology = topology.name(), .grid = topology.grid(), .vertices = topology.vertices()};
  for (Vertex vertex = 0; vertex < network.vertices; ++vertex)
    for (const Link& link : topology.links_from(vertex)) {
      network.links.push_back(link);
      network.link_texts.push_back(topology.text_of(link));
      check_limit(problem, size(network.links), most_rows, "links in a trace");
    }
  QUADRILLE_ASSERT(size(network.links) == topology.link_count());
  const auto is_rank = [&](Rank rank) { return rank >= 0 && rank < topology.ranks(); };
  for (const TracedMessage& message : messages) {
    const std::size_t before = network.ways.size();
    if (is_rank(message.from) && is_rank(message.to) && message.from != message.to &&
        !topology.append_way(message.from, message.to, message.port, network.ways))
      topology.append_way(message.from, message.to, {}, network.ways);
    QUADRILLE_ASSERT(network.ways.size() > before || message.from == message.to || !is_rank(message.from) || !is_rank(message.to));
    network.hops.push_back(static_cast<Count>(network.ways.size() - before));
    check_limit(problem, size(network.ways), most_rows, "links of all messages in a trace");
  }
  return network;
}

TracedTime logical_time(const Trace& trace) {
  TracedTime time{.kind = TimeKind::logical, .title = "rounds", .unit = TimeUnit::round};
  if (!trace.stages.empty()) time.end = checked_sum(trace.stages.back().first_round, trace.stages.back().round_count).value_or(0);
  for (const TracedMessage& message : trace.messages) {
    const TimeInterval round{message.round, checked_sum(message.round, 1).value_or(message.round)};
    time.sends.push_back(message.ends == MessageEnds::receiver_only ? TimeInterval{} : round);
    time.receives.push_back(message.ends == MessageEnds::sender_only ? TimeInterval{} : round);
    time.end = std::max(time.end, round.end);
  }
  for (const TracedLocal& local : trace.locals) {
    time.locals.push_back({local.round, local.round});
    time.end = std::max(time.end, local.round);
  }
  time.rank_ends.assign(index(trace.problem.ranks), time.end);
  return time;
}

std::string title_of(const Schedule& schedule) {
  const Problem& problem = schedule.problem;
  return fmt::format("{}, {}, {}{}", name(problem.collective), specification(schedule), counted(problem.ranks, "rank"),
                     has_blocks(problem.collective) ? fmt::format(", {} B a block", problem.block_bytes) : "");
}

// Counts the rows of a trace's tables before the tables are made. A message counts once, at its sender.
class RowCounts {
 public:
  explicit RowCounts(const Problem& problem) : problem_(problem) { check(problem_.ranks, "ranks in a trace"); }

  // Throws Error{too_large} if a table would have more than `most_rows`.
  void add(const Program& program, Count ranks) {
    Count messages = 0, locals = 0, read = 0, written = 0, sources = 0, targets = 0;
    for (const Round& round : program.rounds) {
      messages += size(round.control_sends) + size(round.sends);
      locals += size(round.locals);
      for (const Message& send : round.sends) read += regions_of(send.regions);
      for (const Message& receive : round.receives) written += regions_of(receive.regions);
      for (const Local& local : round.locals) sources += regions_of(local.source), targets += regions_of(local.target);
    }
    grow(messages_, messages, ranks, "messages in a trace");
    grow(locals_, locals, ranks, "local operations in a trace");
    grow(read_, read, ranks, "regions that messages read in a trace");
    grow(written_, written, ranks, "regions that messages write in a trace");
    grow(sources_, sources, ranks, "regions that local operations read in a trace");
    grow(targets_, targets, ranks, "regions that local operations write in a trace");
  }

 private:
  Count regions_of(const Regions& list) const {
    for (const Region& region : list) check(run_count(region), "runs in a region of a trace");
    return size(list);
  }

  void grow(Count& rows, Count more, Count ranks, const char* things) const {
    constexpr Count largest = std::numeric_limits<Count>::max();
    rows = checked_sum(rows, times_at_most(ranks, more, largest)).value_or(largest);
    check(rows, things);
  }

  void check(Count rows, const char* things) const { check_limit(problem_, rows, most_rows, things); }

  const Problem& problem_;
  Count messages_ = 0, locals_ = 0, read_ = 0, written_ = 0, sources_ = 0, targets_ = 0;
};

void check_size(const Schedule& schedule) {
  RowCounts rows(schedule.problem);
  for_each_program(schedule, true, [&](const Program& program, Count ranks) {
    rows.add(program, ranks);
    return true;
  });
  const Count operations = operation_count(schedule, available_memory() / bytes_of_traced_operation);
  check_memory(schedule.problem, times_at_most(operations, bytes_of_traced_operation, std::numeric_limits<Bytes>::max()),
               "a trace's operations");
}

}  // namespace

std::string_view name(TimeKind kind) {
  static constexpr ByEnum<TimeKind, std::string_view, 4> names{{"logical", "rounds", "events", "executed"}};
  return names[kind];
}

std::string_view name(TimeUnit unit) {
  static constexpr ByEnum<TimeUnit, std::string_view, 3> names{{"round", "ps", "ns"}};
  return names[unit];
}

Trace trace_of(const Schedule& schedule, const Topology* topology) {
  if (topology) check_ranks(*topology, schedule.problem);
  check_size(schedule);
  Trace trace{
      .title = title_of(schedule), .problem = schedule.problem, .algorithm = schedule.algorithm, .parameters = schedule.parameters};
  Tracer(schedule, trace).run();
  if (topology) trace.network = network_of(*topology, trace.problem, trace.messages);
  trace.times.push_back(logical_time(trace));
  return trace;
}

std::vector<TracedRound> rounds_of(const Trace& trace) {
  QUADRILLE_ASSERT(!trace.network || trace.network->hops.size() == trace.messages.size());
  std::map<Count, TracedRound> rounds;
  const auto round_of = [&](Count number) -> TracedRound& {
    TracedRound& round = rounds[number];
    round.number = number;
    return round;
  };
  for (const TracedLocal& local : trace.locals) round_of(local.round);
  const bool moves = moves_data(trace.problem.collective);
  std::map<std::pair<Count, Count>, std::pair<Count, Bytes>> loads;  // by round and link: messages and bytes
  std::size_t hop = 0;
  for (std::size_t i = 0; i < trace.messages.size(); ++i) {
    const TracedMessage& message = trace.messages[i];
    TracedRound& round = round_of(message.round);
    const std::size_t last = trace.network ? hop + index(trace.network->hops[i]) : 0;
    if (message.is_control && moves) {
      hop = last;
      continue;
    }
    const Bytes payload = message.is_control ? 0 : message.bytes;
    ++round.messages;
    round.longest = std::max(round.longest, payload);
    round.bytes = checked_sum(round.bytes, payload).value_or(std::numeric_limits<Bytes>::max());
    for (; hop < last; ++hop) {
      const Count link = trace.network->ways[hop];
      auto& [messages, bytes] = loads[{message.round, link}];
      bytes = checked_sum(bytes, payload).value_or(std::numeric_limits<Bytes>::max());
      if (++messages > round.sharing) round.sharing = messages, round.busiest_link = link;
      round.link_bytes = std::max(round.link_bytes, bytes);
    }
  }
  QUADRILLE_ASSERT(!trace.network || hop == trace.network->ways.size());
  std::vector<TracedRound> list;
  for (const auto& [number, round] : rounds) list.push_back(round);
  return list;
}

}  // namespace quadrille
