// SPDX-License-Identifier: BSD-3-Clause
#include "watch/link.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "foundation/system/proc.hpp"
#include "quadrille/error.hpp"

namespace quadrille::command {
namespace {

struct FrameHead {
  std::uint64_t hash = 0, number = 0, length = 0;
};

constexpr std::uint64_t first_of_listener = std::uint64_t{1} << 63;
constexpr std::chrono::seconds hello_limit(5), answer_limit(30);
constexpr std::size_t most_strangers = 64;

HashKey random_key() {
  HashKey key;
  if (::getrandom(key.data(), sizeof key, 0) != static_cast<ssize_t>(sizeof key))
    throw Error(ErrorCode::environment, std::string("the system gives no random numbers: ") + std::strerror(errno));
  return key;
}

template <class Plain>
std::string_view bytes_of(const Plain& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// Returns a port of an address. Returns nothing unless it is the IPv4 address of one host.
std::optional<sockaddr_in> socket_address(const std::string& address, std::uint16_t port) {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(port);
  const bool is_address = ::inet_pton(AF_INET, address.c_str(), &place.sin_addr) == 1 && place.sin_addr.s_addr != INADDR_ANY;
  return is_address ? std::optional(place) : std::nullopt;
}

std::string address_text(const sockaddr* place) {
  char text[INET_ADDRSTRLEN] = "";
  ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(place)->sin_addr, text, sizeof text);
  return text;
}

Descriptor tcp_socket() { return Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)); }

// A peer without a sign of life for 30 s counts as gone, whether data are on their way to it or not.
void set_options(const Descriptor& socket) {
  const auto set = [&](int level, int name, int value) { ::setsockopt(socket.number(), level, name, &value, sizeof value); };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 10);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(IPPROTO_TCP, TCP_KEEPCNT, 4);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 30'000);
  set(IPPROTO_TCP, TCP_NODELAY, 1);
}

// The address of an interface that is up; if there is a choice, of the one by which the system reaches other networks. No name is
// looked up, because that may take long.
std::string own_address() {
  std::vector<std::string> addresses;
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) == 0) {
    for (const ifaddrs* at = first; at != nullptr; at = at->ifa_next)
      if (at->ifa_addr != nullptr && at->ifa_addr->sa_family == AF_INET &&
          (at->ifa_flags & (IFF_UP | IFF_RUNNING | IFF_LOOPBACK)) == (IFF_UP | IFF_RUNNING))
        addresses.push_back(address_text(at->ifa_addr));
    ::freeifaddrs(first);
  }
  // Nothing is sent to this address, which is reserved for documentation.
  const auto far = socket_address("192.0.2.1", 9);
  const Descriptor probe(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in own{};
  socklen_t length = sizeof own;
  if (addresses.size() > 1 && ::connect(probe.number(), reinterpret_cast<const sockaddr*>(&*far), sizeof *far) == 0 &&
      ::getsockname(probe.number(), reinterpret_cast<sockaddr*>(&own), &length) == 0) {
    const std::string address = address_text(reinterpret_cast<const sockaddr*>(&own));
    if (std::find(addresses.begin(), addresses.end(), address) != addresses.end()) return address;
  }
  return addresses.empty() ? "127.0.0.1" : addresses.front();
}

}  // namespace

std::string to_text(const Meeting& meeting) {
  return fmt::format("{}:{} {:016x}{:016x}", meeting.address, meeting.port, meeting.key[0], meeting.key[1]);
}

std::optional<Meeting> parse_meeting(std::string_view text) {
  char address[INET_ADDRSTRLEN];
  Meeting meeting;
  const std::string whole(text);
  if (std::sscanf(whole.c_str(), "%15[0-9.]:%" SCNu16 " %16" SCNx64 "%16" SCNx64, address, &meeting.port, &meeting.key[0],
                  &meeting.key[1]) != 4)
    return std::nullopt;
  meeting.address = address;
  const bool is_right = meeting.port != 0 && socket_address(address, meeting.port) && to_text(meeting) == text;
  return is_right ? std::optional(meeting) : std::nullopt;
}

Link::Link(const Meeting& meeting, Time now) : Link(tcp_socket(), meeting.key, false, now + answer_limit) {
  const auto place = socket_address(meeting.address, meeting.port);
  if (!place ||
      (::connect(socket_.number(), reinterpret_cast<const sockaddr*>(&*place), sizeof *place) != 0 && errno != EINPROGRESS))
    close();
}

Link::Link(Descriptor socket, const HashKey& key, bool listens, Time deadline)
    : socket_(std::move(socket)),
      key_(key),
      listens_(listens),
      deadline_(deadline),
      random_(random_key()),
      out_(bytes_of(random_)),
      next_sent_(listens ? first_of_listener : 0),
      next_received_(listens ? 0 : first_of_listener) {
  set_options(socket_);
}

void Link::send(std::string_view message) {
  if (state_ == State::open && message.size() <= most_bytes) add_frame(message);
}

