// SPDX-License-Identifier: BSD-3-Clause
#include "plan/calls/known_counts.hpp"

#include <cstring>

#include "plan/calls/buffer_side.hpp"

namespace quadrille {

const Problem& KnownCounts::problem(const IrregularBlocks& blocks) {
  if (!counts_ || counts_.use_count() > 2) counts_ = std::make_shared<std::vector<Bytes>>();  // a kept plan has the last ones
  counts_->clear();
  for (Rank rank = 0; rank < blocks.ranks(); ++rank) counts_->push_back(blocks.bytes(blocks.blocks().counts[index(rank)]));
  const CallArguments& call = blocks.arguments();
  problem_.collective = call.collective;
  problem_.ranks = blocks.ranks();
  problem_.counts = counts_;
  problem_.element_bytes = call.operation ? call.operation->element_bytes : Problem{}.element_bytes;
  problem_.commutative = call.operation ? call.operation->commutative : Problem{}.commutative;
  return problem_;
}

bool PackedOutput::is_superfluous(const IrregularBlocks& blocks) {
  if (!blocks.received().displacements) return true;
  bool is_packed = true;
  Count before = 0;
  blocks.visit_received([&](Rank, Count first, Count count) {
    if (count > 0 && first != before) is_packed = false;
    before += count;
  });
  return is_packed;
}

void PackedOutput::begin(const IrregularBlocks& blocks, std::string_view function) {
  const CallArguments& call = blocks.arguments();
  InputSide input = input_side(call);
  OutputSide output = output_side(call);
  if (!call.in_place) input.use(0, call.input_elements);
  Bytes total = 0, own = 0;
  blocks_.clear();
  blocks.visit_received([&](Rank from, Count first, Count count) {
    if (from == blocks.rank()) own = total;
    if (count > 0) {
      output.use(first, count);
      blocks_.push_back({from, output.place(first), output.bytes(count)});
    }
    total += output.bytes(count);
  });
  input.check_apart(output, function);
  refuse_overlap(blocks_, order_);
  if (memory_.size() < index(total)) memory_.resize(index(total));
  if (!call.in_place) return;
  for (const auto& [from, place, bytes] : blocks_)
    if (from == blocks.rank()) std::memcpy(memory_.data() + own, place, index(bytes));
}

void PackedOutput::unpack() const noexcept {
  const std::byte* block = memory_.data();
  for (const auto& [from, place, bytes] : blocks_) {
    std::memcpy(place, block, index(bytes));
    block += bytes;
  }
}

}  // namespace quadrille
