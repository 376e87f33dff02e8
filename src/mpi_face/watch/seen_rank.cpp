// SPDX-License-Identifier: BSD-3-Clause
// Writes and reads the bytes of a seen rank. One list of members serves both directions. The reader trusts no length and no number.
#include "mpi_face/watch/seen_rank.hpp"

#include <cmath>
#include <concepts>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

namespace quadrille::mpi_face {
namespace {

constexpr std::string_view beginning = "quadrille rank 1\n";

template <class Archive>
void visit(Archive& archive, auto& call) requires requires {
  call.is_collective;
}
{
  archive(call.function, call.is_collective, call.is_blocking, call.has_left, call.communicator, call.number, call.bytes, call.root,
          call.peer, call.tag, call.begun_ticks, call.operation, call.element, call.place, call.sent, call.received);
}

template <class Archive>
void visit(Archive& archive, auto& communicator) requires requires {
  communicator.usual_s;
}
{
  archive(communicator.key.members, communicator.key.made, communicator.name, communicator.world_ranks, communicator.calls,
          communicator.usual_s);
}

template <class Archive>
void visit(Archive& archive, auto& objects) requires requires {
  objects.what;
}
{ archive(objects.what, objects.place, objects.live); }

template <class Archive>
void visit(Archive& archive, auto& rank) requires requires {
  rank.processor_s;
}
{
  archive(rank.rank, rank.host, rank.process, rank.state, rank.since_s, rank.processor_s, rank.end, rank.waits_in, rank.stack,
          rank.communicators, rank.calls, rank.live, rank.begun);
}

// Integers have seven bits a byte, the lowest first; signed ones have their sign in the lowest bit.
class Writer {
 public:
  template <class... Values>
  void operator()(const Values&... values) {
    (add(values), ...);
  }
  std::string bytes{beginning};

 private:
  void add(std::unsigned_integral auto number) {
    std::uint64_t rest = number;
    for (; rest >= 0x80; rest >>= 7) bytes += static_cast<char>(rest | 0x80);
    bytes += static_cast<char>(rest);
  }
  void add(std::signed_integral auto number) {
    const auto wide = static_cast<std::uint64_t>(std::int64_t{number});
    add(number < 0 ? ~(wide << 1) : wide << 1);
  }
  void add(double number) { bytes.append(reinterpret_cast<const char*>(&number), sizeof number); }
  void add(SeenRank::State state) { bytes += static_cast<char>(state); }
  void add(const std::string& text) { add(text.size()), bytes += text; }
  template <class Value>
  void add(const std::vector<Value>& values) {
    add(values.size());
    for (const Value& value : values) add(value);
  }
  template <class Record>
  requires std::is_class_v<Record>
  void add(const Record& record) { visit(*this, record); }
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  template <class... Values>
  void operator()(Values&... values) {
    (read(values), ...);
  }
  bool is_good() const { return good_; }
  bool is_at_end() const { return rest_.empty(); }

 private:
  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) good_ = false;
    const std::string_view taken = rest_.substr(0, good_ ? size : 0);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  std::uint64_t number() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; good_ && shift < 64; shift += 7) {
      const std::string_view byte = take(1);
      if (byte.empty()) break;
      const auto bits = static_cast<unsigned char>(byte[0]);
      number |= std::uint64_t{bits & 0x7Fu} << shift;
      if (bits < 0x80) return number;
    }
    good_ = false;
    return 0;
  }
  template <std::integral Integer>
  void read(Integer& value) {
    const std::uint64_t bits = number();
    if constexpr (std::unsigned_integral<Integer>) {
      good_ = good_ && std::in_range<Integer>(bits);
      value = static_cast<Integer>(bits);
    } else {
      const auto wide = static_cast<std::int64_t>(bits % 2 == 1 ? ~(bits >> 1) : bits >> 1);
      good_ = good_ && std::in_range<Integer>(wide);
      value = static_cast<Integer>(wide);
    }
  }
  void read(bool& value) {
    const std::uint64_t bits = number();
    good_ = good_ && bits < 2;
    value = bits != 0;
  }
  void read(double& value) {
    if (const std::string_view taken = take(sizeof value); good_) std::memcpy(&value, taken.data(), sizeof value);
    good_ = good_ && std::isfinite(value);
  }
  void read(SeenRank::State& state) {
    const std::uint64_t bits = number();
    good_ = good_ && bits <= static_cast<std::uint64_t>(SeenRank::State::unknown);
    if (good_) state = static_cast<SeenRank::State>(bits);
  }
  void read(std::string& text) { text = take(number()); }
  // Adds one value at a time, so that a wrong number of values does not take memory.
  template <class Value>
  void read(std::vector<Value>& values) {
    for (std::uint64_t left = number(); good_ && left > 0; --left) read(values.emplace_back());
  }
  template <class Record>
  requires std::is_class_v<Record>
  void read(Record& record) { visit(*this, record); }

  std::string_view rest_;
  bool good_ = true;
};

}  // namespace

std::string to_bytes(const SeenRank& rank) {
  Writer writer;
  visit(writer, rank);
  return std::move(writer.bytes);
}

bool from_bytes(std::string_view bytes, SeenRank& rank) {
  if (!bytes.starts_with(beginning)) return false;
  Reader reader(bytes.substr(beginning.size()));
  SeenRank read;
  visit(reader, read);
  if (!reader.is_good() || !reader.is_at_end() || read.rank < 0) return false;
  for (const WatchedCall& call : read.calls)
    if (call.communicator < -1 || call.communicator >= static_cast<std::int64_t>(read.communicators.size())) return false;
  rank = std::move(read);
  return true;
}

}  // namespace quadrille::mpi_face
