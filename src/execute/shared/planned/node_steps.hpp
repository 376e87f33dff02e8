// SPDX-License-Identifier: BSD-3-Clause
// Implements PlanOptions::keep_step: a rank starts its messages to and from other nodes in a round only when all such messages of
// its node in earlier rounds are complete. So a node never has more of them in flight than one round of the schedule gives it, and
// a node with one network port never uses two at a time ([sanders2002hierarchical], single-ported model; here for any number of
// ports). A counter in the node's shared memory counts the rounds that its ranks have completed.
#pragma once

#include <memory>
#include <vector>

#include "execute/script/script.hpp"
#include "execute/shared/protocol/closing.hpp"
#include "execute/shared/wait/space.hpp"

namespace quadrille {

class NodeSteps {
 public:
  // Returns null unless the script keeps step (Script::nodes).
  static std::unique_ptr<NodeSteps> of(SharedSpace& space, const std::vector<Rank>& members, const Script& script) {
    return script.nodes.empty() ? nullptr : std::make_unique<NodeSteps>(space, members, script);
  }

  // Collective among the ranks that share `space`; `members` gives their numbers in the group, and Script::nodes their nodes.
  // Throws on all of these ranks or on none: Error{misuse} if ranks of one node do not share memory, Error{too_large}.
  NodeSteps(SharedSpace& space, const std::vector<Rank>& members, const Script& script);
  ~NodeSteps();
  NodeSteps(const NodeSteps&) = delete;
  NodeSteps& operator=(const NodeSteps&) = delete;

  // May this rank post the messages of a window? If one of them goes to or comes from another node, it may not before the node's
  // earlier rounds are complete. `wait_to_enter` waits until it may.
  bool may_enter(std::size_t window) const {
    // The acquire pairs with the release in leave(): the effects of the counted messages are visible, too.
    return needed_[window] == none || counter_->through.load(std::memory_order_acquire) >= before_ + needed_[window];
  }
  void wait_to_enter(std::size_t window) {
    space_.poll_until([&] { return may_enter(window); }, SharedSpace::Driving::no);
  }
  // Called when all messages of the window are complete.
  void leave(std::size_t window) {
    // Releases the effects of this rank's messages to may_enter(). Also acquires those of the ranks that have added before. So a
    // rank that reads the sum sees the effects of all counted messages.
    if (needed_[window] != none) counter_->through.fetch_add(1, std::memory_order_acq_rel);
  }
  // Called when the execution is complete.
  void end() { before_ += total_; }

 private:
  // Shared by the ranks of a node; lies in control memory of the node's first rank.
  struct alignas(64) Counter {
    std::atomic<std::uint64_t> through{0};  // completed rounds with messages to other nodes: of all ranks, in all executions
    Closing closing;                        // of the plan
  };

  SharedSpace& space_;
  Offset own_ = 0;  // the counter; set at the first rank of the node only
  Counter* counter_ = nullptr;
  Count mates_ = 0;                       // the number of ranks of the node
  std::uint64_t before_ = 0, total_ = 0;  // counts of Counter::through: of all earlier executions; of one execution
  static constexpr std::uint64_t none = static_cast<std::uint64_t>(-1);
  std::vector<std::uint64_t> needed_;  // by window: the node's count of earlier rounds; `none`: no message to another node
};

}  // namespace quadrille
