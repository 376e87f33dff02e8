// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/node_timetable.hpp"

#include <algorithm>
#include <numeric>

#include "foundation/assert.hpp"
#include "patterns/integers.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

// The sum of first, first + 1, .. last - 1.
Count sum_from_to(Count first, Count last) { return (last * (last - 1) - first * (first - 1)) / 2; }

bool are_equal(const std::vector<Count>& sizes) {
  return std::all_of(sizes.begin(), sizes.end(), [&](Count size) { return size == sizes.front(); });
}

// The least number, over all turns, of disjoint pairs of processors `turn` places apart that fit on a ring of n processors. Steps
// of length `turn` divide the ring into cycles. In a cycle of c processors, floor(c / 2) pairs fit.
Count disjoint_pairs(Count n) {
  Count fewest = n;  // for turn 0 each processor forms a pair with itself
  for (Count turn = 1; turn < n; ++turn) {
    const Count cycles = std::gcd(n, turn);
    fewest = std::min(fewest, cycles * (n / cycles / 2));
  }
  return fewest;
}

}  // namespace

NodeTimetable::NodeTimetable(std::vector<Count> sizes, OwnNode own_node, Decomposition decomposition)
    : sizes_(std::move(sizes)), own_node_(own_node), decomposition_(decomposition), position_starts_(sizes_.size()) {
  QUADRILLE_ASSERT(decomposition.degree == 1 || own_node == OwnNode::apart);
  std::vector<Count> all(sizes_.size());
  std::iota(all.begin(), all.end(), Count{0});
  std::vector<Count> largest = all;
  const Count most = *std::max_element(sizes_.begin(), sizes_.end());
  std::erase_if(largest, [&](Count node) { return size(node) < most; });
  has_disjoint_pairs_ = decomposition.into == Decomposition::Into::matchings && decomposition.degree > 1 && are_equal(sizes_) &&
                        decomposition.degree <= disjoint_pairs(most);

  for (Count done = 0, next_step = 0; done < most;) {
    NodePhase phase;
    phase.done = done;
    phase.active = phases_.empty() ? std::move(all) : phases_.back().active;
    std::erase_if(phase.active, [&](Count node) { return size(node) <= done; });
    phase.current =
        size(*std::min_element(phase.active.begin(), phase.active.end(), [&](Count U, Count V) { return size(U) < size(V); }));
    const auto k = std::ssize(phase.active);
    phase.factors = own_node == OwnNode::apart ? decomposition.factors_with_pairs(k) : k;
    phase.rounds = ceil_divide(phase.factors, decomposition.degree);
    phase.first_step = next_step;
    phase.round_steps = (phase.current - done) * most;
    find_short_round(phase, largest);
    next_step = phase.end_step();
    done = phase.current;
    phase_of_index_.resize(index(done), phases_.size());
    phases_.push_back(std::move(phase));
  }

  std::size_t total = 0;
  for (std::size_t node = 0; node < sizes_.size(); ++node) {
    position_starts_[node] = total;
    total += phase_of_index_[index(sizes_[node]) - 1] + 1;
  }
  positions_.resize(total);
  for (std::size_t t = 0; t < phases_.size(); ++t)
    for (std::size_t x = 0; x < phases_[t].active.size(); ++x)
      positions_[position_starts_[index(phases_[t].active[x])] + t] = static_cast<Count>(x);
}

// The number of steps that a pair of nodes (or a node with itself, U == V) takes in the rounds of a phase.
Count NodeTimetable::pair_steps(const NodePhase& phase, Count U, Count V) const {
  const Count going = phase.current - phase.done;
  if (U != V || own_node_ == OwnNode::sends) return going * std::max(size(U), size(V));
  if (own_node_ == OwnNode::exchanges) return going * size(U) - sum_from_to(phase.done, phase.current);
  return 0;
}

