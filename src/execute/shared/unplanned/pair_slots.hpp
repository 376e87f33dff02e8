// SPDX-License-Identifier: BSD-3-Clause
// The slots of exchanges. A slot holds one message of an exchange, or says where the message lies. It belongs to one ordered pair
// of ranks. Its sender writes it and then publishes it; the receiver waits for the message's number.
//
// PairSlots finds the slot of each message. Each ordered pair of ranks that has exchanged a message has two slots. The slots of
// all pairs are adjacent in the control memory of rank 0, so they need few pages and few TLB entries. At the pair's first message
// the sender takes slots from a pool, and tells the receiver by one word where these slots are. Each slot says where the pair's
// next message will be, so the receiver need not know how the sender chooses slots.
//
// When may a slot be written again? Each rank has one word, `finished`: how many exchanges it has completed. The slot is free
// when the receiver has finished the exchange in which the slot was used. The sender often knows this without reading the word: a
// message of exchange n from the receiver shows that the receiver has finished exchange n - 1. Two slots, used in turn, are
// enough if messages go in both directions in each exchange. In a gather, messages go in one direction only. There the sender may
// be ahead of the receiver by up to `most_ahead` further messages. When the sender first needs slots for them, it takes these
// slots in its own control memory. If a pair has several messages in one exchange, the receiver gives back the slots of all but
// the first of them by their loans. It cannot free these slots by finishing the exchange, because for that it needs all messages.
#pragma once

#include <algorithm>
#include <new>

#include "execute/shared/protocol/closing.hpp"
#include "execute/shared/protocol/flag.hpp"
#include "execute/shared/protocol/loan.hpp"
#include "execute/shared/protocol/reader_progress.hpp"
#include "execute/shared/wait/costs.hpp"
#include "execute/shared/wait/space.hpp"
#include "foundation/planted.hpp"
#include "quadrille/edges.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

// The number of a message: the exchange in which it is sent, and which of the pair's messages in that exchange it is.
class MessageNumber {
 public:
  static constexpr int bits_of_edge = 20;
  static constexpr std::uint64_t most_edges = std::uint64_t{1} << bits_of_edge;
  static_assert(most_edges == static_cast<std::uint64_t>(Edges::most));

  static std::uint64_t exchange_of(std::uint64_t number) { return number >> bits_of_edge; }
  static std::uint64_t edge_of(std::uint64_t number) { return number % most_edges; }
  // Returns the number of the pair's next message in this exchange, if `last` is the number of the pair's last message.
  static std::uint64_t after(std::uint64_t last, std::uint64_t exchange) {
    return exchange_of(last) == exchange ? last + 1 : exchange << bits_of_edge;
  }
};

struct alignas(64) Slot {
  // How the message gets to the receiver.
  enum class Way : std::uint64_t {
    here,    // the message lies in the slot
    area,    // the sender has copied it into its area, and the receiver copies it out
    once,    // the receiver copies it from the sender's memory, and the sender waits
    pieces,  // in pieces, through two buffers in turn: while the receiver takes a piece, the sender puts the next one
  };

  // Where to find a message that does not lie in the slot.
  struct Elsewhere {
    Offset place;           // `area`, `pieces`: in the sender's area. `once`: of the message; 0: the message is in private memory
    std::uint64_t address;  // `once`: the message's address in the sender's process
    Flag put;               // `pieces`: how many bytes the sender has put there so far
    ReaderProgress taken;   // `pieces`: how many bytes the receiver has taken
  };

  static constexpr Bytes least_bytes = 128;  // a slot has at least two cache lines
  static constexpr Bytes piece_bytes = CopyChoice::piece_bytes, double_buffer_bytes = 2 * piece_bytes;
  static constexpr Bytes header_bytes = 32, first_line_bytes = 64 - header_bytes;

  Flag number;
  Bytes bytes;
  // Offset of the slot of the pair's next message. Offsets of slots are multiples of 64, so the lower bits are free for the way,
  // and for whether the receiver must give the slot back by its loan.
  std::uint64_t next_and_way;
  Loan loan;  // used for `once`, and if the receiver must give the slot back
  union {
    std::byte first[least_bytes - header_bytes];  // the first bytes of a message that lies in the slot
    Elsewhere elsewhere;
  };

  Slot() : bytes(0), next_and_way(0), first{} {}

