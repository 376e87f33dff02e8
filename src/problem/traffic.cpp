// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "problem/limits.hpp"
#include "quadrille/checked.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

SparseCounts::SparseCounts(Count ranks, std::vector<TrafficEntry> entries, bool shares_blocks) : shares_blocks_(shares_blocks) {
  if (ranks < 1) throw Error(ErrorCode::misuse, fmt::format("the number of ranks is {}; it must be at least 1", ranks));
  Bytes total = 0;
  for (const TrafficEntry& entry : entries) {
    if (std::min(entry.from, entry.to) < 0 || std::max(entry.from, entry.to) >= ranks)
      throw Error(ErrorCode::misuse, fmt::format("a count is for {} to {}; ranks are 0 to {}", entry.from, entry.to, ranks - 1));
    if (entry.bytes < 0) throw Error(ErrorCode::misuse, fmt::format("a count is {} bytes; counts are 0 or more", entry.bytes));
    const auto sum = checked_sum(total, entry.bytes);
    if (!sum || *sum >= data_limit)
      throw Error(ErrorCode::too_large, "the data of all ranks together reaches 2^62 bytes; make the counts smaller");
    total = *sum;
  }
  std::sort(entries.begin(), entries.end(),
            [](const TrafficEntry& a, const TrafficEntry& b) { return std::tie(a.from, a.to) < std::tie(b.from, b.to); });
  for (std::size_t i = 1; i < entries.size(); ++i)
    if (entries[i].from == entries[i - 1].from && entries[i].to == entries[i - 1].to)
      throw Error(ErrorCode::misuse, fmt::format("there are two counts for {} to {}", entries[i].from, entries[i].to));
  std::erase_if(entries, [](const TrafficEntry& entry) { return entry.bytes == 0; });
  for (std::size_t i = 1; shares_blocks && i < entries.size(); ++i)
    if (entries[i].from == entries[i - 1].from && entries[i].bytes != entries[i - 1].bytes)
      throw Error(ErrorCode::misuse,
                  fmt::format("rank {} shares one block among its targets, but has {} bytes for rank {} and {} for {}",
                              entries[i].from, entries[i - 1].bytes, entries[i - 1].to, entries[i].bytes, entries[i].to));

  const auto build = [&](Rank TrafficEntry::*owner, Rank TrafficEntry::*peer, std::vector<Share>& shares,
                         std::vector<Count>& starts) {
    starts.assign(index(ranks) + 1, 0);
    for (const TrafficEntry& entry : entries) ++starts[index(entry.*owner) + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    shares.resize(entries.size());
    ByRank<Count> next(starts.begin(), starts.end() - 1);
    ByRank<Bytes> filled(ranks);
    for (const TrafficEntry& entry : entries) {
      const Rank own = entry.*owner;
      shares[index(next[own]++)] = {entry.*peer, entry.bytes, filled[own]};
      filled[own] += entry.bytes;
    }
  };
  build(&TrafficEntry::from, &TrafficEntry::to, rows_, row_starts_);
  build(&TrafficEntry::to, &TrafficEntry::from, columns_, column_starts_);
  if (shares_blocks_)
    for (Share& share : rows_) share.offset = 0;
}

namespace {

// Returns the position of `peer`'s share, or the position where it would be inserted.
auto place_of(std::span<const Share> shares, Rank peer) {
  return std::lower_bound(shares.begin(), shares.end(), peer, [](const Share& share, Rank rank) { return share.peer < rank; });
}

// Returns the counts that are not 0, as shares without gaps between them.
template <class Count_of>
std::vector<Share> shares_of(Count peers, const Count_of& count_of) {
  std::vector<Share> shares;
  Bytes offset = 0;
  for (Rank peer = 0; peer < peers; ++peer)
    if (const Bytes count = count_of(peer); count > 0) {
      shares.push_back({peer, count, offset});
      offset += count;
    }
  return shares;
}

Bytes end(std::span<const Share> shares) { return shares.empty() ? 0 : shares.back().offset + shares.back().bytes; }

}  // namespace

Bytes Traffic::bytes(Rank from, Rank to) const {
  if (dense_) return (*dense_)[index(from * ranks_ + to)];
  if (!sparse_) return block_bytes_;
  const auto shares = sparse_->row(from);
  const auto found = place_of(shares, to);
  return found != shares.end() && found->peer == to ? found->bytes : 0;
}

Bytes Traffic::input_offset(Rank from, Rank to) const {
  if (dense_) {
    const auto row = dense_->begin() + from * ranks_;
    return std::accumulate(row, row + to, Bytes{0});
  }
  if (!sparse_) return to * block_bytes_;
  const auto shares = sparse_->row(from);
  const auto found = place_of(shares, to);
  return found == shares.end() ? end(shares) : found->offset;
}

std::vector<Share> Traffic::sent_by(Rank from) const {
  if (sparse_) return {sparse_->row(from).begin(), sparse_->row(from).end()};
  return shares_of(ranks_, [&](Rank to) { return bytes(from, to); });
}

std::vector<Share> Traffic::received_by(Rank to) const {
  if (sparse_) return {sparse_->column(to).begin(), sparse_->column(to).end()};
  return shares_of(ranks_, [&](Rank from) { return bytes(from, to); });
}

std::vector<Bytes> Traffic::row(Rank from) const {
  ByRank<Bytes> counts(ranks_);
  for (const Share& share : sent_by(from)) counts[share.peer] = share.bytes;
  return counts;
}

Bytes Traffic::sent_bytes(Rank from) const { return sparse_ ? end(sparse_->row(from)) : input_offset(from, ranks_); }

Bytes Traffic::received_bytes(Rank to) const {
  if (sparse_) return end(sparse_->column(to));
  Bytes total = 0;
  for (Rank from = 0; from < ranks_; ++from) total += bytes(from, to);
  return total;
}

Bytes Traffic::longest() const {
  if (dense_) return *std::max_element(dense_->begin(), dense_->end());
  if (!sparse_) return block_bytes_;
  Bytes longest = 0;
  for (Rank from = 0; from < ranks_; ++from)
    for (const Share& share : sparse_->row(from)) longest = std::max(longest, share.bytes);
  return longest;
}

Bytes Traffic::heaviest() const {
  if (!dense_ && !sparse_) return ranks_ * block_bytes_;
  ByRank<Bytes> received(ranks_);
  Bytes heaviest = 0;
  for (Rank from = 0; from < ranks_; ++from) {
    heaviest = std::max(heaviest, sent_bytes(from));
    for (const Share& share : sent_by(from)) heaviest = std::max(heaviest, received[share.peer] += share.bytes);
  }
  return heaviest;
}

Problem neighborhood_allgatherv(const std::vector<Bytes>& shares, const std::vector<std::vector<Rank>>& sources) {
  if (shares.size() != sources.size())
    throw Error(ErrorCode::misuse, fmt::format("there are {} shares and {} lists of sources", shares.size(), sources.size()));
  std::vector<TrafficEntry> entries;
  for (Rank to = 0; to < size(sources); ++to)
    for (const Rank from : std::set(sources[index(to)].begin(), sources[index(to)].end())) {
      if (from < 0 || from >= size(shares))
        throw Error(ErrorCode::misuse, fmt::format("rank {} has the source {}; ranks are 0 to {}", to, from, size(shares) - 1));
      entries.push_back({from, to, shares[index(from)]});
    }
  Problem problem{.collective = Collective::alltoallv, .ranks = size(shares)};
  problem.sparse_counts = std::make_shared<const SparseCounts>(problem.ranks, std::move(entries), /*shares_blocks=*/true);
  return problem;
}

Problem with_shared_blocks(const Problem& problem) {
  check(problem);
  std::vector<TrafficEntry> entries;
  for (Rank from = 0; from < problem.ranks; ++from)
    for (const Share& share : Traffic(problem).sent_by(from)) entries.push_back({from, share.peer, share.bytes});
  Problem shared = problem;
  shared.counts = nullptr;
  shared.sparse_counts = std::make_shared<const SparseCounts>(problem.ranks, std::move(entries), /*shares_blocks=*/true);
  return shared;
}

void check_own_share(Rank rank, Bytes sent, Bytes received) {
  if (sent == received) return;
  throw Error(ErrorCode::misuse, fmt::format("rank {} sends itself {} bytes and receives {} from itself", rank, sent, received));
}

Problem alltoallv_of_rank(Rank rank, const std::vector<Bytes>& row, const std::vector<Bytes>& column) {
  const Count p = size(row);
  if (row.size() != column.size())
    throw Error(ErrorCode::misuse, fmt::format("there are counts for {} receivers and {} senders", row.size(), column.size()));
  if (rank < 0 || rank >= p) throw Error(ErrorCode::misuse, fmt::format("there is no rank {} among {}", rank, p));
  const auto own = index(rank);
  check_own_share(rank, row[own], column[own]);
  std::vector<TrafficEntry> entries;
  for (Rank other = 0; other < p; ++other) {
    entries.push_back({rank, other, row[index(other)]});
    if (other != rank) entries.push_back({other, rank, column[index(other)]});
  }
  return Problem::alltoallv(p, std::move(entries));
}

}  // namespace quadrille
