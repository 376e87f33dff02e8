// SPDX-License-Identifier: BSD-3-Clause
#include "plan/calls/irregular_edges.hpp"

#include <cstring>

#include "plan/calls/buffer_side.hpp"
#include "problem/collective_facts.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {
void IrregularEdges::list(const IrregularBlocks& blocks, std::string_view function) {
  lists_.clear();
  blocks.check_operation();
  const CallArguments& call = blocks.arguments();
  if (has_pair_counts(call.collective))
    call.in_place ? list_pairs_in_place(blocks) : list_pairs(blocks, function);
  else
    list_rooted(blocks, function);
  lists_.begin_after(blocks.rank());
  edges_ = lists_.edges(has_pair_counts(call.collective));
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
  if (blocks.received().displacements) refuse_overlap(lists_.edges().receives, order_);
}

// Each block replaces the one that is sent to the same rank, so the blocks are sent from a copy. Only this rank's own stays.
void IrregularEdges::list_pairs_in_place(const IrregularBlocks& blocks) {
  OutputSide buffer = output_side(blocks.arguments());
  Bytes total = 0;
  blocks.visit_received([&](Rank from, Count first, Count count) {
    if (count == 0) return;
    buffer.use(first, count);
    lists_.receive(from, buffer.place(first), buffer.bytes(count));
    if (from != blocks.rank()) total += buffer.bytes(count);
  });
  buffer.check_given("input");
  if (blocks.received().displacements) refuse_overlap(lists_.edges().receives, order_);
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

// A gatherv, or a scatterv in the other direction: each rank has a block of its own, and the root has those of all. In place, the
// root's own block is sent to where it lies already, which moves nothing.
void IrregularEdges::list_rooted(const IrregularBlocks& blocks, std::string_view function) {
  const CallArguments& call = blocks.arguments();
  const bool gathers = !blocks.is_scatter();
  InputSide input = input_side(call);
  OutputSide output = output_side(call);
  const auto use = [&](bool is_input, Count first, Count count) { is_input ? input.use(first, count) : output.use(first, count); };
  const auto list = [&](bool is_send, Rank peer, Count first, Bytes bytes) {
    is_send ? lists_.send(peer, input.place(first), bytes) : lists_.receive(peer, output.place(first), bytes);
  };
  if (!blocks.is_root() || !call.in_place) use(gathers, 0, gathers && !call.in_place ? call.input_elements : call.output_elements);
  if (!blocks.is_root()) {
    gathers ? input.check_given("input") : output.check_given("output");
    return list(gathers, call.root, 0, blocks.own_share());
  }
  Count own = 0;
  const auto list_block = [&](Rank peer, Count first, Count count) {
    if (count == 0) return;
    use(!gathers, first, count);
    list(!gathers, peer, first, input.bytes(count));
    if (peer == call.root) own = first;
  };
  gathers ? blocks.visit_received(list_block) : blocks.visit_sent(list_block);
  blocks.compare_share(call.root, blocks.own_share());
  list(gathers, call.root, call.in_place ? own : 0, blocks.own_share());
  input.check_apart(output, function);
  if (blocks.received().displacements) refuse_overlap(lists_.edges().receives, order_);
}

}  // namespace quadrille
