// SPDX-License-Identifier: BSD-3-Clause
// The costs of copying through shared memory on this machine, and how a sender chooses from them the way in which each message is
// copied.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "quadrille/types.hpp"

namespace quadrille {

class SharedSpace;

// A short message is copied twice: by the sender into its area, and by the receiver out of this area. A long message is copied
// once, by the receiver from the sender's buffer, and the sender waits for this copy. All figures are seconds. The defaults are
// those of a current server; ranks that are threads use them without measuring.
struct CopyCosts {
  static constexpr std::array<Bytes, 5> sizes{1024, 4096, 16384, 65536, 262144};
  static constexpr Bytes most_eager = sizes[sizes.size() - 2];  // eager_limit() is never larger
  std::array<double, 5> in{0.1e-6, 0.4e-6, 1.6e-6, 6e-6, 25e-6};
  std::array<double, 5> out{0.2e-6, 0.6e-6, 2.2e-6, 8e-6, 32e-6};
  std::array<double, 5> once{0.2e-6, 0.6e-6, 2.2e-6, 8e-6, 32e-6};
  double wait = 2e-6;  // the time until a waiting rank gets its core again

  // Returns the time that copying once saves, not counting the wait. `first`: this is the first message of the window that sends
  // these bytes. Only the first one saves the copy into the area, because later ones would use the same copy.
  double saved(Bytes bytes, bool first) const;

  // The seconds of copying a message in both ways, without waits.
  double twice_s(Bytes bytes) const;
  double once_s(Bytes bytes) const;

  // Returns a length of at most `most_eager`. Messages above this length are always copied once, if the receiver can read the
  // sender's memory.
  Bytes eager_limit() const;
};

// Costs that the ranks of a group measure together.
struct SharingCosts {
  CopyCosts copies;
  bool yields_hand_over = true;  // a rank that calls sched_yield gives its core to another rank of the group
  bool shared_cores = false;     // there are more ranks than cores; if not, no rank has to yield, and yields_hand_over is true
};

// Measures the costs. Collective; all ranks get the same result. Takes one to three milliseconds. If there are more ranks than
// cores, the first rank copies alone, because ranks that copy together would also measure each other's turns on the cores.
SharingCosts measure_costs(SharedSpace& space);

// A process keeps the costs for its later groups (costs_of in meet.cpp). `process` is its ProcessCard::id, because in tests several
// objects act like several processes. Nothing is kept until the process has been in a group of two or more ranks. Thread-safe.
std::optional<SharingCosts> kept_costs(std::uint64_t process);
void keep_costs(std::uint64_t process, const SharingCosts& costs);

// How messages in shared memory are copied. A rank chooses the ways of all messages that it sends together: in a window of a
// plan, or in an exchange. To copy a message once pays if this saves more than the wait costs; but the rank waits only once for
// all messages together. So messages of 1 KiB or more are copied once in two cases: together they save more than one wait; or the
// rank must wait for a message above CopyCosts::eager_limit().
enum class CopyWay : std::uint8_t {
  eager,       // the sender copies the message into its area and continues at once, and the receiver copies it out
  rendezvous,  // the receiver copies it from the sender's memory, while the sender waits
  pieces,      // the message is copied twice, in pieces that stay in the caches, while the sender waits
};

// The messages of an exchange that may go as `rendezvous` or as `pieces`.
struct LongMessages {
  Count count = 0;
  Bytes bytes = 0, longest = 0;  // the sum over all messages, and the longest message
};

// What the choice depends on. Messages of the same bytes count as one, because they share the copy into the area.
struct CopiedMessage {
  Bytes bytes = 0;
  Count receivers = 1;
  bool is_loaded = false;        // its receivers can load it from shared memory; otherwise they call process_vm_readv,
  bool is_readable = true;       // unless the system forbids it
  CopyWay way = CopyWay::eager;  // the result
};

class CopyChoice {
 public:
  explicit CopyChoice(const CopyCosts& costs);

  static constexpr Bytes least_rendezvous = CopyCosts::sizes.front();  // messages that are shorter are never copied once
  static constexpr Bytes piece_bytes = 32768;
  // The most bytes of a rank's area: a share of the L2 cache. With a larger area a sender could be further ahead of its readers,
  // which saves context switches, but the data would not stay in the cache.
  static constexpr Bytes most_area_bytes = 262144;
  Bytes eager_limit() const { return eager_limit_; }

  // Returns false if all of these messages are certainly copied twice. This is the usual case, and the test is cheap.
  bool may_differ(Count messages, Bytes longest) const {
    return longest > eager_limit_ ||
           std::max(saved_s(longest, 1, false), saved_s(longest, 1, true)) * static_cast<double>(messages) > wait_s_;
  }

  // Sets the ways of the messages that a rank sends together. Returns whether any message is copied once. `in_pieces`: long
  // messages go in pieces if their receivers cannot load them. A Message is a CopiedMessage, or derived from it.
  template <class Message>
  bool choose(std::span<Message> messages, bool in_pieces = false) const {
    double total_s = 0;
    bool waits = false;  // must this rank wait for a long message?
    for (CopiedMessage& message : messages) {
      total_s += saved_by(message, in_pieces);
      waits = waits || (message.way == CopyWay::rendezvous && message.bytes > eager_limit_);
    }
    if (waits || total_s > wait_s_) return true;
    for (CopiedMessage& message : messages)
      if (message.way == CopyWay::rendezvous) message.way = CopyWay::eager;
    return false;
  }

  template <class Message>
  LongMessages long_messages(std::span<const Message> messages) const {
    LongMessages result;
    for (const CopiedMessage& message : messages)
      if (message.bytes > eager_limit_ && !message.is_loaded && message.is_readable)
        ++result.count, result.bytes += message.bytes, result.longest = std::max(result.longest, message.bytes);
    return result;
  }
  // The estimated time of these messages in pieces, as a multiple of the time of copying them once.
  double pieces_by_once(const LongMessages& messages) const;

 private:
  using Table = std::array<double, 64>;  // seconds, by the binary logarithm of the bytes

  static double at(const Table& table, Bytes bytes);
  double saved_s(Bytes bytes, Count receivers, bool is_loaded) const;
  double saved_by(CopiedMessage& message, bool in_pieces) const;

  Table in_s_{};        // time of the copy into the area
  Table out_less_s_{};  // time of the copy out of the area, minus the time of copying once by process_vm_readv
  Bytes eager_limit_;
  double wait_s_, piece_s_, once_s_;  // times of a wait, of copying a piece twice, and of copying as many bytes once
};

}  // namespace quadrille
