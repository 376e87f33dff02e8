// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/folding.hpp"

namespace quadrille {

void TreeFold::add(const Region& operand) {
  partials_.push_back({operand, 1});
  while (partials_.size() > 1 && partials_.back().operands == partials_[partials_.size() - 2].operands) combine_last_two();
}

void TreeFold::finish() {
  while (partials_.size() > 1) combine_last_two();
  const Region& result = partials_.front().place;
  if (result.buffer != Buffer::output) program_.copy({result}, {{Buffer::output, 0, result.length, {}}});
  partials_.clear();
}

void TreeFold::combine_last_two() {
  const Partial upper = partials_.back();
  partials_.pop_back();
  Partial& lower = partials_.back();
  const bool upward = lower.place.buffer == Buffer::input || upper.place.buffer == Buffer::output;
  const Region source = upward ? lower.place : upper.place, target = upward ? upper.place : lower.place;
  program_.reduce({source}, {target}, upward ? OperandOrder::source_first : OperandOrder::target_first);
  if (source.buffer == Buffer::scratch && spent_) spent_(source);
  lower = {target, lower.operands + upper.operands};
}

std::optional<Symmetry> translation_of_any_order(const Problem& problem, const Parameters&) {
  if (required_combining(problem) != Combining::any_order) return std::nullopt;
  return translation_symmetry(problem.ranks);
}

}  // namespace quadrille
