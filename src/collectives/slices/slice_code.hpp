// SPDX-License-Identifier: BSD-3-Clause
// The header of a message whose receiver does not know the counts: it lists the slices in the message. A slice is bytes
// [first, last) of the data that one source has for one target. The encoding is simple but compact: numbers have seven
// bits in each byte; targets and sources are differences from the previous slice; offsets and lengths are in grains;
// adjacent slices are merged.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille {

struct CodedSlice {
  Count target_place = 0;  // position of the target in any numbering of the ranks
  Rank source = 0;
  Bytes first = 0, last = 0;  // `first` is a multiple of the grain
  bool operator==(const CodedSlice&) const = default;
};

inline bool comes_before(const CodedSlice& a, const CodedSlice& b) {
  return std::tie(a.target_place, a.source, a.first) < std::tie(b.target_place, b.source, b.first);
}

// Encodes a number with seven bits in each byte, lowest bits first; all bytes but the last have the eighth bit set.
Bytes number_code_bytes(std::uint64_t number);
void append_number_code(std::vector<std::uint8_t>& code, std::uint64_t number);

class SliceCoder {
 public:
  explicit SliceCoder(Bytes grain) : grain_(grain) {}

  void add(const CodedSlice& slice);       // call in the order of comes_before
  std::vector<std::uint8_t> code() const;  // one byte if there are no slices
  Bytes size() const;

 private:
  Bytes grain_;
  std::vector<std::uint8_t> code_;  // all slices but the last
  CodedSlice before_, last_;
  bool any_ = false;
};

// The slices in their order; adjacent ones are merged. Throws Error{malformed} if `code` is not a valid header.
std::vector<CodedSlice> decode_slices(const std::vector<std::uint8_t>& code, Bytes grain);

}  // namespace quadrille
