// SPDX-License-Identifier: BSD-3-Clause
// Problem::alltoall and the factories of the other collectives.
#include <utility>

#include "quadrille/problem.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {
namespace {

Problem checked(Problem problem) {
  check(problem);
  return problem;
}

Problem regular(Collective collective, Count ranks, Bytes block_bytes, Rank root = 0) {
  return checked({.collective = collective, .ranks = ranks, .block_bytes = block_bytes, .root = root});
}

Problem irregular(Collective collective, Count ranks, std::vector<Bytes> counts, Rank root = 0) {
  return checked({.collective = collective,
                  .ranks = ranks,
                  .counts = std::make_shared<const std::vector<Bytes>>(std::move(counts)),
                  .root = root});
}

Problem combining(Collective collective, Count ranks, Bytes block_bytes, OperatorFacts facts, Rank root = 0) {
  return checked({.collective = collective,
                  .ranks = ranks,
                  .block_bytes = block_bytes,
                  .root = root,
                  .element_bytes = facts.element_bytes,
                  .commutative = facts.commutative});
}

}  // namespace

Problem Problem::alltoall(Count ranks, Bytes block_bytes) { return regular(Collective::alltoall, ranks, block_bytes); }

Problem Problem::alltoallv(Count ranks, std::vector<Bytes> counts) {
  return irregular(Collective::alltoallv, ranks, std::move(counts));
}

Problem Problem::alltoallv(Count ranks, std::vector<TrafficEntry> entries) {
  return checked({.collective = Collective::alltoallv,
                  .ranks = ranks,
                  .sparse_counts = std::make_shared<const SparseCounts>(ranks, std::move(entries))});
}

Problem Problem::allgather(Count ranks, Bytes block_bytes) { return regular(Collective::allgather, ranks, block_bytes); }

Problem Problem::allgatherv(Count ranks, std::vector<Bytes> counts) {
  return irregular(Collective::allgatherv, ranks, std::move(counts));
}

Problem Problem::broadcast(Count ranks, Bytes block_bytes, Rank root) {
  return regular(Collective::broadcast, ranks, block_bytes, root);
}

Problem Problem::reduce(Count ranks, Bytes block_bytes, OperatorFacts facts, Rank root) {
  return combining(Collective::reduce, ranks, block_bytes, facts, root);
}

Problem Problem::allreduce(Count ranks, Bytes block_bytes, OperatorFacts facts) {
  return combining(Collective::allreduce, ranks, block_bytes, facts);
}

Problem Problem::reduce_scatter(Count ranks, Bytes block_bytes, OperatorFacts facts) {
  return combining(Collective::reduce_scatter, ranks, block_bytes, facts);
}

Problem Problem::reduce_scatterv(Count ranks, std::vector<Bytes> counts, OperatorFacts facts) {
  return checked({.collective = Collective::reduce_scatterv,
                  .ranks = ranks,
                  .counts = std::make_shared<const std::vector<Bytes>>(std::move(counts)),
                  .element_bytes = facts.element_bytes,
                  .commutative = facts.commutative});
}

Problem Problem::scan(Count ranks, Bytes block_bytes, OperatorFacts facts) {
  return combining(Collective::scan, ranks, block_bytes, facts);
}

Problem Problem::exscan(Count ranks, Bytes block_bytes, OperatorFacts facts) {
  return combining(Collective::exscan, ranks, block_bytes, facts);
}

Problem Problem::scatter(Count ranks, Bytes block_bytes, Rank root) {
  return regular(Collective::scatter, ranks, block_bytes, root);
}

Problem Problem::scatterv(Count ranks, std::vector<Bytes> counts, Rank root) {
  return irregular(Collective::scatterv, ranks, std::move(counts), root);
}

Problem Problem::gather(Count ranks, Bytes block_bytes, Rank root) { return regular(Collective::gather, ranks, block_bytes, root); }

Problem Problem::gatherv(Count ranks, std::vector<Bytes> counts, Rank root) {
  return irregular(Collective::gatherv, ranks, std::move(counts), root);
}

Problem Problem::barrier(Count ranks) { return regular(Collective::barrier, ranks, 0); }

}  // namespace quadrille
