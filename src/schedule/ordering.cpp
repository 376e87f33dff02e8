// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/ordering.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "foundation/assert.hpp"
#include "schedule/composition.hpp"
#include "schedule/dependence.hpp"

namespace quadrille {
namespace {

// Must `operation` wait for completion of the messages that were posted together with `dependence.on`?
bool needs_completion(const DependenceGraph& graph, std::size_t operation, const Dependence& dependence) {
  switch (graph.operations[dependence.on].kind) {
    case OperationKind::local: return false;  // the local operations of a window run before its messages, in program order
    case OperationKind::receive: return true;
    case OperationKind::send:
      return graph.operations[operation].kind == OperationKind::local;  // a receive need not wait, because the send is packed
  }
  return true;
}

class OrderingMaker {
 public:
  OrderingMaker(const Program& program, const DependenceGraph& graph)
      : program_(program), graph_(graph), step_of_(graph.operations.size(), no_operation) {}

  Ordering in_windows(Policy policy) && {
    const std::vector<std::size_t> window = windows(program_, graph_, policy);
    std::size_t gate = no_operation, current = 0;
    std::vector<std::size_t> own;  // steps of the window's messages
    for (std::size_t i = 0; i < graph_.operations.size(); ++i) {
      const Operation& operation = graph_.operations[i];
      if (operation.kind == OperationKind::local) continue;
      if (gate == no_operation || window[operation.round] != current) {
        gate = enter_gate(operation.round, std::exchange(own, {}));
        current = window[operation.round];
      }
      own.push_back(enter(i));
      edge(gate, own.back());
    }
    return std::move(made_);
  }

  Ordering as_dataflow() && {
    find_gated();
    std::size_t fence = no_operation;  // the last gate for which all later messages wait
    std::vector<std::size_t> since;    // steps after that gate
    const auto raise_fence = [&](std::size_t round) {
      if (fence != no_operation) since.push_back(fence);
      fence = enter_gate(round, std::exchange(since, {}));
    };
    for (std::size_t i = 0; i < graph_.operations.size();) {
      const std::size_t round = graph_.operations[i].round;
      std::size_t end = i;
      for (; end < graph_.operations.size() && graph_.operations[end].round == round; ++end)
        if (graph_.operations[end].kind == OperationKind::local) wait(end, enter(end));
      while (i < end && graph_.operations[i].kind == OperationKind::local) ++i;
      const bool alone = stands_alone(program_.rounds[round]);
      if (alone) raise_fence(round);
      for (std::size_t send = i; send < end; ++send)
        if (gated_[send]) {
          gate_of_[send] = enter({Ordering::Kind::gate, round, send});
          if (fence != no_operation) edge(fence, gate_of_[send]);
          if (previous_[send] != no_operation) edge(gate_of_[previous_[send]], gate_of_[send]);
          wait(send, gate_of_[send]);
        }
      for (; i < end; ++i) {
        since.push_back(enter(i));
        if (fence != no_operation) edge(fence, since.back());
        if (gated_[i])
          edge(gate_of_[i], since.back());
        else
          wait(i, since.back());
      }
      if (alone) raise_fence(round);
    }
    return std::move(made_);
  }

 private:
  // Finds the sends that need a gate: the packed sends and all earlier sends of their channels, because sends of one
  // channel must keep their order.
  void find_gated() {
    is_packed_.assign(graph_.operations.size(), false);
    gated_ = is_packed_;
    gate_of_.assign(graph_.operations.size(), no_operation);
    for (const auto& [packed, receive] : packed_sends(graph_, every_round_alone(program_))) {
      is_packed_[packed] = true;
      if (previous_.empty())
        for (const ChannelPlace& place : channel_places(program_, graph_)) previous_.push_back(place.previous);
      for (std::size_t send = packed; send != no_operation && !gated_[send]; send = previous_[send]) gated_[send] = true;
    }
  }

  std::size_t enter(const Ordering::Step& step) {
    made_.steps.push_back(step);
    return made_.steps.size() - 1;
  }

  std::size_t enter(std::size_t operation) {
    static constexpr Ordering::Kind kinds[]{Ordering::Kind::local, Ordering::Kind::send, Ordering::Kind::receive};
    const Operation& its = graph_.operations[operation];
    return step_of_[operation] = enter({kinds[static_cast<std::size_t>(its.kind)], its.round, operation});
  }

