// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/node_timetable.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace quadrille {
namespace {

// The sum of first, first + 1, .. last - 1.
Count sum_from_to(Count first, Count last) { return (last * (last - 1) - first * (first - 1)) / 2; }

}  // namespace

NodeTimetable::NodeTimetable(std::vector<Count> sizes, OwnNode own_node, one_factor::Form form)
    : sizes_(std::move(sizes)), own_node_(own_node), form_(form), position_starts_(sizes_.size()) {
  std::vector<Count> all(sizes_.size());
  std::iota(all.begin(), all.end(), Count{0});
  std::vector<Count> largest = all;
  const Count most = *std::max_element(sizes_.begin(), sizes_.end());
  std::erase_if(largest, [&](Count node) { return size(node) < most; });

  for (Count done = 0, next_step = 0; done < most;) {
    NodePhase phase;
    phase.done = done;
    phase.active = phases_.empty() ? std::move(all) : phases_.back().active;
    std::erase_if(phase.active, [&](Count node) { return size(node) <= done; });
    phase.current =
        size(*std::min_element(phase.active.begin(), phase.active.end(), [&](Count U, Count V) { return size(U) < size(V); }));
    const auto k = static_cast<Count>(phase.active.size());
    phase.rounds = own_node == OwnNode::apart ? one_factor::factors_with_pairs(k) : k;
    phase.first_step = next_step;
    phase.round_steps = (phase.current - done) * most;
    find_short_round(phase, largest);
    next_step = phase.end_step();
    done = phase.current;
    phase_of_index_.resize(static_cast<std::size_t>(done), phases_.size());
    phases_.push_back(std::move(phase));
  }

  std::size_t total = 0;
  for (std::size_t node = 0; node < sizes_.size(); ++node) {
    position_starts_[node] = total;
    total += phase_of_index_[static_cast<std::size_t>(sizes_[node]) - 1] + 1;
  }
  positions_.resize(total);
  for (std::size_t t = 0; t < phases_.size(); ++t)
    for (std::size_t x = 0; x < phases_[t].active.size(); ++x)
      positions_[position_starts_[static_cast<std::size_t>(phases_[t].active[x])] + t] = static_cast<Count>(x);
}

// How long a pair, or a node with itself, takes in the rounds of a phase.
Count NodeTimetable::pair_steps(const NodePhase& phase, Count U, Count V) const {
  const Count going = phase.current - phase.done;
  if (U != V || own_node_ == OwnNode::sends) return going * std::max(size(U), size(V));
  if (own_node_ == OwnNode::exchanges) return going * size(U) - sum_from_to(phase.done, phase.current);
  return 0;
}

// A round lasts as long as its longest pair: as one of a largest node with another, unless each largest node meets itself.
// That happens in one round at most, since each node meets itself once.
void NodeTimetable::find_short_round(NodePhase& phase, const std::vector<Count>& largest) const {
  const auto k = static_cast<Count>(phase.active.size());
  const auto own_round = [&](Count node) {
    const Count x = std::lower_bound(phase.active.begin(), phase.active.end(), node) - phase.active.begin();
    return one_factor::factor_of(form_, k, x, x);
  };
  const Count round = own_round(largest.front());
  if (round >= phase.rounds) return;
  for (const Count node : largest)
    if (own_round(node) != round) return;
  phase.short_round = round;
  for (Count x = 0; x < k; ++x) {
    const Count U = phase.active[static_cast<std::size_t>(x)];
    const Count V = phase.active[static_cast<std::size_t>(one_factor::partner(form_, k, round, x))];
    phase.short_steps = std::max(phase.short_steps, pair_steps(phase, U, V));
  }
}

Count NodeTimetable::step(Count U, Count a, Count V, Count b) const {
  assert(U != V || own_node_ != OwnNode::apart);
  // Before the ordered pair: the node whose processors go, and the one whose processors they go to.
  const bool in_order = U == V ? own_node_ == OwnNode::sends || a <= b : std::pair(size(U), U) < std::pair(size(V), V);
  if (!in_order) {
    std::swap(U, V);
    std::swap(a, b);
  }
  const std::size_t t = phase_of_index_[static_cast<std::size_t>(a)];
  const NodePhase& phase = phases_[t];
  const auto k = static_cast<Count>(phase.active.size());
  const Count start = phase.round_start(one_factor::factor_of(form_, k, position(U, t), position(V, t)));
  if (U == V && own_node_ == OwnNode::exchanges)  // each goes to itself and those after it
    return start + (a - phase.done) * size(U) - sum_from_to(phase.done, a) + b - a;
  return start + (a - phase.done) * size(V) + b;
}

}  // namespace quadrille