  std::byte* here() { return first; }
  Offset next() const { return next_and_way & ~std::uint64_t{63}; }
  Way way() const { return static_cast<Way>(next_and_way & 3); }
  bool is_given_back() const { return next_and_way & 4; }
  bool is_lent() const { return way() == Way::once || way() == Way::pieces; }
  void is_over() { lead_to(next(), Way::here, is_given_back()); }  // the sender knows that the receiver has taken what was lent
  void lead_to(Offset next, Way way, bool is_given_back) {
    next_and_way = next | static_cast<std::uint64_t>(way) | (is_given_back ? 4 : 0);
  }
};
static_assert(sizeof(Slot) == Slot::least_bytes);

class PairSlots {
 public:
  explicit PairSlots(SharedSpace& space);  // local
  Bytes control_bytes() const;             // how much rank 0 allocates in its control memory

  // Local. Initialises this rank's part of the memory. Another rank may use it after the next gather.
  void begin_at(Offset control);
  // Local; called at the end. This rank does not access any other rank's memory afterwards. This rank's memory is released when
  // the other ranks do not access it any more.
  void close(Offset own_area);

  // ---- For the sender
  // Returns the slot for the pair's next message, or null if it is not free yet.
  Slot* free_slot(Rank to) {
    if (!outgoing_[to].next) [[unlikely]]
      take_first(to);
    Slot* const slot = outgoing_[to].next;
    const bool is_free_now = is_known_free(*slot, to) || has_finished(to, is_far_ahead(to) ? end_of_lead(to) : exchange_in(*slot));
    return is_free_now ? slot : nullptr;
  }
  // Is the next slot one of the further slots?
  bool is_far_ahead(Rank to) const { return !is_first(outgoing_[to].next, to); }
  Bytes room_in(const Slot* slot, Rank to) const { return is_first(slot, to) ? first_bytes_ - Slot::header_bytes : further_room; }
  // Publishes the message in that slot, and returns its number. Everything else in the slot must be written, and all messages that
  // this rank expects in this exchange must be announced by `expect`.
  std::uint64_t publish(Rank to, std::uint64_t exchange, Slot::Way way) {
    Outgoing& outgoing = outgoing_[to];
    Slot& slot = *outgoing.next;
    const std::uint64_t number = MessageNumber::after(outgoing.last, exchange);
    Slot* const next = slot_after(&slot, to, exchange);
    slot.lead_to((is_first(next, to) ? outgoing.first : outgoing.further).offset_of(next), way, MessageNumber::edge_of(number) > 0);
    outgoing.next = next;
    outgoing.last = number;
    slot.number.publish(number);
    return number;
  }
  bool has_finished(Rank rank, std::uint64_t exchange) {
    std::uint64_t& known = outgoing_[rank].finished;
    return known >= exchange || (known = finished_[rank].reached()) >= exchange;
  }

  // ---- For the receiver
  // Announces that this rank expects one more message from that rank in this exchange, and returns its number.
  std::uint64_t expect(Rank from, std::uint64_t exchange) {
    std::uint64_t& expected = inlets_[from].expected;
    return expected = MessageNumber::after(expected, exchange);
  }
  // The slot and the number of the pair's next message; null if the message has not arrived.
  struct Arrived {
    Slot* slot;
    std::uint64_t number;
  };
  Arrived arrived(Rank from) {
    Inlet& inlet = inlets_[from];
    if (!inlet.next && !find(from)) return {nullptr, 0};
    const std::uint64_t number = inlet.next->number.published();
    return {number > inlet.last ? inlet.next : nullptr, number};
  }
  // Call it for a message that has arrived. Goes on to the slot of the next message.
  void advance(Rank from, std::uint64_t number) {
    Inlet& inlet = inlets_[from];
    inlet.last = number;
    std::uint64_t& finished = outgoing_[from].finished;
    finished = std::max(finished, MessageNumber::exchange_of(inlet.last) - 1);
    const Offset next = inlet.next->next(), position = next - inlet.first.offset;
    inlet.next = position <= static_cast<Offset>(first_bytes_) ? inlet.first.at(static_cast<Bytes>(position))
                                                               : reinterpret_cast<Slot*>(space_.at(next));
    if (position > static_cast<Offset>(first_bytes_))
      __builtin_prefetch(inlet.next);  // a sender that is ahead has often written it already
  }
  void finish(std::uint64_t exchange) { finished_[space_.rank()].reach(exchange); }

  Bytes memory_bytes() const;  // the slots that this rank has allocated; rank 0 counts the whole pool

 private:
  static constexpr Bytes line = 64;
  static constexpr std::size_t most_ahead = 256;
  static constexpr Bytes further_bytes = most_ahead * Slot::least_bytes;
  static constexpr Bytes further_room = Slot::least_bytes - Slot::header_bytes;

