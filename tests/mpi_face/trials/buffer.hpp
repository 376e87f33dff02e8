// SPDX-License-Identifier: BSD-3-Clause
// Memory that a call reads or writes. It consists of parts with known values, and gaps that must not change.
#pragma once

#include <functional>
#include <optional>

#include "types.hpp"

namespace quadrille::trials {

// The k-th item of the data that goes from one place to another.
using Content = std::function<Value(Count)>;

struct Part {
  TypePointer type;
  Count count = 0;            // elements
  std::ptrdiff_t offset = 0;  // bytes from the buffer's address
  Content before, after;      // before: if empty, the part is filled like the gaps; after: if empty, the part must not change
  bool unspecified = false;   // after the call, the part may contain any bytes
};

class Buffer {
 public:
  void add(Part part) { parts_.push_back(std::move(part)); }

  // Allocates the memory; call it when all parts are known.
  void allocate(Random& random) {
    std::ptrdiff_t lower = 0, upper = 0;
    for (const Part& part : parts_) {
      if (part.count == 0 || part.type->items.empty()) continue;
      lower = std::min(lower, part.offset + part.type->lower);
      upper = std::max(upper, part.offset + part.type->upper + (part.count - 1) * part.type->extent);
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
    for (const Part& part : parts_)
      if (part.before) write(memory_, part, part.before);
    expected_ = memory_;
    for (const Part& part : parts_)
      if (part.after) write(expected_, part, part.after);
  }

  // Describes the first byte that is wrong: its offset from the buffer's address, and its value.
  std::optional<std::string> fault() {
    for (const Part& part : parts_)
      if (part.unspecified)
        each(part,
             [&](Count, std::size_t at, int bytes) { std::memcpy(&expected_[at], &memory_[at], static_cast<std::size_t>(bytes)); });
    for (const Part& part : parts_)  // a part with known values may lie inside an unspecified part
      if (part.after) write(expected_, part, part.after);
    if (memory_ == expected_) return std::nullopt;
    std::size_t at = 0, wrong = 0;
    for (std::size_t i = memory_.size(); i-- > 0;)
      if (memory_[i] != expected_[i]) at = i, ++wrong;
    bool in_item = false;
    for (const Part& part : parts_)
      each(part,
           [&](Count, std::size_t first, int bytes) { in_item |= at >= first && at < first + static_cast<std::size_t>(bytes); });
    char text[160];
    std::snprintf(text, sizeof text, "%zu wrong bytes, the first at %td of %zu (%s): %02x instead of %02x", wrong,
                  static_cast<std::ptrdiff_t>(at) - origin_, memory_.size(), in_item ? "data" : "a gap", memory_[at],
                  expected_[at]);
    return text;
  }

 private:
  template <class F>
  void each(const Part& part, F&& f) {
    Count k = 0;
    for (Count i = 0; i < part.count; ++i)
      for (const Item& item : part.type->items)
        f(k++, static_cast<std::size_t>(origin_ + part.offset + i * part.type->extent + item.offset), bytes_of(item.primitive));
  }
  void write(std::vector<unsigned char>& memory, const Part& part, const Content& content) {
    each(part, [&](Count k, std::size_t at, int bytes) {
      const Value value = content(k);
      std::memcpy(&memory[at], value.data(), static_cast<std::size_t>(bytes));
    });
  }

  std::vector<Part> parts_;
  std::vector<unsigned char> memory_, expected_;
  std::ptrdiff_t origin_ = 0;
  bool nothing_ = true;
};

}  // namespace quadrille::trials
