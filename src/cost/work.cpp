// SPDX-License-Identifier: BSD-3-Clause
#include "cost/work.hpp"

#include <algorithm>
#include <vector>

#include "problem/node_ranks.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

// What a rank does in a round, without the memory that it does it with.
struct Steps {
  struct Transfer {
    Rank peer = 0;
    Bytes bytes = 0;
  };
  Count round = 0;
  std::vector<Transfer> sends, receives;
  Bytes copied = 0, combined = 0;
};

std::vector<Steps> steps_of(const Program& program) {
  std::vector<Steps> steps;
  for (const Round& round : program.rounds) {
    Steps& own = steps.emplace_back(Steps{.round = round.number});
    for (const Message& message : round.sends) own.sends.push_back({message.peer, bytes(message.regions)});
    for (const Message& message : round.receives) own.receives.push_back({message.peer, bytes(message.regions)});
    for (const Control& control : round.control_sends) own.sends.push_back({control.peer, control.bytes});
    for (const Control& control : round.control_receives) own.receives.push_back({control.peer, control.bytes});
    for (const Local& local : round.locals)
      add_bytes(local.kind == LocalKind::copy ? own.copied : own.combined, bytes(local.source));
  }
  return steps;
}

struct Way {  // sent or received
  Count outside = 0, inside = 0;
  Bytes outside_bytes = 0, inside_bytes = 0;

  void add(const Way& other) {
    outside += other.outside, inside += other.inside;
    add_bytes(outside_bytes, other.outside_bytes);
    add_bytes(inside_bytes, other.inside_bytes);
  }
};

struct NodeWork {
  Way sent, received;
  Bytes copied = 0, combined = 0;
};

class Counting {
 public:
  Counting(const Schedule& schedule, std::map<Count, RoundFigures>& rounds)
      : schedule_(schedule),
        nodes_(schedule.problem.nodes.empty() ? NodeRanks(std::vector<Count>(index(schedule.problem.ranks)))
                                              : NodeRanks(schedule.problem)),
        rounds_(rounds) {}

  Count run() {
    for (Count node = 0; node < nodes_.node_count(); ++node) count_node(node);
    return 0;
  }

 private:
  void count_node(Count node) {
    std::map<Count, NodeWork> work;
    for (const Rank rank : nodes_.ranks(node)) count_rank(rank, work);
    for (const auto& [number, own] : work) {
      RoundFigures& round = rounds_[number];
      const auto raise = [](auto& figure, auto value) { figure = std::max(figure, value); };
      raise(round.node_outside_messages, std::max(own.sent.outside, own.received.outside));
      raise(round.exchanged, std::max(own.sent.outside_bytes, own.received.outside_bytes));
      raise(round.node_inside_messages, own.sent.inside);
      raise(round.node_inside_bytes, own.sent.inside_bytes);
      raise(round.node_copied, own.copied);
      raise(round.node_combined, own.combined);
    }
  }

  void count_rank(Rank rank, std::map<Count, NodeWork>& work) {
    const bool is_image = schedule_.symmetry.has_value();
    const Rank owner = is_image ? schedule_.symmetry->representative_of(rank) : rank;
    if (!is_image || owner != known_owner_) known_ = steps_of(schedule_.program(owner)), known_owner_ = owner;
    for (const Steps& steps : known_) {
      RoundFigures& round = rounds_[steps.round];
      round.number = steps.round;
      NodeWork& of_node = work[steps.round];
      const auto counted = [&](const std::vector<Steps::Transfer>& transfers) {
        Way way;
        for (const auto& [peer, bytes] : transfers) {
          const bool leaves = nodes_.node_of(is_image ? schedule_.symmetry->image(rank, peer) : peer) != nodes_.node_of(rank);
          ++(leaves ? way.outside : way.inside);
          add_bytes(leaves ? way.outside_bytes : way.inside_bytes, bytes);
        }
        return way;
      };
      const Way sent = counted(steps.sends), received = counted(steps.receives);
      of_node.sent.add(sent), of_node.received.add(received);
      add_bytes(of_node.copied, steps.copied);
      add_bytes(of_node.combined, steps.combined);
      round.outside_messages = std::max({round.outside_messages, sent.outside, received.outside});
      round.outside_bytes = std::max({round.outside_bytes, sent.outside_bytes, received.outside_bytes});
      round.inside_messages = std::max({round.inside_messages, sent.inside, received.inside});
      round.inside_bytes = std::max({round.inside_bytes, sent.inside_bytes, received.inside_bytes});
      round.copied = std::max(round.copied, steps.copied);
      round.combined = std::max(round.combined, steps.combined);
    }
  }

  const Schedule& schedule_;
  const NodeRanks nodes_;
  std::map<Count, RoundFigures>& rounds_;
  std::vector<Steps> known_;
  Rank known_owner_ = -1;
};

}  // namespace

Count count_work(const Schedule& schedule, std::map<Count, RoundFigures>& rounds) { return Counting(schedule, rounds).run(); }

}  // namespace quadrille
