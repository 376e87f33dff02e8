// SPDX-License-Identifier: BSD-3-Clause
// How ranks that know only what they themselves send come to know what everybody sends, counted as control messages.
#pragma once

#include <vector>

#include "quadrille/algorithm.hpp"
#include "quadrille/program_builder.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {

// Bytes of a row of counts as it is told: the number of its entries and, for each, its distance from the one before and its
// bytes, seven bits a byte.
Bytes counts_code_bytes(const std::vector<Share>& row);

// All ranks gather all rows of counts, as in allgather by concatenation [bruck1997]: what one knows, it tells in each round,
// so that it doubles.
class CountsAgreement {
 public:
  explicit CountsAgreement(const Problem& problem);

  void add_to(ProgramBuilder& program, Rank me) const;  // a stage of ceil(log2 p) rounds

 private:
  Bytes bytes(Rank last, Count rows) const;  // of the rows of `rows` ranks up to `last`, round the end

  Count ranks_;
  std::vector<Bytes> ends_;  // of the rows' codes one after the other, from 0
};

// The parameter `counts`: gathered, told with each message (`headers`), or known.
Parameter counts_parameter();
bool has_headers(const Parameters& parameters);

}  // namespace quadrille
