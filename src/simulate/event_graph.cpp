// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/event_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "problem/limits.hpp"
#include "problem/memory.hpp"
#include "quadrille/error.hpp"
#include "schedule/dependence.hpp"
#include "schedule/extent.hpp"

namespace quadrille {
namespace {

using Event = EventGraph::Event;

constexpr Bytes bytes_of_operation = 40;  // in the graph and its simulation, at least

// One end of a message: payload, or a control message, which goes ahead.
struct End {
  Rank peer = 0;
  Bytes bytes = 0;
  std::optional<Port> port;
  std::size_t operation = no_operation;  // of the dependence graph
};

class Builder {
 public:
  Builder(const Schedule& schedule, Policy policy, bool barriers) : schedule_(schedule), policy_(policy), barriers_(barriers) {}

  EventGraph build() && {
    const Count operations = operation_count(schedule_, available_memory() / bytes_of_operation);
    check_memory(schedule_.problem, times_at_most(operations, bytes_of_operation, std::numeric_limits<Bytes>::max()), "events");
    incoming_.resize(static_cast<std::size_t>(schedule_.problem.ranks), 0);
    for (Rank rank = 0; rank < schedule_.problem.ranks; ++rank) add(schedule_.program(rank));
    graph_.first_after.push_back(graph_.after.size());
    if (!graph_.ports.empty()) graph_.ports.resize(graph_.kinds.size(), {.dimension = -1});
    match();
    order_rounds();
    return std::move(graph_);
  }

 private:
  void add(const Program& program) {
    if (program.rank == 0) graph_.stages = program.stages;
    graph_.first_send.push_back(EventGraph::none);
    graph_.first_receive.push_back(EventGraph::none);
    last_send_ = last_receive_ = EventGraph::none;
    first_event_ = static_cast<Event>(graph_.kinds.size());
    edges_.clear();
    if (policy_ == Policy::dataflow && !barriers_)
      with_dependences(program, [&](const DependenceGraph& dependence) { add_dataflow(program, dependence); });
    else
      add_windows(program);
    enter_edges();
  }

  // The dependences of an image are those of its representative, where it lists its messages alike; so they are found once.
  template <class Use>
  void with_dependences(const Program& program, Use&& use) {
    if (!schedule_.symmetry) return use(dependences(program));
    const Rank representative = schedule_.symmetry->representative_of(program.rank);
    auto known = known_.find(representative);
    if (known == known_.end()) {
      Program its_program = schedule_.program(representative);
      DependenceGraph dependence = dependences(its_program);
      known = known_.emplace(representative, Known{std::move(its_program), std::move(dependence)}).first;
    }
    const auto same_messages = [&](const std::vector<Message>& own, const std::vector<Message>& other) {
      return std::equal(own.begin(), own.end(), other.begin(), other.end(), [&](const Message& a, const Message& b) {
        return a.peer == schedule_.symmetry->image(program.rank, b.peer) && a.port == b.port;
      });
    };
    const auto same_round = [&](const Round& own, const Round& other) {
      return own.number == other.number && own.locals.size() == other.locals.size() && same_messages(own.sends, other.sends) &&
             same_messages(own.receives, other.receives);
    };
    const std::vector<Round>& its_rounds = known->second.program.rounds;
    if (std::equal(program.rounds.begin(), program.rounds.end(), its_rounds.begin(), its_rounds.end(), same_round))
      use(known->second.dependences);
    else
      use(dependences(program));
  }

  // Windows of rounds. With barriers every round is one.
  void add_windows(const Program& program) {
    std::vector<std::size_t> window(program.rounds.size());
    std::iota(window.begin(), window.end(), std::size_t{0});
    if (policy_ == Policy::nonblocking && !barriers_)
      with_dependences(program, [&](const DependenceGraph& dependence) { window = windows(program, dependence, policy_); });
    Event gate = EventGraph::none;
    std::vector<Event> own;  // messages of the window
    for (std::size_t r = 0; r < program.rounds.size(); ++r) {
      const Round& round = program.rounds[r];
      ends_of(round);
      if (sends_.empty() && receives_.empty()) continue;
      const std::size_t index = index_of(round.number);
      if (gate == EventGraph::none || window[r] != window_ || stands_alone(round) || stood_alone_) {
        gate = enter(program.rank, EventKind::gate);
        for (const Event message : own) edge(message, gate);
        own.clear();
        if (barriers_) graph_.gates_of_round[index].push_back(gate);
      }
      window_ = window[r];
      stood_alone_ = stands_alone(round);
      enter_messages(program.rank, index, [&](const End&, Event message) {
        edge(gate, message);
        if (!barriers_) own.push_back(message);
      });
    }
    stood_alone_ = false;
  }

