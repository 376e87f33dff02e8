// SPDX-License-Identifier: BSD-3-Clause
// Links between watchers and peers that send anything but what they should: none is accepted, and the right peer is still served.
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/watch_links.hpp"
#include "watch/link.hpp"

namespace quadrille::command {
namespace {

using namespace std::chrono_literals;
using namespace quadrille::testing;

TEST(LinkAttacks, AWrongKeyIsRefused) {
  for (unsigned bit = 0; bit < 128; ++bit) {
    Host host;
    Meeting wrong = host.listener.meeting();
    wrong.key[bit / 64] ^= std::uint64_t{1} << bit % 64;
    std::vector<Talker> peers;
    peers.push_back({Link(wrong, start), {}});
    work(host, peers, [&] { return peers[0].is_closed(); });
    ASSERT_EQ(host.listener.refused(), 1u);
    ASSERT_TRUE(host.links.empty());
    ASSERT_TRUE(peers[0].is_closed());
  }
}

struct Talk {
  std::optional<std::string> at_host, at_peer;  // the messages received
  std::size_t surplus = 0;                      // messages that were received, although nobody sent them
  Link::State host_state = Link::State::expects_random, peer_state = Link::State::expects_random;
};

// A short conversation through a relay, in which both sides send one message.
Talk talk(Host& host, const Relay::Change& change) {
  Relay relay(host.listener.meeting());
  host.links.clear();
  std::vector<Talker> peers;
  peers.push_back({Link(relay.meeting(), start), {}});
  Talk talk;
  bool has_sent = false, peer_has_sent = false;
  const auto take = [&](Talker& link, std::optional<std::string>& message) {
    for (auto next = link.receive(); next; next = link.receive())
      if (message)
        ++talk.surplus;
      else
        message = std::move(next);
  };
  const std::uint64_t refused = host.listener.refused();
  for (int quiet = 0, passes_after = 0; quiet < 50 && passes_after < 4;) {
    const bool has_moved = relay.progress(change);
    host.progress();
    peers[0].progress(start);
    if (!host.links.empty()) {
      if (!has_sent) host.links[0].send("defg");
      has_sent = true;
      take(host.links[0], talk.at_host);
      talk.host_state = host.links[0].link.state();
    }
    if (peers[0].is_open() && !std::exchange(peer_has_sent, true)) peers[0].send("abc");
    take(peers[0], talk.at_peer);
    talk.peer_state = peers[0].link.state();
    if ((talk.at_host && talk.at_peer) || peers[0].is_closed() || host.listener.refused() > refused) ++passes_after;
    quiet = has_moved ? 0 : quiet + 1;
    if (!has_moved) ::usleep(100);
  }
  return talk;
}

constexpr std::size_t talk_size[] = {random_size + head_size + head_size + 3, random_size + head_size + head_size + 4};

TEST(LinkAttacks, TalksThroughARelay) {
  Host host;
  std::size_t sizes[2] = {};
  const Talk unchanged = talk(host, [&](std::size_t side, std::string& bytes) { sizes[side] += bytes.size(); });
  EXPECT_EQ(unchanged.at_host, "abc");
  EXPECT_EQ(unchanged.at_peer, "defg");
  EXPECT_EQ(unchanged.surplus, 0u);
  EXPECT_EQ(sizes[0], talk_size[0]);
  EXPECT_EQ(sizes[1], talk_size[1]);
}

TEST(LinkAttacks, NoChangedByteIsAccepted) {
  Host host;
  for (const std::size_t changed : {0u, 1u})
    for (std::size_t position = 0; position < talk_size[changed]; ++position)
      for (int bit = 0; bit < 8; ++bit) {
        std::size_t passed = 0;
        const Talk damaged = talk(host, [&](std::size_t side, std::string& bytes) {
          if (side != changed) return;
          if (position >= passed && position < passed + bytes.size())
            bytes[position - passed] = static_cast<char>(bytes[position - passed] ^ (1 << bit));
          passed += bytes.size();
        });
        const std::string where = "side " + std::to_string(changed) + ", byte " + std::to_string(position);
        EXPECT_GT(passed, position) << where;
        EXPECT_FALSE(changed == 0 ? damaged.at_host : damaged.at_peer) << where;
        if (position < random_size + head_size) EXPECT_FALSE(damaged.at_peer) << where;
        EXPECT_EQ(damaged.surplus, 0u);
      }
  EXPECT_GE(host.listener.refused(), (random_size + head_size) * 8);
  EXPECT_TRUE(serves(host));
}

TEST(LinkAttacks, NoTruncatedFrameIsAccepted) {
  Host host;
  for (const std::size_t cut : {0u, 1u})
    for (std::size_t length = 0; length < talk_size[cut]; ++length) {
      std::size_t passed = 0;
      const Talk truncated = talk(host, [&](std::size_t side, std::string& bytes) {
        if (side != cut) return;
        const std::size_t kept = std::min(bytes.size(), length - std::min(length, passed));
        passed += bytes.size();
        bytes.resize(kept);
      });
      EXPECT_FALSE(cut == 0 ? truncated.at_host : truncated.at_peer) << length;
      EXPECT_EQ(truncated.surplus, 0u);
    }
  EXPECT_TRUE(serves(host));
}

TEST(LinkAttacks, ARepeatedMessageIsRefused) {
  Host host;
  for (const std::size_t repeated : {0u, 1u}) {
    std::size_t passed = 0;
    const Talk replayed = talk(host, [&](std::size_t side, std::string& bytes) {
      if (side != repeated) return;
      passed += bytes.size();
      if (passed == talk_size[side]) bytes += bytes.substr(bytes.size() - head_size - (side == 0 ? 3 : 4));
    });
    EXPECT_EQ(repeated == 0 ? replayed.at_host : replayed.at_peer, repeated == 0 ? "abc" : "defg");
    EXPECT_EQ(replayed.surplus, 0u);
    EXPECT_EQ(repeated == 0 ? replayed.host_state : replayed.peer_state, Link::State::closed);
  }
}

// What one side has sent is no answer to the other side, in the same connection or in a new one.
TEST(LinkAttacks, RecordedBytesAreRefused) {
  Host host;
  std::string recorded[2];
  talk(host, [&](std::size_t side, std::string& bytes) { recorded[side] += bytes; });
  std::uint64_t refused = host.listener.refused();
  host.links.clear();
  std::vector<Talker> none;
  for (const std::string& bytes : recorded) {
    Stranger stranger(host.listener.meeting().port);
    stranger.send(bytes);
    work(host, none, [&] { return host.listener.refused() > refused; });
    EXPECT_EQ(host.listener.refused(), ++refused);
  }
  Stranger mirror(host.listener.meeting().port);  // sends the listener's bytes back to it
  std::size_t mirrored = 0;
  work(host, none, [&] {
    const std::string bytes = mirror.receive();
    mirror.send(bytes);
    mirrored += bytes.size();
    return mirrored == random_size;
  });
  for (int pass = 0; pass < 10; ++pass) host.progress();
  EXPECT_EQ(host.listener.refused(), refused) << "it waits for the hello";
  host.now += 5s;
  host.progress();
  EXPECT_EQ(host.listener.refused(), refused + 1);
  EXPECT_TRUE(host.links.empty());
  EXPECT_TRUE(serves(host));
}

TEST(LinkAttacks, AMirrorIsNoListener) {
  Host host;  // does nothing: the test accepts on its socket
  std::vector<pollfd> polled;
  host.listener.add_polled(polled);
  Link link(host.listener.meeting(), start);
  ASSERT_EQ(::poll(polled.data(), 1, 1000), 1);
  Stranger mirror(Descriptor(::accept4(polled[0].fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)));
  for (int pass = 0; pass < 10'000 && !link.is_closed(); ++pass) {
    mirror.send(mirror.receive());
    link.progress(start);
  }
  EXPECT_EQ(link.state(), Link::State::closed);
}

TEST(LinkAttacks, NoGarbageIsAccepted) {
  Host host;
  std::mt19937 random(3);
  const auto drawn = [&](std::size_t size) { return drawn_text(size, static_cast<unsigned>(random())); };
  std::vector<Talker> none;
  constexpr std::uint64_t connections = 10'000;
  for (std::uint64_t i = 0; i < connections; ++i) {
    Stranger stranger(host.listener.meeting().port);
    // In half of the cases, number and length of the hello are right, and only its hash is not.
    std::string bytes = drawn(random() % 100);
    if (i % 2 == 0) bytes = drawn(random_size + head_size - 16) + std::string(16, '\0');
    stranger.send(bytes);
    const std::uint64_t before = host.listener.refused();
    if (bytes.size() < random_size + head_size) stranger = Stranger(Descriptor());
    for (int pass = 0; pass < 1000 && host.listener.refused() == before; ++pass) host.progress();
    ASSERT_EQ(host.listener.refused(), before + 1) << i;
  }
  EXPECT_TRUE(host.links.empty());
  EXPECT_TRUE(serves(host));
}

TEST(LinkAttacks, ASilentPeerIsDropped) {
  Host host;
  Stranger silent(host.listener.meeting().port);
  std::vector<Talker> none;
  work(host, none, [&] { return !silent.receive().empty(); });
  silent.send(std::string(random_size + head_size - 1, '\0'));
  host.now = start + 4999ms;
  host.progress();
  EXPECT_EQ(host.listener.refused(), 0u);
  host.now = start + 5s;
  host.progress();
  EXPECT_EQ(host.listener.refused(), 1u);
  work(host, none, [&] { return silent.receive().empty() && silent.is_over(); });
  EXPECT_TRUE(silent.is_over());
  EXPECT_TRUE(serves(host));
}

// The listener's process may be late itself, and then finds the hello only after the time.
TEST(LinkAttacks, AHelloThatHasArrivedCountsAfterTheLimit) {
  Host host;
  std::vector<Talker> peers;
  peers.push_back({Link(host.listener.meeting(), start), {}});
  host.progress();
  for (int pass = 0; pass < 1000 && peers[0].link.state() == Link::State::expects_random; ++pass) {
    host.progress();
    peers[0].progress(start);
  }
  ::usleep(10'000);  // so that the hello arrives
  host.now += 60s;
  host.progress();
  EXPECT_EQ(host.listener.refused(), 0u);
  EXPECT_EQ(host.links.size(), 1u);
}

TEST(LinkAttacks, ManySilentPeersDelayTheRightOne) {
  Host host;
  std::vector<Stranger> silent;
  for (int i = 0; i < 100; ++i) silent.emplace_back(host.listener.meeting().port);
  std::vector<Talker> peers;
  peers.push_back({Link(host.listener.meeting(), start), {}});
  for (int pass = 0; pass < 200; ++pass) {
    host.progress();
    peers[0].progress(start);
  }
  EXPECT_TRUE(host.links.empty());
  host.now += 5s;
  work(host, peers, [&] { return !host.links.empty(); });
  EXPECT_EQ(host.listener.refused(), 64u);
  EXPECT_EQ(host.links.size(), 1u);
  EXPECT_FALSE(peers[0].is_closed());
}

// A member of the run, or who has its key, is trusted only as far as the length of its messages.
TEST(LinkAttacks, ALengthBeyondTheLimitIsRefused) {
  Host host;
  std::size_t passed = 0;
  const Talk long_one = talk(host, [&](std::size_t side, std::string& bytes) {
    if (side != 0) return;
    const std::size_t length_at = random_size + head_size + 16;
    const std::uint64_t length = Link::most_bytes + 1;
    for (std::size_t i = 0; i < bytes.size(); ++i, ++passed)
      if (passed >= length_at && passed < length_at + 8) bytes[i] = static_cast<char>(length >> 8 * (passed - length_at));
  });
  EXPECT_FALSE(long_one.at_host);
  EXPECT_EQ(long_one.host_state, Link::State::closed);
}

}  // namespace
}  // namespace quadrille::command
