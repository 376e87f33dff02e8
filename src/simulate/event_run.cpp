// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/event_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <unordered_map>

#include "foundation/assert.hpp"
#include "problem/limits.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/composition.hpp"
#include "schedule/dependence.hpp"
#include "schedule/ordering.hpp"
#include "schedule/symmetry.hpp"

namespace quadrille {
namespace {

using Event = EventGraph::Event;

constexpr Bytes bytes_of_operation = 40;  // bytes for each operation in the graph and its simulation, at least

class Builder {
 public:
  Builder(const Schedule& schedule, const EventGraphOptions& options)
      : schedule_(schedule),
        policy_(options.barriers ? Policy::blocking : options.policy),
        barriers_(options.barriers),
        takes_lone_messages_(options.takes_lone_messages) {}

  EventGraph build() && {
    const Count operations = operation_count(schedule_, available_memory() / bytes_of_operation);
    check_memory(schedule_.problem, times_at_most(operations, bytes_of_operation, std::numeric_limits<Bytes>::max()), "events");
    for (Rank rank = 0; rank < schedule_.problem.ranks; ++rank) add(in_posting_order(schedule_.program(rank)));
    graph_.first_after.push_back(graph_.after.size());
    if (!graph_.ports.empty()) graph_.ports.resize(graph_.kinds.size(), {.dimension = -1});
    match();
    order_rounds();
    const auto& numbers = graph_.round_numbers;
    QUADRILLE_ASSERT(std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<>()) == numbers.end());
    QUADRILLE_ASSERT(graph_.messages_of_round.size() == numbers.size());
    return std::move(graph_);
  }

 private:
  void add(const Program& program) {
    if (program.rank == 0) graph_.stages = program.stages;
    graph_.first_send.push_back(EventGraph::none);
    graph_.first_receive.push_back(EventGraph::none);
    last_send_ = last_receive_ = EventGraph::none;
    first_event_ = static_cast<Event>(graph_.kinds.size());
    with_ordering(program, [&](const DependenceGraph& graph, const Ordering& order) {
      for (const Ordering::Step& step : order.steps) enter(program, graph, step);
      QUADRILLE_ASSERT(graph_.kinds.size() - first_event_ == order.steps.size());
      enter_edges(order);
    });
  }

  // Calls `use` with the ordering of a program. The ordering of each representative is found once, and also used for those of its
  // images that list their messages in the same order.
  template <class Use>
  void with_ordering(const Program& program, Use&& use) {
    const auto find = [&](const Program& its_program) {
      Known known{{}, policy_ == Policy::blocking ? DependenceGraph{operations(its_program), {}} : dependences(its_program), {}};
      known.order = ordering(its_program, known.graph, policy_);
      return known;
    };
    const auto use_own = [&] {
      const Known own = find(program);
      use(own.graph, own.order);
    };
    if (!schedule_.symmetry || policy_ == Policy::blocking) return use_own();
    const Rank representative = schedule_.symmetry->representative_of(program.rank);
    auto known = known_.find(representative);
    if (known == known_.end()) {
      Program its_program = in_posting_order(schedule_.program(representative));
      Known found = find(its_program);
      found.program = std::move(its_program);
      known = known_.emplace(representative, std::move(found)).first;
    }
    const auto same_messages = [&](const std::vector<Message>& own, const std::vector<Message>& other) {
      return std::equal(own.begin(), own.end(), other.begin(), other.end(), [&](const Message& a, const Message& b) {
        return a.peer == schedule_.symmetry->image(program.rank, b.peer) && a.port == b.port && is_control(a) == is_control(b);
      });
    };
    const auto same_round = [&](const Round& own, const Round& other) {
      return own.number == other.number && own.locals.size() == other.locals.size() && same_messages(own.sends, other.sends) &&
             same_messages(own.receives, other.receives);
    };
    const std::vector<Round>& its_rounds = known->second.program.rounds;
    if (std::equal(program.rounds.begin(), program.rounds.end(), its_rounds.begin(), its_rounds.end(), same_round))
      use(known->second.graph, known->second.order);
    else
      use_own();
  }

