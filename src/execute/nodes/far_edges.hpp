// SPDX-License-Identifier: BSD-3-Clause
// The messages of an exchange between nodes. Each transport between nodes has a class of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille {

class FarEdges {
 public:
  // What a message carries. Messages of one form from one rank to another arrive in the order in which they are sent.
  enum class Form : int {
    early,     // one edge; sent before the two nodes have decided, because it is long
    single,    // one edge, which the two nodes have decided not to pack
    packed,    // the packed edges from one node to another
    straight,  // one edge of an exchange in which nothing is packed
  };
  static constexpr int forms = 4;

  // Messages match if they have the same form and the same number, or numbers that differ by a multiple of this: a tag has no room
  // for more. Exchanges in which edges may be packed are numbered from 1, and so are the others. A rank may be any number of
  // exchanges ahead of another one.
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
  // Does the next `advance` not yield the core? Otherwise it does what Progress::polls_yield says of polls.
  virtual bool is_quiet() const { return false; }
  // Messages that are not complete. (A message that is cut counts more than once.)
  virtual Count open_sends() const = 0;
  virtual Count open_receives() const = 0;
  bool has_open() const { return open_sends() + open_receives() > 0; }

  // For ranks that have waited long. Appends the names of the receives that are not complete.
  virtual void list_open(std::vector<std::uint32_t>& names) const = 0;
  // The length of a message of this kind that has arrived and that this rank has not asked for. (If messages are cut: of its first
  // part.)
  virtual std::optional<Bytes> unexpected(Kind kind, Rank from) = 0;

  // After a failure: gives up all open messages. Afterwards nobody reads or writes their memory.
  virtual void withdraw() noexcept = 0;
  virtual Bytes memory_bytes() const = 0;
};

}  // namespace quadrille
