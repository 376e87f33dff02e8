// SPDX-License-Identifier: BSD-3-Clause
// Links between watchers: where a listener is, messages of all sizes, and peers that go away.
#include "watch/link.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <set>
#include <utility>

#include "quadrille/error.hpp"
#include "support/watch_links.hpp"

namespace quadrille::command {
namespace {

using namespace std::chrono_literals;
using namespace quadrille::testing;

TEST(Link, MeetingsHaveAText) {
  const Meeting meeting{"10.87.0.1", 40123, {0x0123456789abcdefu, 0x00000000000000ffu}};
  EXPECT_EQ(to_text(meeting), "10.87.0.1:40123 0123456789abcdef00000000000000ff");
  const auto parsed = parse_meeting(to_text(meeting));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->address, meeting.address);
  EXPECT_EQ(parsed->port, meeting.port);
  EXPECT_EQ(parsed->key, meeting.key);
}

TEST(Link, DamagedMeetingsAreRefused) {
  const std::string right = "10.87.0.1:40123 0123456789abcdef00000000000000ff";
  for (std::size_t length = 0; length < right.size(); ++length) EXPECT_FALSE(parse_meeting(right.substr(0, length))) << length;
  const std::string key = right.substr(right.find(' '));
  for (const char* place :
       {"", ":", "1", "10.87.0.1", "10.87.0.1:", "10.87.0.1:0", "10.87.0.1:65536", "10.87.0.1:-1", "10.87.0.1:080", "10.87.0:1",
        "10.87.0.256:1", "0.0.0.0:1", "::1:1", "localhost:1", " 10.87.0.1:1", "10.87.0.1:1 ", "a:1"})
    EXPECT_FALSE(parse_meeting(place + key)) << place;
  for (const char* other : {" ", "\n", "0"}) EXPECT_FALSE(parse_meeting(right + other));
  EXPECT_FALSE(parse_meeting("10.87.0.1:40123 0123456789ABCDEF00000000000000ff"));
  EXPECT_FALSE(parse_meeting("10.87.0.1:40123 0123456789abcdeg00000000000000ff"));
  EXPECT_FALSE(parse_meeting("10.87.0.1:40123 -123456789abcdef00000000000000ff"));
}

// Returns the address to which a descriptor is bound.
std::string bound_address(int descriptor) {
  sockaddr_in place{};
  socklen_t size = sizeof place;
  char text[INET_ADDRSTRLEN] = "";
  EXPECT_EQ(::getsockname(descriptor, reinterpret_cast<sockaddr*>(&place), &size), 0);
  return ::inet_ntop(AF_INET, &place.sin_addr, text, sizeof text);
}

// Addresses of this host that the listener may choose by itself.
std::set<std::string> reachable_addresses() {
  std::set<std::string> addresses;
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return addresses;
  for (const ifaddrs* at = first; at != nullptr; at = at->ifa_next) {
    char text[INET_ADDRSTRLEN] = "";
    if (at->ifa_addr == nullptr || at->ifa_addr->sa_family != AF_INET || (at->ifa_flags & IFF_LOOPBACK) != 0) continue;
    if ((at->ifa_flags & IFF_RUNNING) == 0) continue;
    addresses.insert(::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(at->ifa_addr)->sin_addr, text, sizeof text));
  }
  ::freeifaddrs(first);
  return addresses;
}

TEST(Link, AListenerIsBoundToOneAddress) {
  for (const char* wished : {"", "127.0.0.2"}) {
    const Listener listener(wished);
    std::vector<pollfd> polled;
    listener.add_polled(polled);
    ASSERT_EQ(polled.size(), 1u);
    const std::string address = bound_address(polled[0].fd);
    EXPECT_EQ(address, listener.meeting().address);
    EXPECT_NE(listener.meeting().port, 0);
    EXPECT_TRUE(parse_meeting(to_text(listener.meeting())));
    const std::set<std::string> reachable = reachable_addresses();
    if (*wished)
      EXPECT_EQ(address, wished);
    else if (reachable.empty())
      EXPECT_EQ(address, "127.0.0.1");
    else
      EXPECT_TRUE(reachable.contains(address)) << address;
  }
  for (const char* wrong : {"0.0.0.0", "203.0.113.77", "no address", "255.255.255.256"}) EXPECT_THROW(Listener{wrong}, Error);
  EXPECT_NE(Listener().meeting().key, Listener().meeting().key);
}

