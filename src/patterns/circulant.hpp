// SPDX-License-Identifier: BSD-3-Clause
// Träff's circulant graphs: rank r is joined to r + s for all skips s, and what is sent when in a broadcast over them that
// takes the fewest rounds possible [traff2024broadcast].
#pragma once

#include <optional>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille {

// s_0 = 1, .., s_d = p with s_k = ceil(s_{k+1} / 2) and d = ceil(log2 p): 1, 2, 3, 5 for p = 5.
std::vector<Count> circulant_skips(Count p);

// The receive schedule of rank r for broadcasts from rank 0: in round k of the first phase, k < d, it receives segment row[k]
// from r - s_k, where what is negative stands for nothing; each phase of d rounds after that it receives segments d further on.
std::vector<Count> circulant_receive_row(const std::vector<Count>& skips, Rank r);

// What a rank receives, round by round, in a broadcast of n segments from rank 0 in n - 1 + d rounds.
class CirculantReceipts {
 public:
  CirculantReceipts(const std::vector<Count>& skips, Rank r, Count segments);

  Count rounds() const { return segments_ - 1 + depth_; }
  // Which skip the messages of a round go by.
  Count skip_index(Count round) const { return (round + start_) % depth_; }
  std::optional<Count> segment(Count round) const;

 private:
  Count raw_segment(Count round) const;  // may be below 0, or past the last

  Count segments_;
  Count depth_;
  Count start_;  // rounds of the first phase that are left out, so that the last phase is whole
  bool is_root_;
  std::vector<Count> row_;
  Count last_arrival_ = 0;  // when the last segment comes for the first time; after that it is not sent again
};

}  // namespace quadrille
