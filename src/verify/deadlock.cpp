// SPDX-License-Identifier: BSD-3-Clause
// Runs the programs at their own pace under a rendezvous protocol: a message completes when both ends have posted it, the
// k-th send from i to j meeting the k-th receive at j from i, as executors match them. What is left over is a deadlock.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "schedule/dependence.hpp"
#include "schedule/transform.hpp"
#include "verify/report.hpp"

namespace quadrille {
namespace {

using Node = std::size_t;  // an operation of some rank, or the gate between two windows of a rank
constexpr Node none = no_operation;

// Operations of all ranks, numbered through, and which of them meet.
class Operations {
 public:
  explicit Operations(const std::vector<Program>& programs) : programs_(programs) {
    first_.push_back(0);
    for (const Program& program : programs) {
      graphs_.push_back(dependences(program));
      first_.push_back(first_.back() + graphs_.back().operations.size());
    }
    other_end_.assign(count(), none);
    match();
  }

  Node count() const { return first_.back(); }
  std::size_t rank_count() const { return programs_.size(); }
  Node first_of(std::size_t rank) const { return first_[rank]; }
  const Program& program(std::size_t rank) const { return programs_[rank]; }
  const DependenceGraph& graph(std::size_t rank) const { return graphs_[rank]; }
  Node other_end(Node node) const { return other_end_[node]; }  // none for what is not matched
  bool is_message(Node node) const { return is_message_[node]; }

 private:
  struct End {
    Rank from, to;
    Count round;
    std::optional<Port> port;
    Node node;
    auto order() const { return std::tie(from, to, round, port, node); }
  };

  void match() {
    std::vector<End> sends, receives;
    for (std::size_t rank = 0; rank < rank_count(); ++rank)
      for (std::size_t i = 0; i < graphs_[rank].operations.size(); ++i) {
        const OperationKind kind = graphs_[rank].operations[i].kind;
        is_message_.push_back(kind != OperationKind::local);
        if (kind == OperationKind::local) continue;
        const Message& message = graphs_[rank].message(programs_[rank], i);
        const Rank me = static_cast<Rank>(rank);
        const Count round = programs_[rank].rounds[graphs_[rank].operations[i].round].number;
        if (kind == OperationKind::send)
          sends.push_back({me, message.peer, round, message.port, first_[rank] + i});
        else
          receives.push_back({message.peer, me, round, message.port, first_[rank] + i});
      }
    const auto by_pair = [](const End& a, const End& b) { return a.order() < b.order(); };
    std::sort(sends.begin(), sends.end(), by_pair);
    std::sort(receives.begin(), receives.end(), by_pair);
    // The k-th of a pair's sends and the k-th of its receives: walk both lists, leaving out what is left of a pair.
    for (std::size_t s = 0, r = 0; s < sends.size() && r < receives.size();) {
      const auto send = std::tie(sends[s].from, sends[s].to), receive = std::tie(receives[r].from, receives[r].to);
      if (send == receive) {
        other_end_[sends[s].node] = receives[r].node;
        other_end_[receives[r].node] = sends[s].node;
      }
      const bool advance_send = send <= receive, advance_receive = receive <= send;
      s += advance_send ? 1 : 0;
      r += advance_receive ? 1 : 0;
    }
  }

  const std::vector<Program>& programs_;
  std::vector<DependenceGraph> graphs_;
  std::vector<Node> first_;      // by rank
  std::vector<Node> other_end_;  // by operation
  std::vector<bool> is_message_;
};

// One execution under one policy. An operation is posted when all it waits for is complete and its channel has come to it;
// a local operation or gate completes at once, a message when both ends are posted.
class Rendezvous {
 public:
  Rendezvous(const Operations& operations, Policy policy)
      : operations_(operations), policy_(policy), next_in_channel_(operations.count(), none) {
    channel_open_.assign(operations.count(), true);
    node_count_ = operations.count();
    for (std::size_t rank = 0; rank < operations.rank_count(); ++rank) {
      if (policy == Policy::dataflow)
        wait_for_dependences(rank);
      else
        wait_for_windows(rank);
      const auto previous = previous_in_channel(operations.program(rank), operations.graph(rank));
      for (std::size_t i = 0; i < previous.size(); ++i)
        if (previous[i] != none) {
          next_in_channel_[operations.first_of(rank) + previous[i]] = operations.first_of(rank) + i;
          channel_open_[operations.first_of(rank) + i] = false;
        }
    }
    std::sort(waits_.begin(), waits_.end());
    missing_.assign(node_count_, 0);
    for (const auto& [on, waiting] : waits_) ++missing_[waiting];
    posted_.assign(node_count_, false);
    complete_.assign(node_count_, false);
  }

