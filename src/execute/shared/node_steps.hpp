// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a node keep step: what one of them exchanges with other nodes in a round starts when all that the node exchanges in
// earlier rounds is through. So a node has no more such exchanges at a time than a round of the schedule gives it, and a node with
// one network port is never asked for two. A counter in the node's memory tells how many are through ([sanders2002hierarchical],
// the single-ported model; here any number of ports).
#pragma once

#include <memory>
#include <vector>

#include "execute/script.hpp"
#include "execute/shared/space.hpp"

namespace quadrille {

class NodeSteps {
 public:
  // Null if the script has no nodes to keep step.
  static std::unique_ptr<NodeSteps> of(SharedSpace& space, const std::vector<Rank>& members, const Script& script) {
    return script.nodes.empty() ? nullptr : std::make_unique<NodeSteps>(space, members, script);
  }

  // Collective in the space, whose ranks are those of the group that `members` lists. The script's `nodes` say who is in one node.
  // Throws on all ranks of the space or on none: Error{misuse} if ranks of a node do not share memory, Error{too_large}.
  NodeSteps(SharedSpace& space, const std::vector<Rank>& members, const Script& script);
  ~NodeSteps();
  NodeSteps(const NodeSteps&) = delete;
  NodeSteps& operator=(const NodeSteps&) = delete;

  // May this rank post the messages of a window? Not before the node's earlier rounds are through, if any of the messages goes to,
  // or comes from, another node. `wait_to_enter` waits until it may.
  bool may_enter(std::size_t window) const {
    // Acquires what leave() released: the node's earlier messages are through, not only counted.
    return needed_[window] == none || counter_->through.load(std::memory_order_acquire) >= before_ + needed_[window];
  }
  void wait_to_enter(std::size_t window) {
    space_.poll_until([&] { return may_enter(window); });
  }
  // When all messages of the window are complete.
  void leave(std::size_t window) {
    // Releases this rank's exchanges to may_enter(); acquires those of the ranks that have added before, to hand them on: whoever
    // sees the sum has all of them behind it.
    if (needed_[window] != none) counter_->through.fetch_add(1, std::memory_order_acq_rel);
  }
  // When all of the execution is.
  void end() { before_ += total_; }

 private:
  // In the control memory of the node's first rank.
  struct alignas(64) Counter {
    std::atomic<std::uint64_t> through{0};  // exchanges of the node, in all executions
    std::atomic<std::size_t> closed{0};     // ranks whose plan is gone
  };

  SharedSpace& space_;
  Offset own_ = 0;  // the counter, at the first rank of the node
  Counter* counter_ = nullptr;
  std::size_t mates_ = 0;                 // ranks of the node
  std::uint64_t before_ = 0, total_ = 0;  // exchanges: of earlier executions; of one
  static constexpr std::uint64_t none = static_cast<std::uint64_t>(-1);
  std::vector<std::uint64_t> needed_;  // by window: exchanges of the node in earlier rounds; none if it has none with other nodes
};

}  // namespace quadrille