  // Dependences. A receive that overwrites what a send reads waits until the send is ready, since it is packed then.
  void add_dataflow(const Program& program, const DependenceGraph& dependence) {
    std::vector<Event> event_of(dependence.operations.size(), EventGraph::none), ready_of(event_of);
    std::vector<bool> is_packed(dependence.operations.size(), false);
    for (std::size_t i = 0; i < dependence.operations.size(); ++i)
      if (dependence.operations[i].kind == OperationKind::receive)
        for (const Dependence& before : dependence.before[i]) is_packed[before.on] = true;
    const auto wait = [&](std::size_t operation, Event event) {
      const Operation& own = dependence.operations[operation];
      for (const Dependence& before : dependence.before[operation]) {
        const Operation& other = dependence.operations[before.on];
        const bool receives = own.kind == OperationKind::receive;
        // Where receives of a round seem to overlap, that is for want of a closer look: in no window do they wait for each other.
        if (receives && other.kind == OperationKind::receive && other.round == own.round) continue;
        const Event packed = receives ? ready_of[before.on] : EventGraph::none;
        edge(packed != EventGraph::none ? packed : event_of[before.on], event);
      }
    };
    Event fence = EventGraph::none;
    std::vector<Event> since;  // messages since the fence
    std::size_t operation = 0;
    for (std::size_t r = 0; r < program.rounds.size(); ++r) {
      const Round& round = program.rounds[r];
      for (; operation < event_of.size() && dependence.operations[operation].round == r &&
             dependence.operations[operation].kind == OperationKind::local;
           ++operation) {
        event_of[operation] = enter(program.rank, EventKind::gate);
        wait(operation, event_of[operation]);
      }
      ends_of(round, operation);
      if (sends_.empty() && receives_.empty()) continue;
      const auto raise_fence = [&] {
        fence = enter(program.rank, EventKind::gate);
        for (const Event message : std::exchange(since, {})) edge(message, fence);
      };
      if (stands_alone(round)) raise_fence();
      // Gates have to stand before their messages are entered, so that these follow each other.
      for (const End& end : sends_)
        if (end.operation != no_operation && is_packed[end.operation]) {
          ready_of[end.operation] = enter(program.rank, EventKind::gate);
          wait(end.operation, ready_of[end.operation]);
          if (fence != EventGraph::none) edge(fence, ready_of[end.operation]);
        }
      enter_messages(program.rank, index_of(round.number), [&](const End& end, Event message) {
        since.push_back(message);
        if (fence != EventGraph::none) edge(fence, message);
        if (end.operation == no_operation) return;
        event_of[end.operation] = message;
        if (ready_of[end.operation] != EventGraph::none)
          edge(ready_of[end.operation], message);
        else
          wait(end.operation, message);
      });
      operation += round.sends.size() + round.receives.size();
      if (stands_alone(round)) raise_fence();
    }
  }

  // Control messages that come with a payload go with it. A round of nothing else says what comes next: it waits for all before,
  // and all after wait for it.
  static bool stands_alone(const Round& round) {
    return round.sends.empty() && round.receives.empty() && !(round.control_sends.empty() && round.control_receives.empty());
  }

  // Of a round, in the order in which they are posted; by port where messages have one, so that both ends list them alike.
  void ends_of(const Round& round, std::size_t operation = no_operation) {
    const auto list = [&](std::vector<End>& ends, const std::vector<Control>& controls, const std::vector<Message>& messages) {
      ends.clear();
      for (const Control& control : controls) ends.push_back({control.peer, control.bytes, {}, no_operation});
      bool has_ports = false;
      for (const Message& message : messages) {
        ends.push_back({message.peer, quadrille::bytes(message.regions), message.port,
                        operation == no_operation ? no_operation : operation++});
        has_ports = has_ports || message.port;
      }
      if (has_ports)
        std::stable_sort(ends.begin() + static_cast<std::ptrdiff_t>(controls.size()), ends.end(),
                         [](const End& a, const End& b) { return a.port < b.port; });
    };
    list(sends_, round.control_sends, round.sends);
    list(receives_, round.control_receives, round.receives);
  }

