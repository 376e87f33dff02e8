// SPDX-License-Identifier: BSD-3-Clause
// The byte counts of an alltoallv: what each rank sends to each other rank. A problem stores them as a dense matrix
// (Problem::counts) or as a list of entries (Problem::sparse_counts): for 16,384 ranks with 8 partners each, the list
// takes 6 MB and the matrix 2 GiB. A Traffic gives access to the counts in either form, and also to those of an
// alltoall, which are all equal.
//
// Blocks may be *shared*: a rank has one block for all its targets, and its input holds this block once. Such a problem is a
// neighbourhood allgatherv (MPI_Neighbor_allgatherv), or, in other words, multiple multicast. Every algorithm of alltoallv solves
// it; the algorithm `multicast` also sends the bytes of a block once for several targets.
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

// What one rank sends to, or receives from, one peer, and where the bytes are in the rank's own buffer.
struct Share {
  Rank peer = 0;
  Bytes bytes = 0;   // greater than 0
  Bytes offset = 0;  // of a send: in the input; of a receive: in the output
  bool operator==(const Share&) const = default;
};

class SparseCounts {
 public:
  // The entries may be in any order; entries of 0 bytes are dropped. Throws Error{misuse} if an entry names a rank
  // that does not exist, has a negative count or repeats a pair, and Error{too_large} if the sum reaches 2^62 bytes.
  // If blocks are shared, all entries of a sender must have the length of its one block; throws Error{misuse} if they differ.
  SparseCounts(Count ranks, std::vector<TrafficEntry> entries, bool shares_blocks = false);

  Count ranks() const { return static_cast<Count>(row_starts_.size()) - 1; }
  std::span<const Share> row(Rank from) const { return part(rows_, row_starts_, from); }       // ascending by peer
  std::span<const Share> column(Rank to) const { return part(columns_, column_starts_, to); }  // ascending by peer
  bool shares_blocks() const { return shares_blocks_; }

 private:
  static std::span<const Share> part(const std::vector<Share>& shares, const std::vector<Count>& starts, Rank rank) {
    const auto first = static_cast<std::size_t>(starts[static_cast<std::size_t>(rank)]);
    return std::span(shares).subspan(first, static_cast<std::size_t>(starts[static_cast<std::size_t>(rank) + 1]) - first);
  }

  std::vector<Share> rows_, columns_;
  std::vector<Count> row_starts_, column_starts_;  // p + 1 indices each, for p ranks
  bool shares_blocks_;
};

// A view of a problem's counts. The counts must outlive it.
class Traffic {
 public:
  explicit Traffic(const Problem& problem)
      : ranks_(problem.ranks),
        block_bytes_(problem.block_bytes),
        dense_(problem.counts.get()),
        sparse_(problem.sparse_counts.get()) {}

  Count ranks() const { return ranks_; }
  Bytes bytes(Rank from, Rank to) const;
  Bytes input_offset(Rank from, Rank to) const;   // offset in the input of `from` of the bytes for `to`
  std::vector<Share> sent_by(Rank from) const;    // in ascending order of receiver
  std::vector<Share> received_by(Rank to) const;  // in ascending order of sender
  std::vector<Bytes> row(Rank from) const;        // all p counts of this sender

  Bytes sent_bytes(Rank from) const;  // a shared block counts once
  Bytes received_bytes(Rank to) const;
  bool shares_blocks() const { return sparse_ != nullptr && sparse_->shares_blocks(); }
  Bytes longest() const;   // the largest count
  Bytes heaviest() const;  // the most bytes that any rank sends, or receives; the literature calls it L

 private:
  Count ranks_;
  Bytes block_bytes_;  // bytes of each block of an alltoall, which has no counts
  const std::vector<Bytes>* dense_;
  const SparseCounts* sparse_;
};

// Neighbourhood allgatherv among shares.size() ranks: rank i has a block of shares[i] bytes, and each rank receives the blocks of
// the ranks in its list `sources`, in ascending order of these ranks. A rank may list itself. If a rank lists a source several
// times, the source sends its block once, and the receiver must copy the block to the other places. The input of a rank that no
// rank lists is empty. Throws Error{misuse} if there are not as many lists as shares, and as SparseCounts does.
Problem neighborhood_allgatherv(const std::vector<Bytes>& shares, const std::vector<std::vector<Rank>>& sources);

// Returns the problem with the same counts and shared blocks. `problem` must be an alltoallv. Throws as SparseCounts does.
Problem with_shared_blocks(const Problem& problem);

// Returns the problem of a rank that knows only its own counts: the bytes that it sends to each rank (`row`) and
// receives from each rank (`column`), p values each. These counts suffice to plan `direct`, `shift`, `one-factor` and
// `clustered` and, with `counts=headers`, `two-phase`, `grid`, `four-stage` and `folded-four-stage`. Throws like
// `check`, and Error{misuse} if `row` and `column` differ in length or in the bytes that the rank sends to itself.
Problem alltoallv_of_rank(Rank rank, const std::vector<Bytes>& row, const std::vector<Bytes>& column);

// Throws Error{misuse} if `sent` and `received` differ: what a rank sends to itself it also receives from itself.
void check_own_share(Rank rank, Bytes sent, Bytes received);

}  // namespace quadrille
