// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of an alltoallv send each other. A problem has it as a dense matrix (Problem::counts) or as the list of
// its entries (Problem::sparse_counts): 16,384 ranks with 8 partners each take 6 MB instead of 2 GiB. Whoever reads the
// counts reads them through a Traffic and need not know which; an alltoall has one too, all of whose counts are equal.
//
//   Problem problem = Problem::alltoallv(4, {{.from = 0, .to = 2, .bytes = 100}, {.from = 3, .to = 0, .bytes = 7}});
//   for (const Share& share : Traffic(problem).sent_by(0)) ..  // {.peer = 2, .bytes = 100, .offset = 0}
#pragma once

#include <span>
#include <vector>

#include "quadrille/problem.hpp"

namespace quadrille {

struct TrafficEntry {
  Rank from = 0;
  Rank to = 0;
  Bytes bytes = 0;
};

// One rank's part of the traffic: what goes to, or comes from, a peer, and where it lies in the rank's own buffer.
struct Share {
  Rank peer = 0;
  Bytes bytes = 0;   // more than none
  Bytes offset = 0;  // sent: in the input; received: in the output
  bool operator==(const Share&) const = default;
};

class SparseCounts {
 public:
  // Entries in any order; those of no bytes are left out. Throws Error{misuse} if an entry names a rank that does not exist
  // or a negative count, or if two name the same pair, and Error{too_large} if the sum reaches 2^63 bytes.
  SparseCounts(Count ranks, std::vector<TrafficEntry> entries);

  Count ranks() const { return static_cast<Count>(row_starts_.size()) - 1; }
  std::span<const Share> row(Rank from) const { return part(rows_, row_starts_, from); }       // ascending by peer
  std::span<const Share> column(Rank to) const { return part(columns_, column_starts_, to); }  // ascending by peer

 private:
  static std::span<const Share> part(const std::vector<Share>& shares, const std::vector<Count>& starts, Rank rank) {
    const auto first = static_cast<std::size_t>(starts[static_cast<std::size_t>(rank)]);
    return std::span(shares).subspan(first, static_cast<std::size_t>(starts[static_cast<std::size_t>(rank) + 1]) - first);
  }

  std::vector<Share> rows_, columns_;
  std::vector<Count> row_starts_, column_starts_;  // p + 1 of each
};

// A view: the problem must outlive it, or at least its counts.
class Traffic {
 public:
  explicit Traffic(const Problem& problem)
      : ranks_(problem.ranks),
        block_bytes_(problem.block_bytes),
        dense_(problem.counts.get()),
        sparse_(problem.sparse_counts.get()) {}

  Count ranks() const { return ranks_; }
  Bytes bytes(Rank from, Rank to) const;
  Bytes input_offset(Rank from, Rank to) const;   // where what `from` sends to `to` begins in its input
  std::vector<Share> sent_by(Rank from) const;    // ascending by receiver
  std::vector<Share> received_by(Rank to) const;  // ascending by sender
  std::vector<Bytes> row(Rank from) const;        // all p counts

  Bytes sent_bytes(Rank from) const;
  Bytes received_bytes(Rank to) const;
  Bytes longest() const;   // count
  Bytes heaviest() const;  // the most that a rank sends, or receives: the L of the literature

 private:
  Count ranks_;
  Bytes block_bytes_;  // where there are no counts
  const std::vector<Bytes>* dense_;
  const SparseCounts* sparse_;
};

// As one rank sees it that knows only the bytes it sends to each rank, `row`, and receives from each, `column`: enough to plan
// `direct`, `shift`, `one-factor`, `clustered`, and with `counts=headers` two-phase, grid, four-stage and
// folded-four-stage. Throws Error{misuse} also where the two disagree about what the rank sends itself.
Problem alltoallv_of_rank(Rank rank, const std::vector<Bytes>& row, const std::vector<Bytes>& column);

}  // namespace quadrille
