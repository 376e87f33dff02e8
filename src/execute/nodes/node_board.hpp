// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of one node prepare together for other nodes: packed messages, and the shared memory in which the ranks announce
// their short edges to each other and pack them.
//
// A packed message holds several short edges from one node to another; patterns/packing_rule.hpp decides whether they are packed.
// A packed message has three parts. The first part is a table. It has, for each rank of the sending node in the order of places,
// the number of the rank's first entry. At the end of the table is the number of all entries. The second part has an entry for
// each edge: the receiver's place, and where the edge begins in the third part. The third part has the bytes of all edges. The
// entries of one sender are sorted by the places of the receivers; edges of one pair of ranks keep their order.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "execute/shared/protocol/closing.hpp"
#include "execute/shared/protocol/flag.hpp"
#include "execute/shared/wait/space.hpp"
#include "patterns/packing_rule.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

struct PackedEdge {
  Rank receiver;  // the receiver's place on its node
  const std::byte* memory;
  Bytes bytes;
};

// The senders' part: writes one sender's entries and edges into a message. `before`: the totals of the senders with lower places.
// `edges` must be sorted by receiver. Ranks may write into the message at the same time.
void pack(std::byte* message, Count senders, const EdgeTotals& all, const EdgeTotals& before, std::span<const PackedEdge> edges);

// `pack` in two steps: a sender prepares its part before the totals are known; later the leader adds this part to the message.
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

// Reads a packed message. It never reads outside of the message, whatever bytes have arrived.
class PackedMessage {
 public:
  PackedMessage(const std::byte* message, Bytes bytes, Count senders);

  struct Range {
    Count first = 0, last = 0;
    Count count() const { return last - first; }
  };
  const EdgeTotals& totals() const { return all_; }
  EdgeTotals totals_to(Rank receiver) const;
  Range edges(Rank sender, Rank receiver) const;        // `sender` and `receiver` are places
  std::span<const std::byte> edge(Count number) const;  // the bytes of an edge; `number` is in a Range

 private:
  std::uint32_t number_at(Count position) const;  // the message is an array of numbers in front of the edges' bytes
  std::uint32_t receiver_of(Count edge) const { return number_at(senders_ + 1 + 2 * edge); }
  Bytes first_byte_of(Count edge) const { return number_at(senders_ + 2 + 2 * edge); }

  const std::byte* const message_;
  const Count senders_;
  EdgeTotals all_;
};

// The shared memory in which the ranks of one node prepare short edges between their node and other nodes: each rank's totals,
// its parts of packed messages, and the packed messages.
//
// A rank *enters* each exchange here by storing its number. A rank with short edges stores its totals and parts first, in its
// *page* for that exchange, and then waits until all ranks of the node have entered the same exchange. A rank without short edges
// has no page. It does not wait for other ranks in that exchange, so it may be ahead of them.
//
// Reuse. Memory of one exchange is used again in later ones. A rank enters an exchange only after it has completed the previous
// exchange. So if a rank sees that all ranks have entered exchange n, it knows that all have completed exchange n - 1, and it
// sees what they wrote in exchange n - 1.
//   * Packed messages: a rank uses them for exchange n only after it has seen that all have entered n. By then no rank uses
//     packed messages of an earlier exchange.
//   * Pages: a rank has two, one for exchanges with even numbers and one for odd numbers. A page shows the number of its
//     exchange. A rank reads only pages of the exchange that it is in. A rank that enters exchange n writes its page only after
//     all ranks have entered an exchange later than the one whose number the page shows. Usually the page is of exchange n - 2.
//     If the rank had short edges in exchange n - 1, it has already waited until all had entered exchange n - 1.
// A rank enters exchange n only after all have entered exchange n - `most_ahead`. So it is at most `most_ahead` exchanges ahead
// of the ranks of its node.
//
// Ranks do not wait for each other in a circle: on each node, the rank that has entered the fewest exchanges may always enter its
// next one.
class NodeBoard {
 public:
  static constexpr std::uint64_t most_ahead = 16;

  // `message_bytes`: room for one packed message.
  NodeBoard(SharedSpace& space, Count nodes, Bytes message_bytes);

  Bytes control_bytes() const;
  void begin_at(Offset control);  // `control`: control_bytes() bytes in rank 0's control memory
  void close();                   // this rank stops using the board