// A round of a phase has as many steps as the meeting of two largest nodes. One round may be shorter: the round in which each
// largest node meets itself. There is at most one such round, because each node meets itself in one factor only.
void NodeTimetable::find_short_round(NodePhase& phase, const std::vector<Count>& largest) const {
  const auto k = std::ssize(phase.active);
  const auto own_factor = [&](Count node) {
    const Count x = std::lower_bound(phase.active.begin(), phase.active.end(), node) - phase.active.begin();
    return decomposition_.factor_of(k, x, x);
  };
  const Count factor = own_factor(largest.front());
  if (factor >= phase.factors) return;
  for (const Count node : largest)
    if (own_factor(node) != factor) return;
  const Count round = factor / decomposition_.degree;
  const Count first = round * decomposition_.degree, end = std::min(first + decomposition_.degree, phase.factors);
  if (end - first > 1) return;
  phase.short_round = round;
  for (Count x = 0; x < k; ++x) {
    const Count U = phase.active[index(x)];
    const Count V = phase.active[index(decomposition_.receiver(k, factor, x))];
    phase.short_steps = std::max(phase.short_steps, pair_steps(phase, U, V));
  }
}

Count NodeTimetable::own_step(Count U, Count a, Count b) const {
  if (own_node_ == OwnNode::exchanges && a > b) std::swap(a, b);
  const std::size_t t = phase_of_index_[index(a)];
  const NodePhase& phase = phases_[t];
  const Count x = position(U, t);
  const Count start = phase.round_start(decomposition_.factor_of(std::ssize(phase.active), x, x));
  if (own_node_ == OwnNode::exchanges)  // processor a meets itself and the processors with higher indices
    return start + (a - phase.done) * size(U) - sum_from_to(phase.done, a) + b - a;
  return start + (a - phase.done) * size(U) + b;
}

// Returns the processor of the larger node that takes part in the first step of a turn. `index` is the number of the pair's
// factor within its round. In each step both nodes move on by one place, so two factors that start at different places never use
// the same processor of a node. On nodes of equal size the partners, which are `turn` places further on, must also differ. The
// places are chosen to satisfy this.
Count NodeTimetable::first_met(Count turn, Count index, Count large) const {
  if (!has_disjoint_pairs_) return index;
  const Count cycles = std::gcd(large, turn);
  return index % cycles + 2 * (index / cycles) * turn;
}

Count NodeTimetable::step(Count U, Count a, Count V, Count b) const {
  QUADRILLE_ASSERT(U != V || own_node_ != OwnNode::apart);
  if (U == V) return own_step(U, a, b);
  // The processors of the smaller node take turns, and `goes` is on this node. If both nodes have the same size, `goes` is on the
  // first node (matchings) or on the sending node (permutations).
  const bool by_matchings = decomposition_.into == Decomposition::Into::matchings;
  const bool sender_goes = size(U) != size(V) ? size(U) < size(V) : !by_matchings || U < V;
  const Count small = std::min(size(U), size(V)), large = std::max(size(U), size(V));
  const Count goes = sender_goes ? a : b, met = sender_goes ? b : a;
  const bool one_at_a_time = decomposition_.degree == 1;
  const Count turn = one_at_a_time ? goes : modulo(goes - met, small);
  const std::size_t t = phase_of_index_[index(turn)];
  const NodePhase& phase = phases_[t];
  const Count factor = decomposition_.factor_of(std::ssize(phase.active), position(U, t), position(V, t));
  const Count round = factor / decomposition_.degree, start = phase.round_start(round);
  if (one_at_a_time) return start + (turn - phase.done) * large + met;
  // All pairs of a round begin a turn in the same step, so a processor never has messages of two turns in one step.
  const Count turn_steps = (round == phase.short_round ? phase.short_steps : phase.round_steps) / (phase.current - phase.done);
  return start + (turn - phase.done) * turn_steps + modulo(met - first_met(turn, factor % decomposition_.degree, large), large);
}

Count NodeTimetable::processor_ports(const std::vector<Count>& sizes, const Decomposition& decomposition) {
  const Count degree = decomposition.degree, n = sizes.front();
  if (degree == 1) return 1;
  if (!are_equal(sizes)) return degree;
  if (decomposition.into == Decomposition::Into::permutations) return ceil_divide(degree, n);
  return degree <= disjoint_pairs(n) ? 1 : std::min(degree, 2 * ceil_divide(degree, n));
}

}  // namespace quadrille