  void enter(const Program& program, const DependenceGraph& graph, const Ordering::Step& step) {
    const Round& round = program.rounds[step.round];
    if (step.kind == Ordering::Kind::gate || step.kind == Ordering::Kind::local) {
      const Event gate = enter(program.rank, EventKind::gate);
      if (barriers_) graph_.gates_of_round[index_of(round.number)].push_back(gate);
      return;
    }
    const bool sends = step.kind == Ordering::Kind::send;
    const Message& message = graph.message(program, step.operation);
    const std::size_t number = index_of(round.number);
    if (message.peer < 0 || message.peer >= schedule_.problem.ranks || message.peer == program.rank) mismatch(program.rank, number);
    const Event event = enter(program.rank, sends ? EventKind::send : EventKind::receive);
    Event& last = sends ? last_send_ : last_receive_;
    (last == EventGraph::none ? (sends ? graph_.first_send : graph_.first_receive).back() : graph_.next[last]) = event;
    last = event;
    graph_.meets_other_way[event] = !round.sends.empty() && !round.receives.empty() ? 1 : 0;
    graph_.rounds[event] = static_cast<std::uint32_t>(number);
    graph_.bytes[event] = quadrille::bytes(message.regions);
    graph_.other_ends[event] = static_cast<Event>(message.peer);  // the peer, until `match` replaces it
    if (!sends) return;
    if (message.port) {
      graph_.ports.resize(graph_.kinds.size(), {.dimension = -1});
      graph_.ports.back() = *message.port;
    }
    ++graph_.messages_of_round[number];
    ++graph_.messages;
  }

  Event enter(Rank rank, EventKind kind) {
    if (graph_.kinds.size() >= EventGraph::none - 1)
      throw Error(ErrorCode::too_large, "the schedule has 2^32 events or more, which is too many to simulate; use fewer ranks");
    graph_.kinds.push_back(kind);
    graph_.meets_other_way.push_back(0);
    graph_.ranks.push_back(static_cast<std::uint32_t>(rank));
    graph_.rounds.push_back(0);
    graph_.bytes.push_back(0);
    graph_.other_ends.push_back(EventGraph::none);
    graph_.next.push_back(EventGraph::none);
    graph_.waits_for.push_back(kind == EventKind::receive ? 1 : 0);
    return static_cast<Event>(graph_.kinds.size() - 1);
  }

  std::size_t index_of(Count round) {
    if (const std::size_t guess = last_index_ + 1; guess < graph_.round_numbers.size() && graph_.round_numbers[guess] == round)
      return last_index_ = guess;
    const auto [entry, fresh] = index_of_round_.try_emplace(round, graph_.round_numbers.size());
    if (fresh) {
      graph_.round_numbers.push_back(round);
      graph_.messages_of_round.push_back(0);
      if (barriers_) graph_.gates_of_round.emplace_back();
    }
    return last_index_ = entry->second;
  }

  // Enters the edges of one rank, sorted by the event at which they start. With barriers, edges to gates are left out: gates then
  // wait only for the barriers.
  void enter_edges(const Ordering& order) {
    auto& first = graph_.first_after;
    const std::size_t events = graph_.kinds.size();
    const auto is_left_out = [&](const Ordering::Edge& edge) {
      return barriers_ && order.steps[edge.to].kind == Ordering::Kind::gate;
    };
    first.resize(events, 0);
    std::size_t position = graph_.after.size(), end = position;
    for (const Ordering::Edge& edge : order.edges) {
      if (is_left_out(edge)) continue;
      ++first[first_event_ + edge.from];
      ++graph_.waits_for[first_event_ + edge.to];
      ++end;
    }
    graph_.after.resize(end);
    for (std::size_t event = first_event_; event < events; ++event) position += std::exchange(first[event], position);
    cursor_.assign(first.begin() + first_event_, first.end());
    QUADRILLE_ASSERT(position == end);
    for (const Ordering::Edge& edge : order.edges)
      if (!is_left_out(edge)) graph_.after[cursor_[edge.from]++] = static_cast<Event>(first_event_ + edge.to);
  }