  // One rank's part of the edges to another node, and of the edges from it.
  struct Row {
    static constexpr Bytes no_part = -1;
    EdgeSummary out, in;
    Bytes part = no_part;  // offset of the edges to that node among the rank's parts; `no_part`: the rank packs these edges later
  };

  // May this rank enter the exchange? It needs its page if it has short edges.
  bool may_enter(std::uint64_t exchange, bool needs_page);
  struct Page {
    std::span<Row> rows;  // by node
    std::span<std::byte> parts;
  };
  Page own_page(std::uint64_t exchange) const;  // this rank writes it before it enters
  void enter(std::uint64_t exchange) { entered_[space_.rank()].publish(exchange); }
  bool all_have_entered(std::uint64_t exchange);

  // Returns a row of an exchange that all ranks have entered and this rank has not completed.
  const Row& row(Rank place, Count node, std::uint64_t exchange) const {
    const Count page = page_of(place, exchange);
    return numbers_[page].load(std::memory_order_relaxed) == exchange ? rows_[page * nodes_ + node] : nothing_;
  }
  const std::byte* part(Rank place, const Row& row, std::uint64_t exchange) const {
    return parts_ + page_of(place, exchange) * part_bytes_ + row.part;
  }

  // Memory of the packed message to another node. The leader adds the senders' parts to it, or the senders write into it; then
  // the leader sends it.
  std::byte* outgoing(Count node) const { return messages_ + node * 2 * message_bytes_; }
  void note_packed(std::uint64_t exchange) { packed_[space_.rank()].publish(exchange); }
  bool has_packed(Rank place, std::uint64_t exchange) const { return packed_[place].published() >= exchange; }

  // Memory of the packed message from another node. The leader receives it, then all its receivers read it.
  std::byte* incoming(Count node) const { return outgoing(node) + message_bytes_; }
  void note_arrival(Count node, std::uint64_t exchange, Bytes bytes) {
    arrivals_[node].bytes = bytes;
    arrivals_[node].publish(exchange);
  }
  std::optional<Bytes> arrived(Count node, std::uint64_t exchange) const {
    return arrivals_[node].published() >= exchange ? std::optional(arrivals_[node].bytes) : std::nullopt;
  }

  // What a rank misses after a long wait (Missed in differing_ends.cpp); 0: nothing yet. Other ranks only compare these numbers,
  // so the accesses need no order.
  void note_missing(std::uint64_t what) { missing_[space_.rank()].store(what, std::memory_order_relaxed); }
  std::uint64_t missing(Rank place) const { return missing_[place].load(std::memory_order_relaxed); }

 private:
  struct alignas(64) OneFlag : Flag {};
  struct alignas(64) Missing : std::atomic<std::uint64_t> {};
  // The exchange of a page. The page's owner stores this number, and then enters with a release. So a rank that has seen the
  // owner enter this exchange loads this number. The owner changes the number only after that rank has entered a later exchange.
  // If the page is of another exchange, any load returns another number.
  struct alignas(64) Number : std::atomic<std::uint64_t> {};
  struct alignas(64) MessageArrival : Flag {
    Bytes bytes = 0;
  };
  Count page_of(Rank place, std::uint64_t exchange) const { return static_cast<Count>(exchange % 2) * space_.size() + place; }

  static const Row nothing_;

  SharedSpace& space_;
  const Count nodes_;
  const Bytes message_bytes_, part_bytes_;  // room for one packed message; room for the parts of one page
  Offset control_ = 0;
  Closing* closing_ = nullptr;
  OneFlag *entered_ = nullptr, *packed_ = nullptr;  // by place
  Missing* missing_ = nullptr;                      // by place
  MessageArrival* arrivals_ = nullptr;              // by node
  Number* numbers_ = nullptr;                       // by page: exchange modulo 2, and place
  Row* rows_ = nullptr;                             // by page and node
  std::byte* parts_ = nullptr;                      // by page
  std::byte* messages_ = nullptr;                   // by node: one message to it and one from it

  // This rank has seen that all ranks have entered exchange `all_entered_`. It is searching whether all have entered exchange
  // `seen_`. So far it has found that the ranks before `first_unseen_` have, and that each of these has entered at least
  // `least_seen_`.
  std::uint64_t all_entered_ = 0, seen_ = 0, least_seen_ = 0;
  Rank first_unseen_ = 0;
};

}  // namespace quadrille
