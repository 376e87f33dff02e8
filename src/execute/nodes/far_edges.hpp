// SPDX-License-Identifier: BSD-3-Clause
// The messages of an exchange between nodes. Each transport between nodes has a class of its own.
#pragma once

#include <cstdint>
#include <span>

#include "quadrille/types.hpp"

namespace quadrille {

class FarEdges {
 public:
  // What a message carries. Messages of one form from one rank to another arrive in the order in which they are sent.
  enum class Form : int {
    early,   // one edge; sent before the two nodes have decided, because it is long or because nothing is packed
    single,  // one edge, which the two nodes have decided not to pack
    packed,  // the packed edges from one node to another
  };
  static constexpr int forms = 3;

  // Messages match if they have the same form and belong to the same exchange, or to two whose numbers differ by a multiple of
  // this: a tag has no room for more. Exchanges count from 1. A rank may be any number of exchanges ahead of another one.
  static constexpr int exchanges = 64;
  struct Kind {
    Form form;
    std::uint64_t exchange;
  };

  // A received message.
  struct Arrival {
    static constexpr Bytes too_long = -1;  // instead of `bytes`: the message is longer than the room, and lost
    std::uint32_t name;                    // as given to `receive`
    Bytes bytes;
  };

  virtual ~FarEdges() = default;

  // Neither waits. The memory must stay until the message is complete.
  virtual void send(Kind kind, Rank to, const std::byte* memory, Bytes bytes) = 0;
  virtual void receive(Kind kind, Rank from, std::byte* memory, Bytes room, std::uint32_t name) = 0;

  // Does not wait. Returns what has arrived since the last call; the result is valid until the next call.
  virtual std::span<const Arrival> advance() = 0;
  virtual bool has_open() const = 0;  // are there messages that are not complete?

  // Has a message of this kind arrived that this rank has not asked for?
  virtual bool has_unexpected(Kind kind, Rank from) = 0;

  // After a failure: gives up all open messages. Afterwards nobody reads or writes their memory.
  virtual void withdraw() noexcept = 0;
  virtual Bytes memory_bytes() const = 0;
};

}  // namespace quadrille
