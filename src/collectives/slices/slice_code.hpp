// SPDX-License-Identifier: BSD-3-Clause
// How ranks that know only their own counts learn what they receive: the counts of all ranks are gathered, or each message has a
// header. Gathered counts and headers count as control messages.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "quadrille/algorithm.hpp"
#include "quadrille/program_builder.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {

// An entry of a header, which lists the slices in its message. A slice is bytes [first, last) of the data that one source has for
// one target. The encoding is simple but compact: numbers have seven bits in each byte; targets and sources are differences from
// the previous slice; offsets and lengths are in grains; adjacent slices are merged.
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

// The length of a row of counts in a message: the number of its entries and, for each entry, the distance from the
// previous peer and the bytes. Each number is encoded with seven bits in each byte.
Bytes counts_code_bytes(const std::vector<Share>& row);

// All ranks gather all rows of counts, as in allgather/concatenation [bruck1997]: in each round a rank sends all rows
// that it has, so the number of its rows doubles.
class CountsAgreement {
 public:
  explicit CountsAgreement(const Problem& problem);

  void add_to(ProgramBuilder& program, Rank me) const;  // adds a stage of ceil(log2 p) rounds

 private:
  Bytes bytes(Rank last, Count rows) const;  // of the rows of `rows` ranks, the last of which is `last` (mod p)

  Count ranks_;
  std::vector<Bytes> ends_;  // prefix sums of the rows' lengths, beginning with 0
};

// The parameter `counts`: the counts are gathered, sent with each message (`headers`), or known.
Parameter counts_parameter();
// The same without headers, for algorithms in which a rank needs counts of others to know to whom it sends.
Parameter counts_of_all_parameter();
bool has_headers(const Parameters& parameters);

}  // namespace quadrille