  std::size_t enter_gate(std::size_t round, const std::vector<std::size_t>& after) {
    const std::size_t gate = enter({Ordering::Kind::gate, round, no_operation});
    for (const std::size_t step : after) edge(step, gate);
    return gate;
  }

  void edge(std::size_t from, std::size_t to) {
    QUADRILLE_ASSERT(from < made_.steps.size() && to < made_.steps.size());  // operations are entered before steps wait for them
    QUADRILLE_ASSERT(from < to);                                             // so no steps wait for each other
    made_.edges.push_back({from, to});
  }

  // Makes the step wait for all operations on which `operation` depends.
  void wait(std::size_t operation, std::size_t step) {
    const Operation& own = graph_.operations[operation];
    for (const Dependence& dependence : graph_.before[operation]) {
      const Operation& other = graph_.operations[dependence.on];
      if (own.kind == OperationKind::receive && other.kind == OperationKind::receive && other.round == own.round) {
        // Receives of one round do not wait for each other. Instead this receive waits for all operations before the other
        // receive, because the graph does not list them for this receive.
        wait(dependence.on, step);
        continue;
      }
      edge(is_packed_[dependence.on] ? gate_of_[dependence.on] : step_of_[dependence.on], step);
    }
  }

  const Program& program_;
  const DependenceGraph& graph_;
  Ordering made_;
  std::vector<std::size_t> step_of_, gate_of_;  // by operation
  std::vector<std::size_t> previous_;           // by operation: the previous one in its channel; empty if nothing is packed
  std::vector<bool> is_packed_, gated_;
};

}  // namespace

std::vector<std::size_t> every_round_alone(const Program& program) {
  std::vector<std::size_t> window(program.rounds.size());
  std::iota(window.begin(), window.end(), std::size_t{0});
  return window;
}

std::vector<std::size_t> windows(const Program& program, const DependenceGraph& graph, Policy policy) {
  QUADRILLE_ASSERT(policy != Policy::dataflow);
  std::vector<std::size_t> window = every_round_alone(program);
  if (policy == Policy::blocking) return window;
  const auto stage_of = [&](std::size_t round) {
    return std::upper_bound(program.stages.begin(), program.stages.end(), program.rounds[round].number,
                            [](Count number, const Stage& stage) { return number < stage.first_round; });
  };
  std::size_t first_round = 0;  // first round of the current window
  std::size_t operation = 0;
  bool was_alone = false;
  for (std::size_t round = 0; round < window.size(); ++round) {
    const bool is_alone = stands_alone(program.rounds[round]);
    bool cut = round > 0 && (is_alone || was_alone || stage_of(round) != stage_of(round - 1));
    was_alone = is_alone;
    for (; operation < graph.operations.size() && graph.operations[operation].round == round; ++operation)
      for (const Dependence& dependence : graph.before[operation]) {
        const std::size_t other = graph.operations[dependence.on].round;
        cut = cut || (other >= first_round && other < round && needs_completion(graph, operation, dependence));
      }
    if (cut) first_round = round;
    window[round] = round == 0 ? 0 : window[round - 1] + (cut ? 1 : 0);
  }
  return window;
}

std::vector<PackedSend> packed_sends(const DependenceGraph& graph, const std::vector<std::size_t>& group_of_round) {
  std::vector<PackedSend> packed;
  for (std::size_t i = 0; i < graph.operations.size(); ++i) {
    if (graph.operations[i].kind != OperationKind::receive) continue;
    for (const Dependence& dependence : graph.before[i]) {
      const Operation& other = graph.operations[dependence.on];
      if (other.kind == OperationKind::send && group_of_round[other.round] == group_of_round[graph.operations[i].round])
        packed.push_back({dependence.on, i});
    }
  }
  return packed;
}

Ordering ordering(const Program& program, const DependenceGraph& graph, Policy policy) {
  OrderingMaker maker(program, graph);
  return policy == Policy::dataflow ? std::move(maker).as_dataflow() : std::move(maker).in_windows(policy);
}

}  // namespace quadrille