// What has arrived counts before the deadline does: this process may be late itself.
std::vector<std::string> Link::progress(Time now) {
  std::vector<std::string> messages;
  if (!is_closed()) read(messages);
  if (!is_closed()) write();
  if (state_ < State::open && now >= deadline_) close();
  return messages;
}

void Link::add_polled(std::vector<pollfd>& polled) const {
  if (!is_closed()) polled.push_back({socket_.number(), static_cast<short>(has_unsent() ? POLLIN | POLLOUT : POLLIN), 0});
}

// Reads at most 4 MiB, so that other links get their turn. Before the hello has arrived, reads no byte beyond its end.
void Link::read(std::vector<std::string>& messages) {
  std::array<char, 1 << 16> part;
  for (int i = 0; i < 64 && !is_closed(); ++i) {
    const std::size_t expected = sizeof(FrameHead) + (state_ == State::expects_random ? sizeof(HashKey) : 0);
    const std::size_t most = state_ == State::open ? part.size() : expected - in_.size();
    const ssize_t count = ::recv(socket_.number(), part.data(), most, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return close();
    in_.append(part.data(), static_cast<std::size_t>(count));
    take(messages);
  }
}

// Takes all that is complete from in_.
void Link::take(std::vector<std::string>& messages) {
  if (state_ == State::expects_random && in_.size() >= sizeof(HashKey)) {
    const std::string other = in_.substr(0, sizeof(HashKey)), own(bytes_of(random_)), both = listens_ ? own + other : other + own;
    key_ = {keyed_hash(key_, "0" + both), keyed_hash(key_, "1" + both)};
    in_.erase(0, sizeof(HashKey));
    state_ = State::expects_hello;
    if (!listens_) add_frame({});
  }
  if (state_ == State::expects_random) return;
  std::size_t begin = 0;
  while (in_.size() - begin >= sizeof(FrameHead)) {
    const auto frame = std::string_view(in_).substr(begin);
    FrameHead head;
    std::memcpy(&head, frame.data(), sizeof head);
    if (head.number != next_received_ || head.length > (state_ == State::open ? most_bytes : 0)) return close();
    if (frame.size() - sizeof head < head.length) break;
    if (keyed_hash(key_, frame.substr(sizeof head.hash, sizeof head - sizeof head.hash + head.length)) != head.hash) return close();
    if (state_ == State::open)
      messages.emplace_back(frame.substr(sizeof head, head.length));
    else if (listens_)
      add_frame({});
    state_ = State::open;
    ++next_received_;
    begin += sizeof head + head.length;
  }
  in_.erase(0, begin);
}

void Link::write() {
  while (has_unsent()) {
    const ssize_t count = ::send(socket_.number(), out_.data() + written_, out_.size() - written_, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    // If the other side has gone, `read` closes the link when it has read what is left.
    written_ = count < 0 ? out_.size() : written_ + static_cast<std::size_t>(count);
  }
  out_.clear();
  written_ = 0;
}

void Link::add_frame(std::string_view message) {
  const std::size_t begin = out_.size();
  FrameHead head{0, next_sent_++, message.size()};
  out_.append(bytes_of(head)).append(message);
  head.hash = keyed_hash(key_, std::string_view(out_).substr(begin + sizeof head.hash));
  out_.replace(begin, sizeof head.hash, bytes_of(head.hash));
}

void Link::close() {
  state_ = State::closed;
  socket_ = Descriptor();
  out_.clear();
  written_ = 0;
}

Listener::Listener(const std::string& address) : socket_(tcp_socket()) {
  const std::string own = address.empty() ? own_address() : address;
  auto place = socket_address(own, 0);
  auto* const general = reinterpret_cast<sockaddr*>(place ? &*place : nullptr);
  socklen_t size = sizeof *place;
  if (!place || ::bind(socket_.number(), general, size) != 0 || ::listen(socket_.number(), SOMAXCONN) != 0 ||
      ::getsockname(socket_.number(), general, &size) != 0)
    throw Error(ErrorCode::environment, fmt::format("the watcher cannot open a port of {}: {}", own, std::strerror(errno)));
  meeting_ = {own, ntohs(place->sin_port), random_key()};
}

std::vector<Link> Listener::progress(Link::Time now) {
  while (strangers_.size() < most_strangers) {
    Descriptor socket(::accept4(socket_.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.number() < 0) break;
    strangers_.push_back(Link(std::move(socket), meeting_.key, true, now + hello_limit));
  }
  std::vector<Link> links;
  for (Link& stranger : strangers_) {
    stranger.progress(now);  // reads the hello, and no message after it
    refused_ += stranger.is_closed();
    if (stranger.state() == Link::State::open) links.push_back(std::move(stranger));
  }
  std::erase_if(strangers_, [](const Link& stranger) { return stranger.state() >= Link::State::open; });
  return links;
}

void Listener::add_polled(std::vector<pollfd>& polled) const { polled.push_back({socket_.number(), POLLIN, 0}); }

}  // namespace quadrille::command
