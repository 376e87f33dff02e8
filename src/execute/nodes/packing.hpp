// SPDX-License-Identifier: BSD-3-Clause
// What a packed message looks like: several short edges from one node to another. patterns/packing_rule.hpp decides whether they
// are packed.
//
// A packed message has three parts. The table says, for each rank of the sending node in the order of their places, the number of
// its first entry, and then the number of all entries. There is one entry for each edge, with the receiver's place and the edge's
// first byte in the third part, which has the bytes of all edges. The entries of one sender are sorted by the places of the
// receivers; edges of one pair of ranks keep their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "patterns/packing_rule.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

// An edge that is packed.
struct PackedEdge {
  Rank receiver;  // its place on its node
  const std::byte* memory;
  Bytes bytes;
};

// The senders' part: writes one sender's entries and edges into a message. `before`: the totals of the senders with lower places.
// `edges` must be sorted by receiver. Ranks may write into the message at the same time.
void pack(std::byte* message, Count senders, const EdgeTotals& all, const EdgeTotals& before, std::span<const PackedEdge> edges);

// The same in two steps: a sender prepares its part while the totals are not known, and the leader adds it to the message later.
// `part_bytes` is the length of a part.
inline Bytes part_bytes(const EdgeTotals& own) { return static_cast<Bytes>(2 * sizeof(std::uint32_t)) * own.edges + own.bytes; }
void prepare_part(std::byte* part, std::span<const PackedEdge> edges);
void add_part(std::byte* message, Count senders, const EdgeTotals& all, const EdgeTotals& before, const std::byte* part,
              const EdgeTotals& own);

// The leader also writes the table. Call `add` for each sender with its number of edges, then `end`.
class TableWriter {
 public:
  explicit TableWriter(std::byte* message) : message_(message) {}
  void add(Count edges);
  void end() { add(0); }

 private:
  std::byte* const message_;
  Count senders_ = 0, edges_ = 0;
};

// Reads a packed message, and nothing outside of it even if a wrong program has sent it.
class PackedMessage {
 public:
  PackedMessage(const std::byte* message, Bytes bytes, Count senders);

  struct Range {
    Count first = 0, last = 0;
    Count count() const { return last - first; }
  };
  const EdgeTotals& totals() const { return all_; }
  EdgeTotals totals_to(Rank receiver) const;
  Range edges(Rank sender, Rank receiver) const;        // by their places
  std::span<const std::byte> edge(Count number) const;  // of such a range

 private:
  std::uint32_t number_at(Count position) const;  // the message is an array of numbers in front of the edges' bytes
  std::uint32_t receiver_of(Count edge) const { return number_at(senders_ + 1 + 2 * edge); }
  Bytes first_byte_of(Count edge) const { return number_at(senders_ + 2 + 2 * edge); }

  const std::byte* const message_;
  const Count senders_;
  EdgeTotals all_;
};

}  // namespace quadrille