  Event enter(Rank rank, EventKind kind) {
    if (graph_.kinds.size() >= EventGraph::none - 1)
      throw Error(ErrorCode::too_large, "the schedule has 2^32 events or more, too many to simulate; take fewer ranks");
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

  template <class Visit>
  void enter_messages(Rank rank, std::size_t round, Visit&& visit) {
    const bool both = !sends_.empty() && !receives_.empty();
    const auto enter_end = [&](const End& end, EventKind kind, Event& last, Event& first) {
      if (end.peer < 0 || end.peer >= schedule_.problem.ranks || end.peer == rank) mismatch(rank, round);
      const Event event = enter(rank, kind);
      (last == EventGraph::none ? first : graph_.next[last]) = event;
      last = event;
      graph_.meets_other_way[event] = both ? 1 : 0;
      graph_.rounds[event] = static_cast<std::uint32_t>(round);
      graph_.bytes[event] = end.bytes;
      graph_.other_ends[event] = static_cast<Event>(end.peer);  // until they are matched
      if (end.port && kind == EventKind::send) {
        graph_.ports.resize(graph_.kinds.size(), {.dimension = -1});
        graph_.ports.back() = *end.port;
      }
      visit(end, event);
      return event;
    };
    for (const End& end : sends_) {
      enter_end(end, EventKind::send, last_send_, graph_.first_send.back());
      ++incoming_[static_cast<std::size_t>(end.peer)];
      ++graph_.messages_of_round[round];
      ++graph_.messages;
    }
    for (const End& end : receives_) enter_end(end, EventKind::receive, last_receive_, graph_.first_receive.back());
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

  void edge(Event from, Event to) {
    edges_.emplace_back(from, to);
    ++graph_.waits_for[to];
  }

  // Of one rank, sorted by where they begin.
  void enter_edges() {
    auto& first = graph_.first_after;
    const std::size_t events = graph_.kinds.size();
    first.resize(events, 0);
    for (const auto& [from, to] : edges_) ++first[from];
    std::size_t position = graph_.after.size();
    graph_.after.resize(position + edges_.size());
    for (std::size_t event = first_event_; event < events; ++event) position += std::exchange(first[event], position);
    cursor_.assign(first.begin() + first_event_, first.end());
    for (const auto& [from, to] : edges_) graph_.after[cursor_[from - first_event_]++] = to;
  }

  // What comes to a rank, by sender and round, meets its receives in the same order.
  void match() {
    const auto p = static_cast<std::size_t>(schedule_.problem.ranks);
    std::vector<std::size_t> end(p);
    std::partial_sum(incoming_.begin(), incoming_.end(), end.begin());
    std::vector<Event> coming(end.empty() ? 0 : end.back());
    std::vector<std::size_t> next(p);
    for (std::size_t rank = 0; rank < p; ++rank) next[rank] = end[rank] - incoming_[rank];
    for (Event event = 0; event < graph_.kinds.size(); ++event)
      if (graph_.kinds[event] == EventKind::send) coming[next[graph_.other_ends[event]]++] = event;
    std::vector<std::uint64_t> expected;  // sender and event
    for (std::size_t rank = 0; rank < p; ++rank) {
      expected.clear();
      for (Event event = graph_.first_receive[rank]; event != EventGraph::none; event = graph_.next[event])
        expected.push_back(std::uint64_t{graph_.other_ends[event]} << 32 | event);
      std::sort(expected.begin(), expected.end());
      const std::size_t first = end[rank] - incoming_[rank];
      if (expected.size() != incoming_[rank]) mismatch(static_cast<Rank>(rank), 0);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const Event send = coming[first + i], receive = static_cast<Event>(expected[i]);
        if (graph_.ranks[send] != expected[i] >> 32 || graph_.rounds[send] != graph_.rounds[receive] ||
            graph_.bytes[send] != graph_.bytes[receive])
          mismatch(static_cast<Rank>(rank), graph_.rounds[receive]);
        graph_.other_ends[send] = receive;
      }
    }
  }

  [[noreturn]] void mismatch(Rank rank, std::size_t round) const {
    throw Error(ErrorCode::misuse,
                fmt::format("what rank {} expects is not what others send it, in round {} or near it; 'verify' finds out more",
                            rank, graph_.round_numbers.empty() ? 0 : graph_.round_numbers[round]));
  }

  // Rounds have been numbered as they were met.
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
    DependenceGraph dependences;
  };

  const Schedule& schedule_;
  const Policy policy_;
  const bool barriers_;
  EventGraph graph_;
  std::vector<std::size_t> incoming_;  // messages to each rank
  std::unordered_map<Count, std::size_t> index_of_round_;
  std::size_t last_index_ = 0;
  std::unordered_map<Rank, Known> known_;  // of representatives
  // Of the rank at hand.
  Event first_event_ = 0, last_send_ = EventGraph::none, last_receive_ = EventGraph::none;
  std::vector<std::pair<Event, Event>> edges_;
  std::vector<std::size_t> cursor_;
  std::vector<End> sends_, receives_;  // of a round
  std::size_t window_ = 0;
  bool stood_alone_ = false;
};

}  // namespace

EventGraph event_graph(const Schedule& schedule, Policy policy, bool barriers) {
  return Builder(schedule, policy, barriers).build();
}

}  // namespace quadrille
