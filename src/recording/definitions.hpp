// SPDX-License-Identifier: BSD-3-Clause
// Communicators, sites and the facts of a run, as bytes: the parts of a rank's file. A number takes 7 bits a byte, the lowest first
// (LEB128).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "quadrille/error.hpp"
#include "quadrille/recording.hpp"
#include "quadrille/types.hpp"

namespace quadrille::recording {

class ByteWriter {
 public:
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  // A number that may be -1.
  void rank(Rank value) { number(static_cast<std::uint64_t>(value + 1)); }
  void text(std::string_view words) {
    number(words.size());
    bytes_ += words;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Throws Error{malformed} at bytes that ByteWriter cannot have written.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : left_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (left_.empty()) fail();
      const auto byte = static_cast<unsigned char>(left_.front());
      left_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    fail();
  }
  std::uint64_t number_below(std::uint64_t limit) {
    const std::uint64_t value = number();
    return value < limit ? value : fail();
  }
  Rank rank() { return static_cast<Rank>(number_below(std::uint64_t{1} << 40)) - 1; }
  Count count() { return static_cast<Count>(number_below(std::uint64_t{1} << 62)); }
  bool flag() { return number_below(2) != 0; }
  // Reads how many items follow. Each item takes at least a byte.
  std::size_t items() {
    const std::uint64_t count = number();
    return count <= left_.size() ? static_cast<std::size_t>(count) : fail();
  }
  std::string_view text() {
    const std::size_t length = items();
    const std::string_view words = left_.substr(0, length);
    left_.remove_prefix(length);
    return words;
  }

  [[noreturn]] static std::uint64_t fail() { throw Error(ErrorCode::malformed, "its contents are damaged"); }

 private:
  std::string_view left_;
};

// What a rank knows of itself and of the run.
struct RankFacts {
  std::string program, mpi, version, host;
  std::vector<std::string> settings;  // Recording::settings; a definition of their own
  Rank rank = 0;
  Count world_size = 1;
  std::uint64_t run = 0;  // equal on all ranks of a run, different for other runs
  std::int64_t start_unix_ns = 0;
  std::int64_t process = 0;
  bool folds = false;
};

void write(ByteWriter& to, const RankFacts& facts);
void write(ByteWriter& to, const RecordedCommunicator& communicator);
void write(ByteWriter& to, const RecordedSite& site);  // the communicator by its number among the rank's own

// The following functions throw Error{malformed}. Texts are returned without characters that would disturb a terminal.
RankFacts read_facts(ByteReader& from);
// `members_left`: how many members the file's communicators may still have together.
RecordedCommunicator read_communicator(ByteReader& from, Count world_size, std::uint64_t& members_left);
RecordedSite read_site(ByteReader& from, std::size_t communicators);

inline constexpr Count most_ranks = Count{1} << 24;
inline constexpr std::uint64_t most_members = std::uint64_t{1} << 25;  // the limit for all communicators of a rank together

// The kind of a site in words.
constexpr std::string_view name(RecordedKind kind) {
  switch (kind) {
    case RecordedKind::collective: return "collective";
    case RecordedKind::start: return "start";
    case RecordedKind::completion: return "completion";
    case RecordedKind::point_to_point: return "point-to-point";
    case RecordedKind::making: return "making";
    case RecordedKind::others: break;
  }
  return "others";
}

}  // namespace quadrille::recording