TEST(Link, CarriesMessagesOfAllSizesInBothDirections) {
  Host host;
  std::vector<Talker> peers;
  Talker& peer = join(host, peers, host.listener.meeting());
  std::vector<std::string> sent;
  for (const std::size_t size : {0u, 1u, 7u, 8u, 9u, 65535u, 65536u, 0u, 1000003u, 40u << 20, 5u})
    sent.push_back(drawn_text(size, static_cast<unsigned>(size)));
  for (const std::string& message : sent) {
    peer.send(message);
    host.links[0].send(message);
  }
  EXPECT_TRUE(peer.link.has_unsent());
  std::vector<std::string> at_host, at_peer;
  work(host, peers, [&] {
    while (auto message = host.links[0].receive()) at_host.push_back(*std::move(message));
    while (auto message = peer.receive()) at_peer.push_back(*std::move(message));
    return at_host.size() >= sent.size() && at_peer.size() >= sent.size();
  });
  EXPECT_TRUE(at_host == sent);
  EXPECT_TRUE(at_peer == sent);
  EXPECT_FALSE(peer.link.has_unsent());
  EXPECT_FALSE(host.links[0].link.has_unsent());
  peer.send(std::string(Link::most_bytes + 1, 'x'));
  EXPECT_FALSE(peer.link.has_unsent()) << "too long";
}

TEST(Link, BytesMayArriveOneByOne) {
  Host host;
  Relay relay(host.listener.meeting());
  std::vector<Talker> peers;
  peers.push_back({Link(relay.meeting(), start), {}});
  const std::string message = drawn_text(70, 1);
  int received = 0;
  bool has_sent = false;
  work(host, peers, [&] {
    relay.progress([](std::size_t, std::string& bytes) { ASSERT_EQ(bytes.size(), 1u); }, 1);
    if (peers[0].is_open() && !std::exchange(has_sent, true))
      for (int i = 0; i < 3; ++i) peers[0].send(message);
    if (!host.links.empty() && host.links[0].receive() == message) ++received;
    return received == 3;
  });
  EXPECT_EQ(received, 3);
}

TEST(Link, ServesSeveralLinks) {
  Host host;
  std::vector<Talker> peers;
  constexpr std::size_t many = 150;  // more than may greet at a time
  for (std::size_t i = 0; i < many; ++i) {
    peers.push_back({Link(host.listener.meeting(), start), {}});
    peers.back().send("lost");  // it is not open
  }
  std::vector<std::string> received, answers(many);
  std::vector<bool> has_sent(many);
  work(host, peers, [&] {
    for (std::size_t i = 0; i < many; ++i)
      if (peers[i].is_open() && !has_sent[i]) peers[i].send(std::to_string(i)), has_sent[i] = true;
    for (Talker& link : host.links)
      if (auto message = link.receive()) {
        link.send("to " + *message);
        received.push_back(*std::move(message));
      }
    for (std::size_t i = 0; i < many; ++i)
      if (auto answer = peers[i].receive()) answers[i] += *answer;
    return std::none_of(answers.begin(), answers.end(), [](const std::string& answer) { return answer.empty(); });
  });
  EXPECT_EQ(std::set(received.begin(), received.end()).size(), many);
  for (std::size_t i = 0; i < many; ++i) EXPECT_EQ(answers[i], "to " + std::to_string(i));
  EXPECT_EQ(host.listener.refused(), 0u);
}

