// SPDX-License-Identifier: BSD-3-Clause
// How ranks that know only their own counts learn the counts of all ranks. These messages are counted as control
// messages.
#pragma once

#include <vector>

#include "quadrille/algorithm.hpp"
#include "quadrille/program_builder.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {

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
  Bytes bytes(Rank last, Count rows) const;  // of `rows` ranks' rows up to `last`, with wrap-around

  Count ranks_;
  std::vector<Bytes> ends_;  // prefix sums of the rows' lengths, beginning with 0
};

// The parameter `counts`: the counts are gathered, sent with each message (`headers`), or known.
Parameter counts_parameter();
bool has_headers(const Parameters& parameters);

}  // namespace quadrille
