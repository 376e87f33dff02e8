// SPDX-License-Identifier: BSD-3-Clause
// Bandwidths of collectives, as defined by the benchmark suite nccl-tests (its doc/PERFORMANCE.md).
#pragma once

#include <optional>

#include "quadrille/problem.hpp"

namespace quadrille {

// Numbers of bytes; divided by the time of a run they give bandwidths.
struct BandwidthBytes {
  double algorithm = 0;
  std::optional<double> bus;  // absent for scan and exscan, which nccl-tests does not define
};

// Returns nothing for a barrier. For p ranks:
//
//   collective                                              `algorithm` is         `bus` divided by `algorithm` is
//   alltoall, allgather, gather, scatter, reduce_scatter    p blocks               (p - 1) / p
//   allreduce                                               the vector             2 (p - 1) / p
//   broadcast, reduce                                       the vector             1
//   scan, exscan                                            the vector             -
//   allgatherv, reduce_scatterv                             all shares             (p - 1) / p
//   gatherv, scatterv                                       all shares             the share of all but the root
//   alltoallv                                               mean bytes that a      the share of this mean that goes to other
//                                                           rank sends             ranks
//
// nccl-tests does not define the last three rows. With equal counts, they agree with the row of the regular collective.
std::optional<BandwidthBytes> bandwidth_bytes(const Problem& problem);

// Bandwidths in bytes per second.
struct Bandwidths {
  std::optional<double> algorithm, bus;
};

Bandwidths bandwidths_of(const Problem& problem, double seconds);

}  // namespace quadrille
