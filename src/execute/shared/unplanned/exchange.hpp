// SPDX-License-Identifier: BSD-3-Clause
// Exchanges by edges (execute/executions/exchanger.hpp) among ranks that share memory. A message takes one of these ways:
//
//   a tiny message   lies in its slot (pair_slots.hpp);
//   a short message  is copied twice: the sender copies it into its area (sender.hpp) and continues at once, and the receiver
//                    copies it out;
//   a long message   is copied once, by its receiver, from the sender's memory, while the sender waits (a rendezvous). The
//                    receiver loads it if the memory lies in the shared space, and calls process_vm_readv otherwise. If the
//                    receiver cannot read the memory, or if pieces take less time (PiecesTrial in sender.hpp), the message goes
//                    in pieces through a double buffer behind the area.
//
// If the slot, the area or the double buffers have no room for a message, the message is sent later in the same exchange, when
// receivers have finished earlier exchanges. The receivers can finish these exchanges, because this rank has completed its part
// of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "execute/executions/exchanger.hpp"
#include "execute/shared/unplanned/pair_slots.hpp"
#include "execute/shared/unplanned/sender.hpp"
#include "execute/transport.hpp"
#include "quadrille/edges.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

// The first edge of an exchange whose two ends name different lengths, as its receiver notes it.
class EdgeDifference {
 public:
  static constexpr Bytes nothing = -1;   // in place of a length: that rank does not list the edge
  static constexpr Bytes too_long = -2;  // in place of the sent length, if it is not known, but more than expected

  // `edge`: its number among the edges from that rank, from 0.
  void note(Rank from, std::uint64_t edge, Bytes sent, Bytes expected) {
    if (!first_) first_ = {from, edge, sent, expected};
  }
  void clear() { first_.reset(); }

  // Returns a sentence about the difference; "" if there is none. `shown` returns the number of a rank that users see.
  template <class Shown>
  std::string sentence(Rank me, Shown&& shown) const {
    return first_ ? sentence_of(*first_, shown(first_->from), shown(me)) : "";
  }

 private:
  struct Edge {
    Rank from;
    std::uint64_t number;
    Bytes sent, expected;
  };
  static std::string sentence_of(const Edge& edge, Rank sender, Rank receiver);

  std::optional<Edge> first_;
};

// The receives of one rank in an exchange in shared memory. sender.hpp has its sends.
class Receiver {
 public:
  Receiver(SharedSpace& space, PairSlots& slots) : space_(space), slots_(slots), last_(space.size()) {}

  void begin_at(ByRank<const std::byte*> areas) { areas_ = std::move(areas); }

  // Returns the first edge from this rank to itself, or the end of the list. The caller must copy such edges.
  const Edges::Receive* begin(std::span<const Edges::Receive> receives, std::uint64_t exchange);
  bool advance();  // returns whether all messages are complete

  bool is_over() const { return open_.empty() && in_pieces_.empty(); }
  Rank awaited() const {  // the only rank whose messages are missing, or SharedSpace::anybody
    const Rank first = (open_.empty() ? in_pieces_[0] : open_[0]).edge->from;
    const auto is_first = [&](const Open& each) { return each.edge->from == first; };
    const bool is_only = open_.size() <= 1 && std::all_of(in_pieces_.begin(), in_pieces_.end(), is_first);
    return is_only ? first : SharedSpace::anybody;
  }
  void look() { looks_now_ = true; }  // the next `advance` finds out whether a sender has left an edge out
  Bytes memory_bytes() const { return memory_bytes_of(open_, further_, in_pieces_); }
  Bytes received_bytes() const { return received_bytes_; }  // the bytes of pieces that have been copied out

  // The first edge of this exchange whose two ends name different lengths.
  EdgeDifference& difference() { return difference_; }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Open {  // a message that this rank expects
    const Edges::Receive* edge;
    std::uint64_t number;
    std::uint32_t next = none;  // the next message from the same rank, as a place in further_
  };
  struct InPieces : Open {  // a message of which some pieces have arrived
    Slot* slot;
  };

  void expect_further(const Open& message);
  bool try_to_receive(const Open& message);
  void receive(const Open& message, Slot& slot);
  void receive_once(const Open& message, Slot& slot, bool fits);
  void read(const Open& message, const Slot& slot);
  bool receive_pieces(const InPieces& message);
  void give_back(const Open& message, Slot& slot);
  void drop_missing();

  SharedSpace& space_;
  PairSlots& slots_;
  ByRank<const std::byte*> areas_;
  std::uint64_t exchange_ = 0;
  std::vector<Open> open_;     // the next message from each rank
  std::vector<Open> further_;  // second and later messages from a rank in this exchange
  std::vector<InPieces> in_pieces_;
  ByRank<std::uint32_t> last_;  // by rank with further messages: the last of its messages
  Bytes received_bytes_ = 0;
  unsigned looks_ = 0;
  bool looks_now_ = false;
  EdgeDifference difference_;
};

class SharedExchange final : public EdgesExecutable {
 public:
  // Collective. Throws on all ranks or on none: Error{too_large} or Error{environment} if memory cannot be allocated.
  SharedExchange(SharedSpace& space, const CopyCosts& costs);
  ~SharedExchange() override;  // local

  Bytes memory_bytes() const override;

 private:
  void start(const Edges& edges) override;
  bool proceed() override;
  void complete() override;
  void end() override;
  void withdraw(const Error& why) noexcept override;
  void throw_lost() const override { space_.throw_lost(); }
  void meet();
  void copy_own(const Edges& edges, const Edges::Send* send, const Edges::Receive* receive);
  bool advance_both();
  Bytes moved() const { return sender_.put_bytes() + receiver_.received_bytes(); }
  Rank awaited();

  SharedSpace& space_;
  PairSlots slots_;
  Sender sender_;
  Receiver receiver_;
  Offset own_area_ = 0;  // 0: the rank is alone, or the area has not been made
  std::uint64_t exchange_ = 0;
  LongSince looks_{SharedSpace::between_questions};
};

}  // namespace quadrille
