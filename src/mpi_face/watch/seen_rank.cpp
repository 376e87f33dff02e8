// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a seen rank. One list of members serves to write and to read them. The reader trusts no length and no number.
#include "mpi_face/watch/seen_rank.hpp"

#include <cmath>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

namespace quadrille::mpi_face {
namespace {

constexpr std::string_view beginning = "quadrille rank 2\n";

class RankBytes {
 public:
  RankBytes() : written_(beginning) {}
  explicit RankBytes(std::string_view read) : rest_(read), reads_(true) { good_ = take(beginning.size()) == beginning; }

  template <class... Values>
  void operator()(Values&... values) {
    (visit(values), ...);
  }
  std::string take_written() { return std::move(written_); }
  bool is_all_read() const { return good_ && rest_.empty(); }

 private:
  std::string_view take(std::uint64_t size) {
    good_ = good_ && size <= rest_.size();
    const std::string_view taken = rest_.substr(0, good_ ? size : 0);
    rest_.remove_prefix(taken.size());
    return taken;
  }

  // Seven bits a byte, the lowest first.
  void visit(std::uint64_t& number) {
    if (!reads_) {
      std::uint64_t rest = number;
      for (; rest >= 0x80; rest >>= 7) written_ += static_cast<char>(rest | 0x80);
      written_ += static_cast<char>(rest);
      return;
    }
    number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::string_view byte = take(1);
      const unsigned bits = byte.empty() ? 0 : static_cast<unsigned char>(byte[0]);
      number |= std::uint64_t{bits & 0x7F} << shift;
      if (bits < 0x80) return;
    }
    good_ = false;
  }
  // Other whole numbers, with the sign as the lowest bit.
  template <class Whole>
  void visit(Whole& value) requires(std::is_integral_v<Whole> || std::is_enum_v<Whole>) {
    const auto number = static_cast<std::int64_t>(value);
    std::uint64_t bits = static_cast<std::uint64_t>(number) << 1 ^ static_cast<std::uint64_t>(number >> 63);
    visit(bits);
    const auto read = static_cast<std::int64_t>(bits >> 1 ^ -(bits & 1));
    value = static_cast<Whole>(read);
    good_ = good_ && static_cast<std::int64_t>(value) == read;
  }
  void visit(double& number) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &number, sizeof bits);
    visit(bits);
    std::memcpy(&number, &bits, sizeof bits);
    good_ = good_ && std::isfinite(number);
  }
  void visit(std::string& text) {
    std::uint64_t size = text.size();
    visit(size);
    if (reads_)
      text = take(size);
    else
      written_ += text;
  }
  // Reads one value at a time, so that a wrong number of values does not take memory.
  template <class Value>
  void visit(std::vector<Value>& values) {
    std::uint64_t size = values.size();
    visit(size);
    for (std::uint64_t i = 0; good_ && i < size; ++i) visit(reads_ ? values.emplace_back() : values[i]);
  }
  void visit(WatchedCall& call) {
    (*this)(call.function, call.is_collective, call.is_blocking, call.has_left, call.is_nested, call.communicator, call.number,
            call.bytes, call.root, call.peer, call.tag, call.begun_ticks, call.operation, call.element, call.place, call.usual_s,
            call.sent, call.received);
  }
  void visit(SeenCommunicator& communicator) {
    (*this)(communicator.key.members, communicator.key.made, communicator.name, communicator.world_ranks, communicator.calls);
  }
  void visit(LiveObjects& objects) { (*this)(objects.what, objects.place, objects.live); }
  void visit(SeenRank& rank) {
    (*this)(rank.rank, rank.host, rank.process, rank.state, rank.since_s, rank.processor_s, rank.end, rank.waits_in, rank.stack,
            rank.communicators, rank.calls, rank.live, rank.begun);
  }

  std::string written_;
  std::string_view rest_;
  bool reads_ = false, good_ = true;
};

}  // namespace

std::string to_bytes(SeenRank rank) {
  RankBytes bytes;
  bytes(rank);
  return bytes.take_written();
}

bool from_bytes(std::string_view text, SeenRank& rank) {
  RankBytes bytes(text);
  SeenRank read;
  bytes(read);
  if (!bytes.is_all_read() || read.rank < 0 || read.state > SeenRank::State::unknown) return false;
  for (const WatchedCall& call : read.calls)
    if (call.communicator < -1 || call.communicator >= static_cast<std::int64_t>(read.communicators.size())) return false;
  rank = std::move(read);
  return true;
}

}  // namespace quadrille::mpi_face
