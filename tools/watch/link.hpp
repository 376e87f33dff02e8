// SPDX-License-Identifier: BSD-3-Clause
// Messages between the watchers of several nodes, over TCP. One watcher has a Listener, whose address, port and key reach the other
// watchers through the program. Each of these makes a Link to the listener.
//
// Nobody without the key can join, or forge, change, repeat or reorder messages. Messages are not encrypted. At first, both sides
// send 16 random bytes. From these and the key they derive the key of the connection. All else are frames:
//   keyed hash of all that follows, number, length of the message (8 bytes each), message
// The numbers count up from 0 in frames of the connecting side, and from 2^63 in frames of the listening side. The first frame is
// an empty one, the hello; the listening side sends it when it has got that of the connecting side. A side sends no message before
// it has got the other side's hello. A wrong byte ends the connection. Both sides must have the same byte order.
//
// Nothing here blocks, except that a Listener may look up the name of its host. The caller calls `progress` when a descriptor is
// ready, and at least each second.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/keyed_hash.hpp"
#include "foundation/system/files.hpp"

namespace quadrille::command {

// Where a listener is, and the key that it accepts. As text: "10.87.0.1:40123 <32 hexadecimal digits>".
struct Meeting {
  std::string address;  // IPv4
  std::uint16_t port = 0;
  HashKey key{};
};

std::string to_text(const Meeting& meeting);
std::optional<Meeting> parse_meeting(std::string_view text);  // nothing if it is not such a text

class Link {
 public:
  using Time = std::chrono::steady_clock::time_point;
  enum class State : std::uint8_t {
    expects_random,  // bytes of the other side
    expects_hello,
    open,
    closed,  // the other side has gone, cannot be reached, sent something wrong, or said no hello in time
  };
  static constexpr std::size_t most_bytes = std::size_t{1} << 28;  // of a message

  // Begins to connect. The other side must answer within 30 s.
  Link(const Meeting& meeting, Time now);

  void send(std::string_view message);  // is lost unless the link is open, or if it is longer than `most_bytes`
  bool has_unsent() const { return written_ < out_.size(); }

  // Reads and writes what is possible now, and returns the messages that have arrived. A peer that cannot be reached any more is
  // noticed after 30 s.
  std::vector<std::string> progress(Time now);
  void add_polled(std::vector<pollfd>& polled) const;

  State state() const { return state_; }
  bool is_closed() const { return state_ == State::closed; }

 private:
  friend class Listener;

  Link(Descriptor socket, const HashKey& key, bool listens, Time deadline);
  void read(std::vector<std::string>& messages);
  void take(std::vector<std::string>& messages);
  void write();
  void add_frame(std::string_view message);
  void close();

  Descriptor socket_;
  HashKey key_;  // of the connection, once the other side's random bytes are known
  bool listens_;
  Time deadline_;  // for the hello
  State state_ = State::expects_random;
  HashKey random_;  // own bytes
  std::string in_, out_;
  std::size_t written_ = 0;                  // bytes of out_
  std::uint64_t next_sent_, next_received_;  // numbers of frames
};

// Accepts links on a port of a single address, never of all addresses of the host.
class Listener {
 public:
  // Without an address, takes that of an interface that is up, of the default route if there are several, or else 127.0.0.1. Throws
  // Error{environment}.
  explicit Listener(const std::string& address = {});

  const Meeting& meeting() const { return meeting_; }

  // Returns the links that have said hello since the last call. A connection without a hello is dropped after 5 s. At most 64
  // connections wait for a hello at a time, and none gets a buffer of more than 64 bytes; further ones wait in the system's queue.
  std::vector<Link> progress(Link::Time now);
  void add_polled(std::vector<pollfd>& polled) const;  // it stays ready while connections wait in the queue
  std::uint64_t refused() const { return refused_; }   // connections that said no right hello

 private:
  Descriptor socket_;
  Meeting meeting_;
  std::vector<Link> strangers_;  // connections without a hello
  std::uint64_t refused_ = 0;
};

}  // namespace quadrille::command
