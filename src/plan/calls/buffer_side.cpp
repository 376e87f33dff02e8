// SPDX-License-Identifier: BSD-3-Clause
#include "plan/calls/buffer_side.hpp"

#include "quadrille/error.hpp"

namespace quadrille {
namespace {

bool overlaps_or_precedes(const Edges::Receive& one, const Edges::Receive& next) { return next.memory < one.memory + one.bytes; }

bool are_in_order(std::span<const Edges::Receive> blocks) {
  return std::adjacent_find(blocks.begin(), blocks.end(), overlaps_or_precedes) == blocks.end();
}

}  // namespace

// Blocks usually lie in the order of ranks.
void refuse_overlap(std::span<const Edges::Receive> blocks, std::vector<Edges::Receive>& order) {
  if (are_in_order(blocks)) return;
  order.assign(blocks.begin(), blocks.end());
  std::sort(order.begin(), order.end(), [](const auto& one, const auto& other) { return one.memory < other.memory; });
  if (!are_in_order(order)) throw Error(ErrorCode::misuse, "pieces of the output overlap");
}

void refuse_overlap(std::span<const Edges::Send> sent, std::span<const Edges::Receive> received,
                    std::vector<Edges::Receive>& order) {
  refuse_overlap(received, order);
  const std::span<const Edges::Receive> sorted = are_in_order(received) ? received : order;
  for (const auto& [to, memory, bytes] : sent) {
    const auto next = std::partition_point(sorted.begin(), sorted.end(),
                                           [&](const Edges::Receive& each) { return each.memory + each.bytes <= memory; });
    if (next != sorted.end() && next->memory < memory + bytes)
      throw Error(ErrorCode::misuse, "a piece of the input overlaps one of the output");
  }
}

}  // namespace quadrille
