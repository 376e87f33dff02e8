// SPDX-License-Identifier: BSD-3-Clause
// Träff's circulant graphs, in which rank r is connected with r + s for every skip s, and the receive schedule of a
// broadcast over them. The broadcast takes the fewest rounds possible [traff2024broadcast].
#pragma once

#include <optional>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille {

// The skips s_0 = 1, .., s_d = p, where s_k = ceil(s_{k+1} / 2) and d = ceil(log2 p). For p = 5: 1, 2, 3, 5.
std::vector<Count> circulant_skips(Count p);

// The receive schedule of rank r for a broadcast from rank 0. In round k of the first phase, k < d, rank r receives
// segment row[k] from r - s_k; a negative number means no segment. In each later phase of d rounds, the segment numbers
// are larger by d.
std::vector<Count> circulant_receive_row(const std::vector<Count>& skips, Rank r);

// The segments that rank r receives, round by round, in a broadcast of n segments from rank 0. It takes n - 1 + d
// rounds.
class CirculantReceipts {
 public:
  CirculantReceipts(const std::vector<Count>& skips, Rank r, Count segments);

  Count rounds() const { return segments_ - 1 + depth_; }
  // The index of the skip that the messages of a round use.
  Count skip_index(Count round) const { return (round + start_) % depth_; }
  std::optional<Count> segment(Count round) const;

 private:
  Count raw_segment(Count round) const;  // may be negative (none) or exceed the last segment

  Count segments_;
  Count depth_;
  Count start_;  // number of rounds of the first phase that are left out, so that the last phase ends with the last segment
  bool is_root_;
  std::vector<Count> row_;
  Count last_arrival_ = 0;  // the first round in which the last segment arrives; later rounds do not send it again
};

}  // namespace quadrille
