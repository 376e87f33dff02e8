// SPDX-License-Identifier: BSD-3-Clause
#include "plan/calls/call_checks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "foundation/text/wording.hpp"
#include "problem/collective_facts.hpp"
#include "quadrille/checked.hpp"
#include "quadrille/error.hpp"

namespace quadrille {
namespace {

bool overlaps_or_precedes(const Edges::Receive& one, const Edges::Receive& next) { return next.memory < one.memory + one.bytes; }

bool are_in_order(std::span<const Edges::Receive> blocks) {
  return std::adjacent_find(blocks.begin(), blocks.end(), overlaps_or_precedes) == blocks.end();
}

// Returns the number of blocks in a buffer, or 0 if the buffer need not be checked.
Count blocks_of(Holding holding, Count ranks) {
  switch (holding) {
    case Holding::nothing: return 0;
    case Holding::one: return 1;
    case Holding::all: return ranks;
  }
  return 0;
}

Count blocks_of(const BufferContents& contents, bool is_root, Count ranks) {
  return contents.holder == Holder::root && !is_root ? 0 : blocks_of(contents.holding, ranks);
}

// A buffer in place has room for the larger side.
Count blocks_in_place(const CollectiveFacts& facts, bool is_root, Count ranks) {
  return std::max(blocks_of(facts.input, is_root, ranks), blocks_of(facts.output, is_root, ranks));
}

[[noreturn]] void throw_no_multiple(const CallArguments& arguments, std::string_view buffer, Count elements, Count ranks) {
  throw Error(ErrorCode::misuse,
              fmt::format("{}'s {} has {}, which is not a multiple of the {}; it must have one block for each rank",
                          name(arguments.collective), buffer, counted(elements, "element"), counted(ranks, "rank")));
}

[[noreturn]] void throw_different(const CallArguments& arguments, Count input_blocks, Count output_blocks, Count ranks) {
  const std::string sizes = fmt::format("{}'s input has {} and its output {}", name(arguments.collective),
                                        counted(arguments.input_elements, "element"), arguments.output_elements);
  if (input_blocks == output_blocks) throw Error(ErrorCode::misuse, sizes + "; they must be equal");
  const auto [small, large, one, several] =
      input_blocks < output_blocks ? std::tuple{arguments.input_elements, arguments.output_elements, "input", "output"}
                                   : std::tuple{arguments.output_elements, arguments.input_elements, "output", "input"};
  throw Error(ErrorCode::misuse,
              fmt::format("{}; the {} must have {} times as many elements as the {}", sizes, several, ranks, one));
}

// Returns the number of elements in a block.
Count block_of(const CallArguments& arguments, std::string_view buffer, Count elements, Count blocks, Count ranks) {
  if (blocks <= 1) return blocks == 0 ? 0 : elements;
  if (elements % blocks != 0) throw_no_multiple(arguments, buffer, elements, ranks);
  return elements / blocks;
}

Count block_elements(const CallArguments& arguments, Rank me, Count ranks) {
  const CollectiveFacts& facts = facts_of(arguments.collective);
  const bool is_root = me == arguments.root;
  if (arguments.in_place)
    return block_of(arguments, "buffer", arguments.output_elements, blocks_in_place(facts, is_root, ranks), ranks);
  const Count input_blocks = blocks_of(facts.input, is_root, ranks);
  Count output_blocks = blocks_of(facts.output, is_root, ranks);
  // Rank 0 of an exscan gets nothing, so its output may be empty.
  if (facts.output.holder == Holder::all_but_first && me == 0 && arguments.output_elements == 0) output_blocks = 0;
  if (input_blocks == 0) return block_of(arguments, "output", arguments.output_elements, output_blocks, ranks);
  if (output_blocks == 0) return block_of(arguments, "input", arguments.input_elements, input_blocks, ranks);
  // If one side has fewer blocks than the other, it has exactly one, whose size is the block size. If both sides have equally
  // many blocks, they must have equally many elements.
  if (input_blocks == output_blocks) {
    if (arguments.input_elements != arguments.output_elements) throw_different(arguments, input_blocks, output_blocks, ranks);
    return block_of(arguments, "input", arguments.input_elements, input_blocks, ranks);
  }
  const bool input_is_one = input_blocks < output_blocks;
  const Count block = input_is_one ? arguments.input_elements : arguments.output_elements;
  Count needed = 0;
  if (__builtin_mul_overflow(block, ranks, &needed) ||
      needed != (input_is_one ? arguments.output_elements : arguments.input_elements))
    throw_different(arguments, input_blocks, output_blocks, ranks);
  return block;
}

}  // namespace

void CountedBlocks::refuse_lengths() const {
  const bool are_counts = size(blocks.counts) != length;
  throw Error(ErrorCode::misuse,
              fmt::format("{} has {} {}{}{} for {} {}", function, are_counts ? blocks.counts.size() : blocks.displacements->size(),
                          side, *side ? "_" : "", are_counts ? "counts" : "displacements", length, peers));
}

void CountedBlocks::refuse(Count block, Count first, Count count) const {
  const char* const dash = *side ? "_" : "";
  if (count < 0)
    throw Error(ErrorCode::misuse, fmt::format("{}{}counts[{}] is {}; counts are 0 or more", side, dash, block, count));
  if (!checked_sum(first, count)) throw Error(ErrorCode::too_large, fmt::format("the {}{}counts reach 2^63 elements", side, dash));
  if (first < 0)
    throw Error(ErrorCode::misuse,
                fmt::format("{}{}displacements[{}] is {}; displacements are 0 or more", side, dash, block, first));
  throw Error(ErrorCode::misuse, fmt::format("{}{}counts[{}] is {} from element {} on, and the {} has {} elements", side, dash,
                                             block, count, first, buffer, elements));
}

// Sorts only if needed: blocks usually lie in the order of ranks.
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

void refuse_root(Rank root, Count ranks) {
  throw Error(ErrorCode::misuse,
              fmt::format("the root is {}, but there are {}; it must be 0 to {}", root, counted(ranks, "rank"), ranks - 1));
}

void check_element_bytes(const CallOperator& operation, Bytes element_bytes) {
  if (operation.element_bytes == element_bytes) return;
  throw Error(ErrorCode::misuse, fmt::format("the call's elements have {} bytes, but those of {} have {}", element_bytes,
                                             operation.built_in ? std::string_view(operation.built_in->name) : operation.name,
                                             operation.element_bytes));
}

Bytes checked_block_bytes(const CallArguments& arguments, Rank me, Count ranks) {
  check_root(arguments.root, ranks);
  if (arguments.operation) check_element_bytes(*arguments.operation, arguments.element_bytes);
  const auto bytes = checked_product(block_elements(arguments, me, ranks), arguments.element_bytes);
  if (!bytes) throw Error(ErrorCode::too_large, "a block reaches 2^63 bytes");
  return *bytes;
}

}  // namespace quadrille
