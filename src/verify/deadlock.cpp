// SPDX-License-Identifier: BSD-3-Clause
// Runs the programs at their own pace under a rendezvous protocol: a message completes when both ends have posted it. What is left
// over is a deadlock.
#include <fmt/format.h>

#include <algorithm>

#include "quadrille/indexed.hpp"
#include "schedule/meetings.hpp"
#include "schedule/ordering.hpp"
#include "schedule/policy_name.hpp"
#include "schedule/transform.hpp"
#include "verify/report.hpp"

namespace quadrille {
namespace {

using Node = std::size_t;  // of some rank's ordering, numbered through
constexpr Node none = no_operation;

// A program as its rank posts it.
class Posted {
 public:
  explicit Posted(const Program& own)
      : as_it_was_(own),
        ordered_(is_in_posting_order(own) ? std::nullopt : std::optional(in_posting_order(own))),
        graph_(dependences(program())) {}

  const Program& program() const { return ordered_ ? *ordered_ : as_it_was_; }
  const DependenceGraph& graph() const { return graph_; }

 private:
  const Program& as_it_was_;
  const std::optional<Program> ordered_;
  const DependenceGraph graph_;
};

// One execution under one policy. A node is posted when all it waits for is complete and its channel has come to it; a message is
// complete when both ends are posted, anything else at once.
class Rendezvous {
 public:
  Rendezvous(const std::vector<Posted>& ranks, Policy policy) : ranks_(ranks) {
    for (const Posted& posted : ranks) enter(posted, policy);
    first_.push_back(nodes_.size());
    std::sort(waits_.begin(), waits_.end());
    for (const auto& [on, waiting] : waits_) ++nodes_[waiting].missing;
    for (auto* ends : {&sends_, &receives_})
      std::stable_sort(ends->begin(), ends->end(), [](const End& a, const End& b) { return a.channel < b.channel; });
    for_each_meeting(
        sends_, receives_, [](const End& a, const End& b) { return a.channel <=> b.channel; },
        [&](const End& send, const End& receive) {
          nodes_[send.node].other_end = receive.node;
          nodes_[receive.node].other_end = send.node;
        },
        [](const End&) {}, [](const End&) {});
  }

  void run() {
    for (Node node = 0; node < nodes_.size(); ++node) post(node);
    while (!completed_.empty()) {
      const Node node = completed_.back();
      completed_.pop_back();
      for (auto wait = std::lower_bound(waits_.begin(), waits_.end(), std::pair(node, Node{0}));
           wait != waits_.end() && wait->first == node; ++wait) {
        --nodes_[wait->second].missing;
        post(wait->second);
      }
    }
  }

  // The first operation that a rank has posted in vain.
  std::optional<std::size_t> stuck(std::size_t rank) const {
    for (Node node = first_[rank]; node < first_[rank + 1]; ++node)
      if (nodes_[node].is_posted && !nodes_[node].is_complete) return nodes_[node].operation;
    return std::nullopt;
  }

 private:
  struct End {
    std::pair<Rank, Rank> channel;
    Node node;
  };

  struct State {
    std::size_t operation = none;  // of a message
    Node other_end = none;         // of a message that meets another
    Node next_in_channel = none;   // is posted after this one
    std::size_t missing = 0;       // completions that it still waits for
    bool channel_open = true, is_posted = false, is_complete = false;
  };

  void enter(const Posted& posted, Policy policy) {
    const Ordering own = ordering(posted.program(), posted.graph(), policy);
    const std::vector<ChannelPlace> places = channel_places(posted.program(), posted.graph());
    std::vector<Node> node_of(places.size(), none);
    first_.push_back(nodes_.size());
    for (const auto& [from, to] : own.edges) waits_.emplace_back(first_.back() + from, first_.back() + to);
    for (const Ordering::Node& node : own.nodes) {
      State& state = nodes_.emplace_back();
      if (node.kind != Ordering::Kind::send && node.kind != Ordering::Kind::receive) continue;
      state.operation = node.operation;
      node_of[node.operation] = nodes_.size() - 1;
      const bool sends = node.kind == Ordering::Kind::send;
      const Rank me = posted.program().rank, peer = posted.graph().message(posted.program(), node.operation).peer;
      (sends ? sends_ : receives_).push_back({sends ? std::pair(me, peer) : std::pair(peer, me), nodes_.size() - 1});
      if (const std::size_t before = places[node.operation].previous; before != none) {
        nodes_[node_of[before]].next_in_channel = nodes_.size() - 1;
        state.channel_open = false;
      }
    }
  }

  // Posts the node, if it can be, and what its channel held back behind it.
  void post(Node node) {
    while (node != none && nodes_[node].missing == 0 && !nodes_[node].is_posted && nodes_[node].channel_open) {
      State& state = nodes_[node];
      state.is_posted = true;
      if (state.operation == none) return complete(node);
      if (state.other_end != none && nodes_[state.other_end].is_posted) {
        complete(state.other_end);
        complete(node);
      }
      node = state.next_in_channel;
      if (node != none) nodes_[node].channel_open = true;
    }
  }

  void complete(Node node) {
    nodes_[node].is_complete = true;
    completed_.push_back(node);
  }

  const std::vector<Posted>& ranks_;
  std::vector<State> nodes_;
  std::vector<Node> first_;                   // by rank, and the end
  std::vector<End> sends_, receives_;         // of messages
  std::vector<std::pair<Node, Node>> waits_;  // (on, waiting), sorted
  std::vector<Node> completed_;               // not yet told to those that wait
};

}  // namespace

void check_deadlock(const std::vector<Program>& programs, const std::vector<Policy>& policies, Report& report) {
  if (policies.empty()) return;
  const std::vector<Posted> ranks(programs.begin(), programs.end());
  for (const Policy policy : policies) {
    Rendezvous run(ranks, policy);
    run.run();
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      const auto stuck = run.stuck(rank);  // one place a rank is enough to find it
      if (!stuck) continue;
      const Program& program = ranks[rank].program();
      const DependenceGraph& graph = ranks[rank].graph();
      const Count number = program.rounds[graph.operations[*stuck].round].number;
      report.add({Rule::deadlock,
                  program.rank,
                  stage_name(program.stages, number),
                  number,
                  {},
                  fmt::format("under {} its {} rank {} never completes", name(policy),
                              graph.operations[*stuck].kind == OperationKind::send ? "send to" : "receive from",
                              graph.message(program, *stuck).peer)});
    }
  }
}

}  // namespace quadrille