TEST(Link, DescriptorsAreNotInheritedAndPeersAreProbed) {
  Host host;
  std::vector<Talker> peers;
  join(host, peers, host.listener.meeting());
  std::vector<pollfd> polled;
  host.listener.add_polled(polled);
  ASSERT_EQ(polled.size(), 1u);
  host.links[0].link.add_polled(polled);
  peers[0].link.add_polled(polled);
  ASSERT_EQ(polled.size(), 3u);
  for (std::size_t i = 0; i < polled.size(); ++i) {
    EXPECT_NE(::fcntl(polled[i].fd, F_GETFD) & FD_CLOEXEC, 0);
    EXPECT_NE(::fcntl(polled[i].fd, F_GETFL) & O_NONBLOCK, 0);
    const auto option = [&](int level, int name) {
      int value = -1;
      socklen_t size = sizeof value;
      EXPECT_EQ(::getsockopt(polled[i].fd, level, name, &value, &size), 0);
      return value;
    };
    if (i == 0) continue;
    EXPECT_EQ(option(SOL_SOCKET, SO_KEEPALIVE), 1);
    EXPECT_EQ(option(IPPROTO_TCP, TCP_USER_TIMEOUT), 30'000);
    EXPECT_LE(option(IPPROTO_TCP, TCP_KEEPIDLE) + option(IPPROTO_TCP, TCP_KEEPINTVL) * option(IPPROTO_TCP, TCP_KEEPCNT), 30);
  }
}

TEST(Link, WaitsForSpaceToWriteOnlyIfThereIsSomethingToWrite) {
  Host host;
  std::vector<Talker> peers;
  Talker& peer = join(host, peers, host.listener.meeting());
  const auto events = [&] {
    std::vector<pollfd> polled;
    peer.link.add_polled(polled);
    return polled.at(0).events;
  };
  EXPECT_EQ(events(), POLLIN);
  peer.send("text");
  EXPECT_EQ(events(), POLLIN | POLLOUT);
  peer.progress(start);
  EXPECT_EQ(events(), POLLIN);
  peer.send(std::string(40 << 20, 'x'));  // more than the system's buffers hold
  peer.progress(start);
  EXPECT_EQ(events(), POLLIN | POLLOUT);
}

TEST(Link, NoticesAPeerThatGoesAwayAfterItsLastMessage) {
  Host host;
  std::vector<Talker> peers;
  join(host, peers, host.listener.meeting());
  const std::string last = drawn_text(3 << 20, 2);
  peers[0].send("first");
  peers[0].send(last);
  host.links[0].send("never read");
  work(host, peers, [&] { return !peers[0].link.has_unsent(); });
  while (peers[0].receive()) continue;
  peers.clear();
  work(host, peers, [&] { return host.links[0].is_closed(); });
  EXPECT_EQ(host.links[0].receive(), "first");
  EXPECT_TRUE(host.links[0].receive() == last);
  host.links[0].send("lost");
  EXPECT_FALSE(host.links[0].link.has_unsent());
  EXPECT_TRUE(serves(host));
}

TEST(Link, NoticesThatNobodyListens) {
  Host host;
  std::vector<Talker> peers;
  Meeting meeting;
  { meeting = Listener("127.0.0.1").meeting(); }
  peers.push_back({Link(meeting, start), {}});
  work(host, peers, [&] { return peers[0].is_closed(); });
  EXPECT_TRUE(peers[0].is_closed());
  meeting.address = "nonsense";
  EXPECT_TRUE(Link(meeting, start).is_closed());
}

// The connecting side gives up as well.
TEST(Link, NoticesThatTheOtherSideIsSilent) {
  Host host;
  Link link(host.listener.meeting(), start);
  link.progress(start + 29s);
  EXPECT_FALSE(link.is_closed());
  link.progress(start + 30s);
  EXPECT_TRUE(link.is_closed());
}

}  // namespace
}  // namespace quadrille::command
