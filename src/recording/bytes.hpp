// SPDX-License-Identifier: BSD-3-Clause
// Numbers and texts as bytes: the parts of a rank's file. A number takes 7 bits a byte, the lowest first (LEB128).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "quadrille/error.hpp"
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
  // How many items follow, each of which takes at least a byte.
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
  bool is_at_end() const { return left_.empty(); }

  [[noreturn]] static std::uint64_t fail() { throw Error(ErrorCode::malformed, "its contents are damaged"); }

 private:
  std::string_view left_;
};

}  // namespace quadrille::recording
