// SPDX-License-Identifier: BSD-3-Clause
// The one table of algorithms. A row is the name of the record that the algorithm's file defines.
#include "quadrille/algorithm.hpp"

#define QUADRILLE_ROWS(ROW)               \
  ROW(alltoall_direct)                    \
  ROW(alltoall_shift)                     \
  ROW(alltoall_xor)                       \
  ROW(alltoall_one_factor)                \
  ROW(alltoall_clustered)                 \
  ROW(alltoall_combined)                  \
  ROW(alltoall_ring)                      \
  ROW(alltoall_bruck)                     \
  ROW(alltoall_hypercube)                 \
  ROW(alltoall_mesh)                      \
  ROW(alltoall_torus)                     \
  ROW(alltoallv_direct)                   \
  ROW(alltoallv_shift)                    \
  ROW(alltoallv_one_factor)               \
  ROW(alltoallv_clustered)                \
  ROW(alltoallv_combined)                 \
  ROW(alltoallv_two_phase)                \
  ROW(alltoallv_grid)                     \
  ROW(alltoallv_four_stage)               \
  ROW(alltoallv_two_phase_bruck)          \
  ROW(alltoallv_padded_bruck)             \
  ROW(allgather_direct)                   \
  ROW(allgather_ring)                     \
  ROW(allgather_recursive_doubling)       \
  ROW(allgather_circulant)                \
  ROW(allgather_mesh)                     \
  ROW(allgather_concatenation)            \
  ROW(allgatherv_direct)                  \
  ROW(allgatherv_ring)                    \
  ROW(allgatherv_recursive_doubling)      \
  ROW(allgatherv_circulant)               \
  ROW(allgatherv_concatenation)           \
  ROW(broadcast_linear)                   \
  ROW(broadcast_binomial)                 \
  ROW(broadcast_chain)                    \
  ROW(broadcast_circulant)                \
  ROW(broadcast_scatter_allgather)        \
  ROW(reduce_linear)                      \
  ROW(reduce_binomial)                    \
  ROW(reduce_circulant)                   \
  ROW(reduce_reduce_scatter_gather)       \
  ROW(allreduce_direct)                   \
  ROW(allreduce_recursive_doubling)       \
  ROW(allreduce_reduce_scatter_allgather) \
  ROW(allreduce_ring)                     \
  ROW(allreduce_circulant)                \
  ROW(reduce_scatter_ring)                \
  ROW(reduce_scatter_mesh)                \
  ROW(reduce_scatter_recursive_halving)   \
  ROW(reduce_scatter_circulant)           \
  ROW(reduce_scatter_direct)              \
  ROW(reduce_scatterv_ring)               \
  ROW(reduce_scatterv_recursive_halving)  \
  ROW(reduce_scatterv_circulant)          \
  ROW(reduce_scatterv_direct)             \
  ROW(scan_direct)                        \
  ROW(scan_hypercube)                     \
  ROW(scan_distance_doubling)             \
  ROW(scan_chain)                         \
  ROW(exscan_direct)                      \
  ROW(exscan_hypercube)                   \
  ROW(exscan_distance_doubling)           \
  ROW(exscan_chain)                       \
  ROW(scatter_linear)                     \
  ROW(scatter_binomial)                   \
  ROW(scatterv_linear)                    \
  ROW(scatterv_binomial)                  \
  ROW(gather_linear)                      \
  ROW(gather_binomial)                    \
  ROW(gatherv_linear)                     \
  ROW(gatherv_binomial)                   \
  ROW(barrier_dissemination)

namespace quadrille {

#define QUADRILLE_DECLARE(record) extern const Algorithm record;
QUADRILLE_ROWS(QUADRILLE_DECLARE)
#undef QUADRILLE_DECLARE

std::span<const Algorithm* const> all_algorithms() {
#define QUADRILLE_ADDRESS(record) &record,
  static constexpr const Algorithm* table[] = {QUADRILLE_ROWS(QUADRILLE_ADDRESS)};
#undef QUADRILLE_ADDRESS
  return table;
}

}  // namespace quadrille
