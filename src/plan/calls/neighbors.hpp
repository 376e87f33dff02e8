// SPDX-License-Identifier: BSD-3-Clause
// What one rank sends and receives in a neighbourhood collective or an alltoallw, as edges of an exchange. The lists and the memory
// behind them are kept from call to call, so that a call allocates nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "execute/executions/exchanger.hpp"
#include "plan/plan.hpp"
#include "quadrille/edges.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/neighborhood.hpp"

namespace quadrille {

// All blocks that a rank sends, or all that it receives. They may have gaps. A block of one part is sent from its place, or
// received there. A block of several parts is packed in memory that is kept from call to call. `Edge` is Edges::Send or
// Edges::Receive.
template <class Edge>
class LaidOutBlocks {
  using Byte = std::remove_pointer_t<decltype(Edge::memory)>;

 public:
  void clear() {
    used_ = {0, 0};
    parts_.clear();
    blocks_.clear();
  }
  // Forgets all blocks. The blocks that are added next lie in this buffer.
  template <class Memory>
  void begin(Memory* buffer) {
    clear();
    buffer_ = static_cast<Byte*>(buffer);
  }

  void add_block(Rank peer) { blocks_.push_back({peer, parts_.size(), 0, nullptr}); }

  // Appends bytes of the buffer to the last block. Neither the offsets nor the bytes of the block may reach 2^63.
  void add_bytes(Bytes offset, Bytes length) {
    if (length == 0) return;
    Block& block = blocks_.back();
    used_ = used_.first == used_.second ? UsedPart{offset, offset + length}
                                        : UsedPart{std::min(used_.first, offset), std::max(used_.second, offset + length)};
    Byte* const memory = place(offset);
    if (block.first_part < parts_.size() && parts_.back().memory + parts_.back().bytes == memory)
      parts_.back().bytes += length;
    else
      parts_.push_back({block.peer, memory, length});
    block.bytes += length;
  }

  Bytes bytes_of_last() const { return blocks_.back().bytes; }

  // Call it after the last block: decides where each block lies during the exchange. `packs_all`: blocks of one part are packed,
  // too.
  void place_blocks(bool packs_all = false) {
    packs_all_ = packs_all;
    Bytes packed = 0;
    for (std::size_t i = 0; i < blocks_.size(); ++i)
      if (is_packed(i)) packed += blocks_[i].bytes;
    if (memory_.size() < index(packed)) memory_.resize(index(packed));
    std::byte* next = memory_.data();
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      Block& block = blocks_[i];
      if (is_packed(i)) {
        block.memory = next;
        next += block.bytes;
      } else if (block.bytes > 0) {
        block.memory = parts_[block.first_part].memory;
      }
    }
  }

  void pack() {
    visit_packed([](std::byte* packed, Byte* memory, std::size_t bytes) { std::memcpy(packed, memory, bytes); });
  }
  void unpack() noexcept {
    visit_packed([](std::byte* packed, Byte* memory, std::size_t bytes) { std::memcpy(memory, packed, bytes); });
  }

  std::size_t size() const { return blocks_.size(); }
  Edge edge(std::size_t block) const { return {blocks_[block].peer, blocks_[block].memory, blocks_[block].bytes}; }
  std::span<const Edge> parts() const { return parts_; }  // in the user's memory
  void check_given(const char* what) const { quadrille::check_given(buffer_, used_, what); }

 private:
  struct Block {
    Rank peer;
    std::size_t first_part;  // its parts end where those of the next block begin
    Bytes bytes;
    Byte* memory;
  };

  // The buffer may be null; the offsets are then absolute addresses.
  Byte* place(Bytes offset) const {
    return reinterpret_cast<Byte*>(reinterpret_cast<std::uintptr_t>(buffer_) + static_cast<std::uintptr_t>(offset));
  }

  std::size_t parts_end(std::size_t block) const {
    return block + 1 < blocks_.size() ? blocks_[block + 1].first_part : parts_.size();
  }
  bool is_packed(std::size_t block) const { return parts_end(block) - blocks_[block].first_part > (packs_all_ ? 0u : 1u); }

  template <class Visit>
  void visit_packed(Visit&& visit) {
    std::byte* packed = memory_.data();
    for (std::size_t i = 0; i < blocks_.size(); ++i)
      for (std::size_t part = blocks_[i].first_part; is_packed(i) && part < parts_end(i); ++part) {
        visit(packed, parts_[part].memory, index(parts_[part].bytes));
        packed += parts_[part].bytes;
      }
  }

  Byte* buffer_ = nullptr;
  UsedPart used_{0, 0};
  std::vector<Edge> parts_;
  std::vector<Block> blocks_;
  std::vector<std::byte> memory_;  // of packed blocks, one after the other
  bool packs_all_ = false;
};

// The name of a neighbourhood collective.
std::string_view neighbor_function(Collective collective);

// A call with layouts. In place, `send` is not used, and `output` is the buffer.
struct LayoutCall {
  std::string_view function;
  const Neighbors* neighbors;  // null: each rank is both a source and a destination
  bool in_place = false;
  const void* input = nullptr;
  std::span<const Layout> send{};
  void* output = nullptr;
  std::span<const Layout> receive{};
};

class NeighborEdges {
 public:
  // Check the call's arguments, list its edges, and pack the sent blocks that have gaps. Local. Throw Error{misuse} or
  // Error{too_large}.
  void list(const IrregularCall& call, const Neighbors& neighbors, Count ranks);
  void list(const LayoutCall& call, Rank me, Count ranks, bool refuses_overlaps);

  const Edges& edges() const { return edges_; }

  // Call it when the exchange is complete.
  void unpack() noexcept { received_.unpack(); }

 private:
  const Neighbors& all(Count ranks);
  void list_edges(const Neighbors& neighbors);

  LaidOutBlocks<Edges::Send> sent_;
  LaidOutBlocks<Edges::Receive> received_;
  EdgeLists lists_;
  Edges edges_;                                              // of the lists
  std::vector<Edges::Receive> by_source_;                    // of a call with counts
  std::vector<Edges::Receive> order_;                        // for refuse_overlap
  std::vector<Count> send_counts_, receive_counts_, zeros_;  // of calls without counts
  std::optional<Neighbors> all_;                             // all ranks
};

}  // namespace quadrille
