// SPDX-License-Identifier: BSD-3-Clause
#include "tune/race/bandwidth.hpp"

#include "problem/collective_facts.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {

namespace {

BandwidthBytes of_blocks(const Problem& problem) {
  const auto ranks = static_cast<double>(problem.ranks), block = static_cast<double>(problem.block_bytes);
  const CollectiveFacts& facts = facts_of(problem.collective);
  const bool has_all = facts.input.holding == Holding::all || facts.output.holding == Holding::all;
  const BlockRatio volume = facts.bounds.volume(problem.ranks);
  const double passed = block * static_cast<double>(volume.times) / static_cast<double>(volume.parts);
  return {has_all ? ranks * block : block, facts.is_prefix ? std::nullopt : std::optional(passed)};
}

BandwidthBytes of_shares(const Problem& problem) {
  const auto ranks = static_cast<double>(problem.ranks);
  double total = 0;
  for (const Bytes share : *problem.counts) total += static_cast<double>(share);
  if (is_rooted(problem.collective)) return {total, total - static_cast<double>(share_bytes(problem, problem.root))};
  return {total, total * (ranks - 1) / ranks};
}

BandwidthBytes of_pairs(const Problem& problem) {
  const auto ranks = static_cast<double>(problem.ranks);
  const Traffic traffic(problem);
  double received = 0, from_others = 0;  // means over receivers: a shared block goes to several
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    const auto all = static_cast<double>(traffic.received_bytes(rank));
    received += all / ranks;
    from_others += (all - static_cast<double>(traffic.bytes(rank, rank))) / ranks;
  }
  return {received, from_others};
}

}  // namespace

std::optional<BandwidthBytes> bandwidth_bytes(const Problem& problem) {
  switch (facts_of(problem.collective).sizes) {
    case SizeSource::none: return std::nullopt;
    case SizeSource::blocks: return of_blocks(problem);
    case SizeSource::shares: return of_shares(problem);
    case SizeSource::pairs: return of_pairs(problem);
  }
  return std::nullopt;
}

Bandwidths bandwidths_of(const Problem& problem, double seconds) {
  const auto bytes = bandwidth_bytes(problem);
  if (!bytes) return {};
  return {bytes->algorithm / seconds, bytes->bus ? std::optional(*bytes->bus / seconds) : std::nullopt};
}

}  // namespace quadrille
