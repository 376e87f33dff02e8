// SPDX-License-Identifier: BSD-3-Clause
// Memory that a call reads or writes. It consists of pieces with known values, and gaps that must not change.
#pragma once

#include <functional>
#include <optional>

#include "types.hpp"

namespace quadrille::trials {

// The k-th item of the data that goes from one place to another.
using Content = std::function<Value(Count)>;

struct Piece {
  TypePointer type;
  Count count = 0;            // elements
  std::ptrdiff_t offset = 0;  // bytes from the buffer's address
  Content before, after;      // before: none means the bytes of the gaps; after: none means unchanged
  bool unspecified = false;   // afterwards, the piece may contain any bytes
};

class Buffer {
 public:
  void add(Piece piece) { pieces_.push_back(std::move(piece)); }

  // Allocates the memory; call it when all pieces are known.
  void allocate(Random& random) {
    std::ptrdiff_t lower = 0, upper = 0;
    for (const Piece& piece : pieces_) {
      if (piece.count == 0 || piece.type->items.empty()) continue;
      lower = std::min(lower, piece.offset + piece.type->lower);
      upper = std::max(upper, piece.offset + piece.type->upper + (piece.count - 1) * piece.type->extent);
    }
    nothing_ = upper == lower;
    constexpr std::ptrdiff_t grain = 16, margin = 64;
    origin_ = (margin - lower + grain - 1) / grain * grain + (random.one_in(4) ? 16 * random.below(3) : 0);
    memory_.resize(static_cast<std::size_t>(origin_ + upper + margin));
  }

  bool nothing() const { return nothing_; }
  char* address() { return reinterpret_cast<char*>(memory_.data()) + origin_; }

  void fill(std::uint64_t seed) {
    for (std::size_t i = 0; i < memory_.size(); ++i) memory_[i] = static_cast<unsigned char>(0xa5 ^ (i * 7) ^ seed);
    for (const Piece& piece : pieces_)
      if (piece.before) write(memory_, piece, piece.before);
    expected_ = memory_;
    for (const Piece& piece : pieces_)
      if (piece.after) write(expected_, piece, piece.after);
  }

  // Describes the first byte that is wrong: its offset from the buffer's address, and its value.
  std::optional<std::string> fault() {
    for (const Piece& piece : pieces_)
      if (piece.unspecified)
        each(piece,
             [&](Count, std::size_t at, int bytes) { std::memcpy(&expected_[at], &memory_[at], static_cast<std::size_t>(bytes)); });
    for (const Piece& piece : pieces_)  // the piece may lie inside an unspecified one
      if (piece.after) write(expected_, piece, piece.after);
    if (memory_ == expected_) return std::nullopt;
    std::size_t at = 0, wrong = 0;
    for (std::size_t i = memory_.size(); i-- > 0;)
      if (memory_[i] != expected_[i]) at = i, ++wrong;
    bool in_item = false;
    for (const Piece& piece : pieces_)
      each(piece,
           [&](Count, std::size_t first, int bytes) { in_item |= at >= first && at < first + static_cast<std::size_t>(bytes); });
    char text[160];
    std::snprintf(text, sizeof text, "%zu wrong bytes, the first at %td of %zu (%s): %02x instead of %02x", wrong,
                  static_cast<std::ptrdiff_t>(at) - origin_, memory_.size(), in_item ? "data" : "a gap", memory_[at],
                  expected_[at]);
    return text;
  }

 private:
  template <class F>
  void each(const Piece& piece, F&& f) {
    Count k = 0;
    for (Count i = 0; i < piece.count; ++i)
      for (const Item& item : piece.type->items)
        f(k++, static_cast<std::size_t>(origin_ + piece.offset + i * piece.type->extent + item.offset), bytes_of(item.primitive));
  }
  void write(std::vector<unsigned char>& memory, const Piece& piece, const Content& content) {
    each(piece, [&](Count k, std::size_t at, int bytes) {
      const Value value = content(k);
      std::memcpy(&memory[at], value.data(), static_cast<std::size_t>(bytes));
    });
  }

  std::vector<Piece> pieces_;
  std::vector<unsigned char> memory_, expected_;
  std::ptrdiff_t origin_ = 0;
  bool nothing_ = true;
};

}  // namespace quadrille::trials
