// SPDX-License-Identifier: BSD-3-Clause
// The shared memory in which the ranks of one node prepare what goes between their node and others: each rank's totals, and the
// packed messages.
//
// Reuse. Memory of one exchange is used again in later ones. A rank shows its totals of an exchange only after it has completed the
// exchange before, and every rank waits until all ranks show theirs. So a rank that sees the totals of all ranks for exchange n
// knows that all ranks have completed exchange n - 1. They have read the totals of n - 1, and nobody uses its packed messages any
// more. A rank may show its totals of exchange n + 1 while others still read those of n, so there are two places, which are used in
// turn.
#pragma once

#include <atomic>
#include <optional>
#include <span>

#include "execute/nodes/packing.hpp"
#include "execute/shared/protocol/closing.hpp"
#include "execute/shared/protocol/flag.hpp"
#include "execute/shared/wait/space.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

class NodeBoard {
 public:
  // `message_bytes`: room for one packed message.
  NodeBoard(SharedSpace& space, Count nodes, Bytes message_bytes);

  Bytes control_bytes() const;
  void begin_at(Offset control);  // of so many bytes in rank 0's control memory
  void close();                   // this rank uses the board no more

  // One rank's part of what goes to another node and comes from it.
  struct Row {
    EdgeTotals out, in;
  };
  std::span<Row> own_rows(std::uint64_t exchange) const { return rows_of(space_.rank(), exchange); }  // by node
  std::span<const Row> rows(Rank place, std::uint64_t exchange) const { return rows_of(place, exchange); }
  void show_rows(std::uint64_t exchange) { shown_[space_.rank()].publish(exchange); }
  bool all_show_rows(std::uint64_t exchange);

  // A packed message to another node: all its senders write into it, then its leader sends it.
  std::byte* outgoing(Count node) const { return messages_ + node * 2 * message_bytes_; }
  void note_packed(std::uint64_t exchange) { packed_[space_.rank()].publish(exchange); }
  bool has_packed(Rank place, std::uint64_t exchange) const { return packed_[place].published() >= exchange; }

  // A packed message from another node: its leader receives it, then all its receivers read it.
  std::byte* incoming(Count node) const { return outgoing(node) + message_bytes_; }
  void note_arrival(Count node, std::uint64_t exchange, Bytes bytes) {
    arrivals_[node].bytes = bytes;
    arrivals_[node].publish(exchange);
  }
  std::optional<Bytes> arrived(Count node, std::uint64_t exchange) const {
    return arrivals_[node].published() >= exchange ? std::optional(arrivals_[node].bytes) : std::nullopt;
  }

  // What a rank misses after a long wait; 0: nothing yet. Others only compare the numbers, so no order is needed.
  void note_missing(std::uint64_t what) { missing_[space_.rank()].store(what, std::memory_order_relaxed); }
  std::uint64_t missing(Rank place) const { return missing_[place].load(std::memory_order_relaxed); }

 private:
  struct alignas(64) OneFlag : Flag {};
  struct alignas(64) Missing : std::atomic<std::uint64_t> {};
  struct alignas(64) MessageArrival : Flag {
    Bytes bytes = 0;
  };
  std::span<Row> rows_of(Rank place, std::uint64_t exchange) const {
    const Count turn = static_cast<Count>(exchange % 2);
    return {rows_ + (turn * space_.size() + place) * nodes_, index(nodes_)};
  }

  SharedSpace& space_;
  const Count nodes_;
  const Bytes message_bytes_;
  Offset control_ = 0;
  Closing* closing_ = nullptr;
  OneFlag *shown_ = nullptr, *packed_ = nullptr;  // by place
  Missing* missing_ = nullptr;                    // by place
  MessageArrival* arrivals_ = nullptr;            // by node
  Row* rows_ = nullptr;                           // by exchange modulo 2, place and node
  std::byte* messages_ = nullptr;                 // by node: one to it and one from it
  Rank first_unseen_ = 0;                         // ranks before it are known to show their rows of exchange `seen_`
  std::uint64_t seen_ = 0;
};

}  // namespace quadrille