  // Matches the sends to each rank with the rank's receives. Both are sorted by sender and then by posting order.
  void match() {
    struct End {
      std::uint32_t sender;
      Event event;
    };
    const auto p = static_cast<std::size_t>(schedule_.problem.ranks);
    std::vector<std::size_t> next(p + 1, 0);  // by rank: where the next send to it is entered
    const auto for_each_send = [&](auto&& visit) {
      for (Event event = 0; event < graph_.kinds.size(); ++event)
        if (graph_.kinds[event] == EventKind::send) visit(graph_.other_ends[event] + 1, event);
    };
    for_each_send([&](std::size_t after, Event) { ++next[after]; });
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<End> coming(next.back()), expected;
    for_each_send([&](std::size_t after, Event event) { coming[next[after - 1]++] = {graph_.ranks[event], event}; });
    for (std::size_t rank = 0; rank < p; ++rank) {
      expected.clear();
      for (Event event = graph_.first_receive[rank]; event != EventGraph::none; event = graph_.next[event])
        expected.push_back({graph_.other_ends[event], event});
      std::stable_sort(expected.begin(), expected.end(), [](const End& a, const End& b) { return a.sender < b.sender; });
      const auto lone = [&](const End& end) {
        if (!takes_lone_messages_) mismatch(static_cast<Rank>(rank), graph_.rounds[end.event]);
        graph_.other_ends[end.event] = EventGraph::none;
      };
      for_each_meeting(
          std::span(coming.data() + (rank == 0 ? 0 : next[rank - 1]), coming.data() + next[rank]), expected,
          [](const End& a, const End& b) { return a.sender <=> b.sender; },
          [&](const End& send, const End& receive) {
            if (!takes_lone_messages_ && (graph_.rounds[send.event] != graph_.rounds[receive.event] ||
                                          graph_.bytes[send.event] != graph_.bytes[receive.event]))
              mismatch(static_cast<Rank>(rank), graph_.rounds[receive.event]);
            graph_.other_ends[send.event] = receive.event;
          },
          lone, lone);
    }
  }

  [[noreturn]] void mismatch(Rank rank, std::size_t round) const {
    throw Error(
        ErrorCode::misuse,
        fmt::format("rank {} expects other messages than are sent to it, in round {} or close to it; 'quadrille verify' says more",
                    rank, graph_.round_numbers.empty() ? 0 : graph_.round_numbers[round]));
  }

  // Sorts the rounds by number. Until then their order is that in which programs mention them.
  void order_rounds() {
    auto& numbers = graph_.round_numbers;
    if (std::is_sorted(numbers.begin(), numbers.end())) return;
    std::vector<std::uint32_t> order(numbers.size()), place(numbers.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return numbers[a] < numbers[b]; });
    for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    for (std::uint32_t& round : graph_.rounds)
      if (!place.empty()) round = place[round];
    const auto reordered = [&](auto& list) {
      auto sorted = list;
      for (std::size_t i = 0; i < list.size(); ++i) sorted[place[i]] = std::move(list[i]);
      list = std::move(sorted);
    };
    reordered(numbers);
    reordered(graph_.messages_of_round);
    reordered(graph_.gates_of_round);
  }

  struct Known {
    Program program;
    DependenceGraph graph;
    Ordering order;
  };

  const Schedule& schedule_;
  const Policy policy_;
  const bool barriers_, takes_lone_messages_;
  EventGraph graph_;
  std::unordered_map<Count, std::size_t> index_of_round_;
  std::size_t last_index_ = 0;
  std::unordered_map<Rank, Known> known_;  // by representative
  // For the rank that is being added.
  Event first_event_ = 0, last_send_ = EventGraph::none, last_receive_ = EventGraph::none;
  std::vector<std::size_t> cursor_;
};

}  // namespace

EventGraph event_graph(const Schedule& schedule, const EventGraphOptions& options) { return Builder(schedule, options).build(); }

namespace {

constexpr Count messages_between_talk = Count{1} << 18;

}  // namespace

EventRun::EventRun(const Schedule& schedule, const EventOptions& options)
    : options_(options),
      jitter_(options.seed, options.jitter),
      graph_(event_graph(schedule, {.policy = options.policy, .barriers = options.barriers})),
      begins_(drawn_begins(schedule.problem.ranks)),
      ready_(graph_.kinds.size()),
      messages_left_(graph_.messages_of_round),
      barriers_(graph_.gates_of_round.size(), *std::max_element(begins_.begin(), begins_.end())),
      round_begins_(graph_.round_numbers.size(), INT64_MAX),
      round_ends_(graph_.round_numbers.size(), 0) {
  if (options.message_end || options.link_use) number_messages();
  result_.rank_begins = result_.rank_ends = begins_;
  result_.messages = graph_.messages;
  QUADRILLE_ASSERT(graph_.gates_of_round.empty() || graph_.gates_of_round.size() == graph_.round_numbers.size());
  for (std::size_t event = 0; event < ready_.size(); ++event) ready_[event] = begins_[graph_.ranks[event]];
  for (std::size_t round = 1; round < graph_.gates_of_round.size(); ++round)
    for (const Event gate : graph_.gates_of_round[round]) ++graph_.waits_for[gate];
}

void EventRun::number_messages() {
  message_numbers_.resize(graph_.kinds.size());
  for (std::size_t rank = 0; rank < graph_.first_send.size(); ++rank) {
    Count number = 0;
    for (Event send = graph_.first_send[rank]; send != EventGraph::none; send = graph_.next[send])
      message_numbers_[send] = message_numbers_[graph_.other_ends[send]] = {static_cast<Rank>(rank), number++};
  }
}

