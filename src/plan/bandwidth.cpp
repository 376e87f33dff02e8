// SPDX-License-Identifier: BSD-3-Clause
#include "plan/bandwidth.hpp"

#include "quadrille/indexed.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {

std::optional<BandwidthBytes> bandwidth_bytes(const Problem& problem) {
  const auto ranks = static_cast<double>(problem.ranks), block = static_cast<double>(problem.block_bytes);
  const double others = (ranks - 1) / ranks;
  const auto of = [](double bytes, double factor) { return BandwidthBytes{bytes, bytes * factor}; };
  double shares = 0;
  if (problem.counts && problem.collective != Collective::alltoallv)
    for (const Bytes share : *problem.counts) shares += static_cast<double>(share);
  switch (problem.collective) {
    case Collective::barrier: return std::nullopt;
    case Collective::alltoall:
    case Collective::allgather:
    case Collective::gather:
    case Collective::scatter:
    case Collective::reduce_scatter: return of(ranks * block, others);
    case Collective::allreduce: return of(block, 2 * others);
    case Collective::broadcast:
    case Collective::reduce: return of(block, 1);
    case Collective::scan:
    case Collective::exscan: return BandwidthBytes{block, std::nullopt};
    case Collective::allgatherv:
    case Collective::reduce_scatterv: return of(shares, others);
    case Collective::gatherv:
    case Collective::scatterv: return BandwidthBytes{shares, shares - static_cast<double>((*problem.counts)[index(problem.root)])};
    case Collective::alltoallv: {
      const Traffic traffic(problem);
      BandwidthBytes sums{0, 0};
      for (Rank rank = 0; rank < problem.ranks; ++rank) {
        const auto sent = static_cast<double>(traffic.sent_bytes(rank));
        sums.algorithm += sent / ranks;
        *sums.bus += (sent - static_cast<double>(traffic.bytes(rank, rank))) / ranks;
      }
      return sums;
    }
  }
  return std::nullopt;
}

Bandwidths bandwidths_of(const Problem& problem, double seconds) {
  const auto bytes = bandwidth_bytes(problem);
  if (!bytes) return {};
  return {bytes->algorithm / seconds, bytes->bus ? std::optional(*bytes->bus / seconds) : std::nullopt};
}

}  // namespace quadrille
