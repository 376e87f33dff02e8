// SPDX-License-Identifier: BSD-3-Clause
// Bandwidths of collectives, as nccl-tests defines them (doc/PERFORMANCE.md there).
#pragma once

#include <optional>

#include "quadrille/problem.hpp"

namespace quadrille {

// Bytes that are divided by the time of a run.
struct BandwidthBytes {
  double algorithm = 0;
  std::optional<double> bus;  // absent for scan and exscan, which nccl-tests does not have
};

// Absent for a barrier. For p ranks:
//
//   collective                                              algorithm              bus / algorithm
//   alltoall, allgather, gather, scatter, reduce_scatter    p blocks               (p - 1) / p
//   allreduce                                               the vector             2 (p - 1) / p
//   broadcast, reduce                                       the vector             1
//   scan, exscan                                            the vector             -
//   allgatherv, reduce_scatterv                             all shares             (p - 1) / p
//   gatherv, scatterv                                       all shares             the share of all but the root
//   alltoallv                                               mean of what ranks     the share of it that goes to others
//                                                           send
//
// The last three rows, which nccl-tests does not have, give the same as the regular collective where all counts are equal.
std::optional<BandwidthBytes> bandwidth_bytes(const Problem& problem);

// Bytes a second, where a run takes so many seconds.
struct Bandwidths {
  std::optional<double> algorithm, bus;
};

Bandwidths bandwidths_of(const Problem& problem, double seconds);

}  // namespace quadrille