std::vector<Picoseconds> EventRun::drawn_begins(Count ranks) const {
  std::vector<Picoseconds> list = options_.rank_begins;
  list.resize(index(ranks), 0);
  for (const std::size_t rank : drawn(options_.seed, index(options_.late_ranks), list.size()))
    list[rank] = add_times(list[rank], options_.late_by);
  return list;
}

void EventRun::begin() {
  if (options_.progress) options_.progress(0, graph_.messages);
  for (std::size_t event = 0; event < ready_.size(); ++event)
    if (graph_.waits_for[event] == 0) waiting_.push_back(static_cast<Event>(event));
  settle();
}

void EventRun::settle() {
  while (!waiting_.empty()) {
    const Event event = waiting_.back();
    waiting_.pop_back();
    if (graph_.kinds[event] == EventKind::gate)
      pass(event, ready_[event]);
    else
      start(event);
  }
}

void EventRun::arrive(Event event, Picoseconds time) {
  QUADRILLE_ASSERT(graph_.waits_for[event] > 0);
  ready_[event] = std::max(ready_[event], time);
  if (--graph_.waits_for[event] == 0) waiting_.push_back(event);
}

void EventRun::send_ends(Event event, Picoseconds begin, Picoseconds end) {
  QUADRILLE_ASSERT(graph_.kinds[event] == EventKind::send && begin >= 0 && begin <= end);
  Picoseconds& first = round_begins_[graph_.rounds[event]];
  first = std::min(first, begin);
  tell(event, true, begin, end);
  pass(event, end);
}

void EventRun::receive_ends(Event event, Picoseconds begin, Picoseconds end) {
  QUADRILLE_ASSERT(graph_.kinds[event] == EventKind::receive && begin >= 0 && begin <= end);
  const std::uint32_t round = graph_.rounds[event];
  round_ends_[round] = std::max(round_ends_[round], end);
  tell(event, false, begin, end);
  ++arrived_;
  if (options_.progress && arrived_ % messages_between_talk == 0) options_.progress(arrived_, graph_.messages);
  pass(event, end);
  if (barriers_.empty()) return;
  QUADRILLE_ASSERT(messages_left_[round] > 0);
  barriers_[round] = std::max(barriers_[round], end);
  if (--messages_left_[round] == 0 && round + 1 < barriers_.size())
    for (const Event gate : graph_.gates_of_round[round + 1]) arrive(gate, barriers_[round]);
}

void EventRun::tell(Event event, bool sends, Picoseconds begin, Picoseconds end) const {
  if (!options_.message_end) return;
  options_.message_end({static_cast<Rank>(graph_.ranks[event]), sends, graph_.round_numbers[graph_.rounds[event]], begin, end,
                        sender(event), number(event)});
}

void EventRun::pass(Event event, Picoseconds time) {
  QUADRILLE_ASSERT(graph_.waits_for[event] == 0 && time >= ready_[event]);
  Picoseconds& end = result_.rank_ends[graph_.ranks[event]];
  end = std::max(end, time);
  for (const Event after : graph_.events_after(event)) arrive(after, time);
}

EventSimulation EventRun::result() {
  if (arrived_ != graph_.messages)
    throw Error(
        ErrorCode::misuse,
        fmt::format(
            "{} of {} messages never arrive, because ranks wait for each other in a deadlock; 'quadrille verify' says where",
            graph_.messages - arrived_, graph_.messages));
  result_.end = *std::max_element(result_.rank_ends.begin(), result_.rank_ends.end());
  std::size_t round = 0;
  const auto& stages = graph_.stages;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    SimulatedStage& stage = result_.stages.emplace_back();
    stage.name = stages[i].name;
    stage.begin = INT64_MAX;
    for (; round < round_begins_.size() && (i + 1 == stages.size() || graph_.round_numbers[round] < stages[i + 1].first_round);
         ++round) {
      stage.rounds.push_back({.number = graph_.round_numbers[round], .begin = round_begins_[round], .end = round_ends_[round]});
      stage.begin = std::min(stage.begin, round_begins_[round]);
      stage.end = std::max(stage.end, round_ends_[round]);
    }
    if (stage.rounds.empty()) stage.begin = stage.end = i == 0 ? 0 : result_.stages[i - 1].end;
    QUADRILLE_ASSERT(stage.begin <= stage.end && stage.end <= result_.end);
  }
  QUADRILLE_ASSERT(stages.empty() || round == round_begins_.size());
  return std::move(result_);
}

}  // namespace quadrille