  struct alignas(64) Finished : ReaderProgress {};
  struct alignas(64) Pool {
    std::atomic<Count> taken{0};  // a counter of pairs; nothing else depends on it, so relaxed additions are enough
  };

  // Slots that follow each other in memory.
  struct Run {
    Offset offset = 0;  // 0: none yet
    std::byte* memory = nullptr;

    Slot* at(Bytes position) const { return reinterpret_cast<Slot*>(memory + position); }
    Offset offset_of(const Slot* slot) const {
      return offset + static_cast<Offset>(reinterpret_cast<const std::byte*>(slot) - memory);
    }
  };
  struct Outgoing {              // state of the pair from this rank to another rank
    Run first;                   // the pair's two slots
    bool owns_first = false;     // do these slots lie in this rank's own control memory?
    Slot* next = nullptr;        // the slot for the next message
    std::uint64_t last = 0;      // the number of the last message
    std::uint64_t finished = 0;  // exchanges that the other rank is known to have finished
    Run further;                 // `most_ahead` further slots
    std::size_t cursor = 0;      // the further slot that was chosen last
  };
  struct Inlet {  // state of the pair from another rank to this rank
    Run first;
    Slot* next = nullptr;
    std::uint64_t last = 0;      // the number of the last message that has arrived
    std::uint64_t expected = 0;  // the number of the last message that this rank expects
  };

  Flag& word(Rank from, Rank to) const { return words_[to * space_.size() + from]; }
  bool is_first(const Slot* slot, Rank to) const {
    const Run& first = outgoing_[to].first;
    return slot == first.at(0) || slot == first.at(first_bytes_);
  }
  void take_first(Rank to);
  Run allocated(Bytes bytes);
  static void clear(const Run& run, Bytes bytes, Bytes slot_bytes);
  bool find(Rank from);
  bool is_known_free(const Slot& slot, Rank to) const {
    const std::uint64_t number = slot.number.own();
    // A lent message stays in its slot until the sender has seen that the loan is over. After that, the sender does not ask for
    // this loan again.
    return is_planted("slot reused early") || outgoing_[to].finished >= MessageNumber::exchange_of(number) ||
           (slot.is_given_back() && !slot.is_lent() && slot.loan.is_back(number));
  }
  static std::uint64_t exchange_in(const Slot& slot) { return MessageNumber::exchange_of(slot.number.own()); }
  bool is_free(const Slot& slot, Rank to) { return is_known_free(slot, to) || has_finished(to, exchange_in(slot)); }
  std::uint64_t end_of_lead(Rank to) const;
  // Chooses the slot for the message after the one in `current`.
  Slot* slot_after(const Slot* current, Rank to, std::uint64_t exchange) {
    Outgoing& outgoing = outgoing_[to];
    const bool expects_answer = MessageNumber::exchange_of(inlets_[to].expected) == exchange;
    for (Slot* const slot : {outgoing.first.at(0), outgoing.first.at(first_bytes_)}) {
      if (slot == current) continue;
      // A message from the other rank in this exchange tells this rank that the other rank has finished the previous exchange. So
      // in the next exchange this rank knows without reading `finished` that this slot is free.
      const bool was_earlier = exchange_in(*slot) < exchange;
      // A sender that is often ahead does not read `finished` in each exchange: the cache line of `finished` would move each
      // time.
      const bool is_ahead = outgoing.further.offset != 0;
      if ((expects_answer && was_earlier) || (is_ahead ? is_known_free(*slot, to) : is_free(*slot, to))) return slot;
    }
    // Ranks that answer each other are never far ahead. If they have several edges, they use the same few slots again, because
    // these stay in caches.
    if (expects_answer && MessageNumber::exchange_of(outgoing.last) < exchange && outgoing.further.offset &&
        is_known_free(*outgoing.further.at(0), to))
      outgoing.cursor = most_ahead - 1;
    return further_after(current, outgoing, exchange);
  }
  Slot* further_after(const Slot* current, Outgoing& outgoing, std::uint64_t exchange);

  SharedSpace& space_;
  const Bytes first_bytes_;  // the length of a pair's first slots
  const Count pool_pairs_;   // the pairs for which the pool has slots
  Offset control_ = 0;
  Closing* closing_ = nullptr;
  Pool* pool_ = nullptr;
  Run pool_slots_;
  Finished* finished_ = nullptr;  // by rank
  Flag* words_ = nullptr;         // by receiver and sender: the offset of the pair's first slots
  ByRank<Outgoing> outgoing_;
  ByRank<Inlet> inlets_;
};

}  // namespace quadrille