  void run() {
    for (Node node = 0; node < node_count_; ++node)
      if (missing_[node] == 0) post(node);
    while (!completed_.empty()) {
      const Node node = completed_.back();
      completed_.pop_back();
      for (auto wait = std::lower_bound(waits_.begin(), waits_.end(), std::pair(node, Node{0}));
           wait != waits_.end() && wait->first == node; ++wait)
        if (--missing_[wait->second] == 0) post(wait->second);
    }
  }

  bool is_posted(Node node) const { return posted_[node]; }
  bool is_complete(Node node) const { return complete_[node]; }

 private:
  void wait(Node waiting, Node on) { waits_.emplace_back(on, waiting); }

  void wait_for_dependences(std::size_t rank) {
    const DependenceGraph& graph = operations_.graph(rank);
    for (std::size_t i = 0; i < graph.operations.size(); ++i)
      for (const Dependence& dependence : graph.before[i]) {
        // A send whose memory a receive of the same round overwrites is packed before either is posted.
        const Operation& other = graph.operations[dependence.on];
        const bool packed = dependence.hazard == Hazard::write_after_read && other.kind == OperationKind::send &&
                            other.round == graph.operations[i].round;
        if (!packed) wait(operations_.first_of(rank) + i, operations_.first_of(rank) + dependence.on);
      }
  }

  // Between two windows is a gate: it waits for all of the one, and all of the other wait for it.
  void wait_for_windows(std::size_t rank) {
    const DependenceGraph& graph = operations_.graph(rank);
    const auto window = windows(operations_.program(rank), graph, policy_);
    Node gate_before = none, gate_after = none;
    for (std::size_t i = 0; i < graph.operations.size(); ++i) {
      const Node node = operations_.first_of(rank) + i;
      if (i == 0 || window[graph.operations[i].round] != window[graph.operations[i - 1].round]) {
        gate_before = gate_after;
        gate_after = node_count_++;
      }
      if (gate_before != none) wait(node, gate_before);
      wait(gate_after, node);
    }
  }

  // Posts the node, and what its channel held back behind it.
  void post(Node node) {
    while (node != none && missing_[node] == 0 && !posted_[node] && (node >= operations_.count() || channel_open_[node])) {
      posted_[node] = true;
      const bool is_message = node < operations_.count() && operations_.is_message(node);
      if (!is_message) return complete(node);
      if (const Node other = operations_.other_end(node); other != none && posted_[other]) {
        complete(other);
        complete(node);
      }
      node = next_in_channel_[node];
      if (node != none) channel_open_[node] = true;
    }
  }

  void complete(Node node) {
    complete_[node] = true;
    completed_.push_back(node);
  }

  const Operations& operations_;
  const Policy policy_;
  std::vector<std::pair<Node, Node>> waits_;  // (on, waiting), sorted
  std::vector<Node> missing_;                 // completions that a node still waits for
  std::vector<Node> next_in_channel_;         // is posted after this one
  std::vector<bool> channel_open_, posted_, complete_;
  std::vector<Node> completed_;  // not yet told to those that wait
  Node node_count_ = 0;
};

bool has_control_messages(const Program& program) {
  return std::any_of(program.rounds.begin(), program.rounds.end(),
                     [](const Round& round) { return !round.control_sends.empty() || !round.control_receives.empty(); });
}

void report_stuck(const Operations& operations, const Rendezvous& run, std::string_view policy, Report& report) {
  for (std::size_t rank = 0; rank < operations.rank_count(); ++rank) {
    const Program& program = operations.program(rank);
    const DependenceGraph& graph = operations.graph(rank);
    for (std::size_t i = 0; i < graph.operations.size(); ++i) {
      const Node node = operations.first_of(rank) + i;
      if (run.is_complete(node) || !run.is_posted(node)) continue;
      const Count number = program.rounds[graph.operations[i].round].number;
      report.add({Rule::deadlock,
                  static_cast<Rank>(rank),
                  stage_name(program.stages, number),
                  number,
                  {},
                  fmt::format("under {} its {} rank {} never completes", policy,
                              graph.operations[i].kind == OperationKind::send ? "send to" : "receive from",
                              graph.message(program, i).peer)});
      break;  // one place a rank is enough to find it
    }
  }
}

}  // namespace

void check_deadlock(const std::vector<Program>& programs, const std::vector<Policy>& policies, Report& report) {
  static constexpr std::array<std::string_view, 3> names{"blocking", "nonblocking", "dataflow"};
  if (policies.empty()) return;
  // Control messages can keep ranks waiting as any message can.
  std::vector<Program> with_messages;
  if (std::any_of(programs.begin(), programs.end(), has_control_messages))
    std::transform(programs.begin(), programs.end(), std::back_inserter(with_messages), with_control_tokens);
  const Operations operations(with_messages.empty() ? programs : with_messages);
  for (const Policy policy : policies) {
    Rendezvous run(operations, policy);
    run.run();
    report_stuck(operations, run, names[static_cast<std::size_t>(policy)], report);
  }
}

}  // namespace quadrille
