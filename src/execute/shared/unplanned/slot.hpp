// SPDX-License-Identifier: BSD-3-Clause
// A slot holds one message of an exchange, or says where the message lies. It belongs to one ordered pair of ranks. Its sender
// writes it and then publishes it; the receiver waits for the message's number.
#pragma once

#include <new>

#include "execute/shared/protocol/flag.hpp"
#include "execute/shared/protocol/loan.hpp"
#include "execute/shared/protocol/reader_progress.hpp"
#include "execute/shared/wait/copy_choice.hpp"
#include "execute/shared/wait/space.hpp"
#include "quadrille/edges.hpp"

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
    here,    // it lies in the slot
    area,    // the sender has copied it into its area, and the receiver copies it out
    once,    // the receiver copies it from the sender's memory, and the sender waits
    pieces,  // it goes in pieces through two places in turn: while the receiver takes a piece, the sender puts the next one
  };

  // Where to find a message that does not lie in the slot.
  struct Elsewhere {
    Offset place;           // `area`, `pieces`: in the sender's area. `once`: of the message, or 0 if it lies in private memory
    std::uint64_t address;  // `once`: the message's address in the sender's process
    Flag put;               // `pieces`: how many bytes the sender has put there so far
    ReaderProgress taken;   // `pieces`: how many bytes the receiver has taken
  };

  static constexpr Bytes least_bytes = 128;  // two cache lines
  static constexpr Bytes piece_bytes = CopyChoice::piece_bytes, double_buffer_bytes = 2 * piece_bytes;
  static constexpr Bytes header_bytes = 32, first_line_bytes = 64 - header_bytes;

  Flag number;
  Bytes bytes;
  // Offset of the slot of the pair's next message. Offsets of slots are multiples of 64, so the lower bits are free: the way, and
  // whether the receiver shall give the slot back by its loan.
  std::uint64_t next_and_way;
  Loan loan;  // `once`, or if the receiver shall give the slot back
  union {
    std::byte first[least_bytes - header_bytes];  // the first bytes of a message that lies here
    Elsewhere elsewhere;
  };

  Slot() : bytes(0), next_and_way(0), first{} {}

  std::byte* here() { return first; }
  Offset next() const { return next_and_way & ~std::uint64_t{63}; }
  Way way() const { return static_cast<Way>(next_and_way & 3); }
  bool is_given_back() const { return next_and_way & 4; }
  bool is_lent() const { return way() == Way::once || way() == Way::pieces; }
  void is_over() { lead_to(next(), Way::here, is_given_back()); }  // its sender knows that the receiver has taken what was lent
  void lead_to(Offset next, Way way, bool is_given_back) {
    next_and_way = next | static_cast<std::uint64_t>(way) | (is_given_back ? 4 : 0);
  }
};
static_assert(sizeof(Slot) == Slot::least_bytes);

}  // namespace quadrille
