// SPDX-License-Identifier: BSD-3-Clause
// What goes ahead of a message where its receiver knows no counts: which slices of which pairs it holds, in as few bytes as is
// easily done. Numbers have seven bits a byte; targets and sources are told by their distance from the slice before, offsets
// and lengths in grains; slices that touch are one.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille {

struct CodedSlice {
  Count target_place = 0;  // any numbering of the targets
  Rank source = 0;
  Bytes first = 0, last = 0;  // first: whole grains
  bool operator==(const CodedSlice&) const = default;
};

inline bool comes_before(const CodedSlice& a, const CodedSlice& b) {
  return std::tie(a.target_place, a.source, a.first) < std::tie(b.target_place, b.source, b.first);
}

// A number, seven bits a byte from the least, all but the last with the eighth bit set.
Bytes number_code_bytes(std::uint64_t number);
void append_number_code(std::vector<std::uint8_t>& code, std::uint64_t number);

class SliceCoder {
 public:
  explicit SliceCoder(Bytes grain) : grain_(grain) {}

  void add(const CodedSlice& slice);       // in the order of comes_before
  std::vector<std::uint8_t> code() const;  // one byte where there is no slice
  Bytes size() const;

 private:
  Bytes grain_;
  std::vector<std::uint8_t> code_;  // without the last slice
  CodedSlice before_, last_;
  bool any_ = false;
};

// The slices again, in their order, touching ones as one. Throws Error{malformed} for what is no code.
std::vector<CodedSlice> decode_slices(const std::vector<std::uint8_t>& code, Bytes grain);

}  // namespace quadrille
