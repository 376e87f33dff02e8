// SPDX-License-Identifier: BSD-3-Clause
#include "plan/calls/irregular_blocks.hpp"

#include <cstring>

#include "plan/calls/call_checks.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {

void IrregularBlocks::refuse_length(Count elements) {
  throw Error(ErrorCode::too_large, fmt::format("{} elements reach 2^63 bytes", elements));
}

Bytes IrregularBlocks::own_share() const {
  if (arguments().in_place) return bytes(is_root() ? blocks().counts[index(me_)] : arguments().output_elements);
  return bytes(is_scatter() ? arguments().output_elements : arguments().input_elements);
}

void IrregularBlocks::check_all() const {
  check_operation();
  const auto checked = [](Rank, Count, Count) {};
  if (has_pairs()) {
    if (!replaces()) visit_sent(checked);
    return visit_received(checked);
  }
  if (is_rooted() && !is_root()) return;
  is_scatter() ? visit_sent(checked) : visit_received(checked);
  if (arguments().in_place || is_rooted()) return;
  if (is_scatter())
    check_own("output", arguments().output_elements);
  else
    check_own("input", arguments().input_elements);
}

void IrregularBlocks::check_own(std::string_view buffer, Count elements) const {
  const Count own = blocks().counts[index(me_)];
  if (call_.has_buffers && elements != own)
    throw Error(ErrorCode::misuse, fmt::format("{}'s {} has {} elements, and counts[{}], of this rank, is {}",
                                               name(arguments().collective), buffer, elements, me_, own));
}

void IrregularBlocks::compare_share(Rank rank, Bytes share) const {
  if (const Bytes expected = bytes(blocks().counts[index(rank)]); expected != share)
    throw Error(ErrorCode::misuse,
                fmt::format("{}'s counts[{}] is {} B at the root and rank {} {} {} B; they must be equal",
                            name(arguments().collective), rank, expected, rank, is_scatter() ? "has room for" : "gives", share));
}

void IrregularEdges::list(const IrregularBlocks& blocks, std::string_view function) {
  lists_.clear();
  blocks.check_operation();
  if (blocks.has_pairs()) {
    blocks.arguments().in_place ? list_pairs_in_place(blocks) : list_pairs(blocks, function);
    lists_.begin_after(blocks.rank());
  } else if (!blocks.is_root()) {
    list_share(blocks);
  } else {
    blocks.is_scatter() ? list_all<false>(blocks, function) : list_all<true>(blocks, function);
  }
  edges_ = lists_.edges(blocks.has_pairs());
}

void IrregularEdges::list_pairs(const IrregularBlocks& blocks, std::string_view function) {
  InputSide input = input_side(blocks.arguments());
  OutputSide output = output_side(blocks.arguments());
  const Rank me = blocks.rank();
  Bytes to_itself = 0, from_itself = 0;
  blocks.visit_sent([&](Rank to, Count first, Count count) {
    if (count == 0) return;
    input.use(first, count);
    lists_.send(to, input.place(first), input.bytes(count));
    if (to == me) to_itself = input.bytes(count);
  });
  blocks.visit_received([&](Rank from, Count first, Count count) {
    if (count == 0) return;
    output.use(first, count);
    lists_.receive(from, output.place(first), output.bytes(count));
    if (from == me) from_itself = output.bytes(count);
  });
  check_own_share(me, to_itself, from_itself);
  input.check_apart(output, function);
  if (!output.rises()) refuse_overlap(lists_.edges().receives, order_);
}

// Each received block replaces the block that is sent to the same rank, so blocks are sent from a copy. This rank's own block
// stays.
void IrregularEdges::list_pairs_in_place(const IrregularBlocks& blocks) {
  if (!blocks.replaces())
    throw Error(
        ErrorCode::misuse,
        "in place, an alltoallv has no blocks to send: the block from a rank replaces the block to it; plan_alltoallv takes "
        "both lists");
  OutputSide buffer = output_side(blocks.arguments());
  Bytes total = 0;
  blocks.visit_received([&](Rank from, Count first, Count count) {
    if (count == 0) return;
    buffer.use(first, count);
    lists_.receive(from, buffer.place(first), buffer.bytes(count));
    if (from != blocks.rank()) total += buffer.bytes(count);
  });
  buffer.check_given("input");
  if (!buffer.rises()) refuse_overlap(lists_.edges().receives, order_);
  if (sent_.size() < index(total)) sent_.resize(index(total));
  std::byte* copy = sent_.data();
  for (const auto& [rank, memory, bytes] : lists_.edges().receives) {
    if (rank == blocks.rank()) {
      lists_.send(rank, memory, bytes);
      continue;
    }
    std::memcpy(copy, memory, index(bytes));
    lists_.send(rank, copy, bytes);
    copy += bytes;
  }
}

// In a gatherv or scatterv, a rank that is not the root sends or receives one block.
void IrregularEdges::list_share(const IrregularBlocks& blocks) {
  const CallArguments& call = blocks.arguments();
  const Bytes bytes = blocks.own_share();
  if (blocks.is_scatter()) {
    check_given(call.output, {0, bytes}, "output");
    lists_.receive(call.root, static_cast<std::byte*>(call.output), bytes);
  } else {
    const void* const share = call.in_place ? call.output : call.input;
    check_given(share, {0, bytes}, "input");
    lists_.send(call.root, static_cast<const std::byte*>(share), bytes);
  }
}

// The root has the blocks of all ranks. In place, the root's own block is already at its place, so sending it moves nothing.
template <bool gathers>
void IrregularEdges::list_all(const IrregularBlocks& blocks, std::string_view function) {
  const CallArguments& call = blocks.arguments();
  const Rank me = blocks.rank();
  InputSide input = input_side(call);
  OutputSide output = output_side(call);
  Count own_first = 0, own_count = 0;
  const auto list_block = [&](Rank peer, Count first, Count count) {
    if (count == 0) return;
    if constexpr (gathers)
      output.use(first, count);
    else
      input.use(first, count);
    if (peer == me)
      own_first = first, own_count = count;
    else if constexpr (gathers)
      lists_.receive(peer, output.place(first), output.bytes(count));
    else
      lists_.send(peer, input.place(first), input.bytes(count));
  };
  if constexpr (gathers)
    blocks.visit_received(list_block);
  else
    blocks.visit_sent(list_block);
  lists_.begin_after(me);
  const Count share = call.in_place ? own_count : gathers ? call.input_elements : call.output_elements;
  if (share != own_count) blocks.compare_share(me, blocks.own_share());
  if (!call.in_place) gathers ? input.use(0, share) : output.use(0, share);
  lists_.send(me, input.place(gathers && !call.in_place ? 0 : own_first), input.bytes(share));
  lists_.receive(me, output.place(gathers || call.in_place ? own_first : 0), output.bytes(share));
  input.check_apart(output, function);
  if (!output.rises()) refuse_overlap(lists_.edges().receives, order_);
}

const Problem& KnownCounts::problem(const IrregularBlocks& blocks) {
  if (!counts_ || counts_.use_count() > 2) counts_ = std::make_shared<std::vector<Bytes>>();  // a kept plan has the old ones
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
