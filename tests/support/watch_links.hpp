// SPDX-License-Identifier: BSD-3-Clause
// Watchers of one process that are linked on the loopback address, a relay that may change what passes, and strangers.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/system/files.hpp"
#include "watch/link.hpp"

namespace quadrille::testing {

using command::Link;
using command::Listener;
using command::Meeting;

inline constexpr std::size_t random_size = 16, head_size = 24;  // the first bytes of a side, and the head of a frame
inline constexpr Link::Time start{};

inline sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(port);
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return place;
}

// A connection that does what the test says.
class Stranger {
 public:
  explicit Stranger(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
    const sockaddr_in place = loopback(port);
    ::connect(socket_.number(), reinterpret_cast<const sockaddr*>(&place), sizeof place);
  }
  explicit Stranger(Descriptor socket) : socket_(std::move(socket)) {}

  void send(std::string_view bytes) {
    while (!bytes.empty() && !is_over_) {
      const ssize_t count = ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
      is_over_ = count < 0 && errno != EAGAIN;
    }
  }
  std::string receive(std::size_t most = 1 << 16) {
    std::string bytes(most, '\0');
    const ssize_t count = ::recv(socket_.number(), bytes.data(), bytes.size(), 0);
    if (count == 0 || (count < 0 && errno != EAGAIN)) is_over_ = true;
    bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    return bytes;
  }
  bool is_over() const { return is_over_; }

 private:
  Descriptor socket_;
  bool is_over_ = false;
};

// Passes on what the two sides of a link send. `change` may replace the bytes of one call of recv; 0: of the connecting side.
class Relay {
 public:
  using Change = std::function<void(std::size_t side, std::string& bytes)>;

  explicit Relay(const Meeting& target)
      : target_(target), socket_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
    sockaddr_in place = loopback(0);
    socklen_t size = sizeof place;
    ::bind(socket_.number(), reinterpret_cast<const sockaddr*>(&place), size);
    ::listen(socket_.number(), 8);
    ::getsockname(socket_.number(), reinterpret_cast<sockaddr*>(&place), &size);
    meeting_ = {"127.0.0.1", ntohs(place.sin_port), target.key};
  }

  const Meeting& meeting() const { return meeting_; }

  // Returns true if bytes have arrived.
  bool progress(const Change& change, std::size_t most = 1 << 16) {
    bool has_moved = false;
    if (sides_.empty()) {
      Descriptor accepted(::accept4(socket_.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (accepted.number() < 0) return false;
      sides_.emplace_back(std::move(accepted));
      sides_.emplace_back(target_.port);
    }
    for (const std::size_t side : {0u, 1u}) {
      std::string bytes = sides_[side].receive(most);
      if (bytes.empty()) continue;
      has_moved = true;
      change(side, bytes);
      sides_[1 - side].send(bytes);
    }
    if (std::any_of(sides_.begin(), sides_.end(), [](const Stranger& side) { return side.is_over(); })) {
      sides_.clear();
      socket_ = Descriptor();
    }
    return has_moved;
  }

 private:
  Meeting target_, meeting_;
  Descriptor socket_;
  std::vector<Stranger> sides_;
};

// A link, and the messages that have arrived.
struct Talker {
  Link link;
  std::deque<std::string> messages;

  void progress(Link::Time now) {
    for (std::string& message : link.progress(now)) messages.push_back(std::move(message));
  }
  std::optional<std::string> receive() {
    if (messages.empty()) return std::nullopt;
    std::optional<std::string> message(std::move(messages.front()));
    messages.pop_front();
    return message;
  }
  void send(std::string_view message) { link.send(message); }
  bool is_open() const { return link.state() == Link::State::open; }
  bool is_closed() const { return link.is_closed(); }
};

// A listener, and the links that it has accepted.
struct Host {
  Listener listener{"127.0.0.1"};
  std::vector<Talker> links;
  Link::Time now = start;

  void progress() {
    for (Link& link : listener.progress(now)) links.push_back({std::move(link), {}});
    for (Talker& each : links) each.progress(now);
  }
};

// Calls `progress` on both sides until `is_done` returns true. Gives up after many passes.
inline void work(Host& host, std::vector<Talker>& peers, const std::function<bool()>& is_done) {
  for (int idle = 0, pass = 0; idle < 500 && pass < 50'000 && !is_done(); ++pass) {
    host.progress();
    for (Talker& peer : peers) peer.progress(host.now);
    std::vector<pollfd> polled;
    for (const Talker& each : host.links) each.link.add_polled(polled);
    for (const Talker& peer : peers) peer.link.add_polled(polled);
    if (::poll(polled.data(), polled.size(), 1) == 0) ++idle;
  }
}

inline Talker& join(Host& host, std::vector<Talker>& peers, const Meeting& meeting) {
  const std::size_t before = host.links.size();
  peers.push_back({Link(meeting, host.now), {}});
  work(host, peers, [&] { return peers.back().is_open() && host.links.size() > before; });
  EXPECT_TRUE(peers.back().is_open());
  EXPECT_EQ(host.links.size(), before + 1);
  return peers.back();
}

// Returns true if a new peer with the right key can send a message to the listener, and receives one from it.
inline bool serves(Host& host) {
  std::vector<Talker> peers;
  Talker& peer = join(host, peers, host.listener.meeting());
  if (host.links.empty()) return false;
  peer.send("question");
  host.links.back().send("answer");
  std::optional<std::string> question, answer;
  work(host, peers, [&] {
    if (!question) question = host.links.back().receive();
    if (!answer) answer = peer.receive();
    return question && answer;
  });
  return question == "question" && answer == "answer";
}

inline std::string drawn_text(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string text(size, '\0');
  for (char& letter : text) letter = static_cast<char>(random());
  return text;
}

}  // namespace quadrille::testing
