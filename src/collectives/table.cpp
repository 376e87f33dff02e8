// SPDX-License-Identifier: BSD-3-Clause
// The table of all algorithms. A row is the name of the record that the algorithm's file defines. DEFAULT marks, for
// each collective, the algorithm that plans use if none is named. A default must therefore apply to every problem: any
// number of ranks, any counts, any operator, and also the fixed tree. If several algorithms apply to every problem, the
// default is the algorithm that sends each byte once: `direct` or `linear`. For broadcast and reduce the default is
// `binomial`, because with `linear` the root would send or receive all p - 1 vectors itself.
#include "quadrille/algorithm.hpp"

#define QUADRILLE_ROWS(ROW, DEFAULT)      \
  DEFAULT(alltoall_direct)                \
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
  ROW(alltoall_imaginary_node)            \
  ROW(alltoall_submesh)                   \
  ROW(alltoall_subtorus)                  \
  DEFAULT(alltoallv_direct)               \
  ROW(alltoallv_shift)                    \
  ROW(alltoallv_one_factor)               \
  ROW(alltoallv_clustered)                \
  ROW(alltoallv_combined)                 \
  ROW(alltoallv_two_phase)                \
  ROW(alltoallv_scan_two_phase)           \
  ROW(alltoallv_grid)                     \
  ROW(alltoallv_four_stage)               \
  ROW(alltoallv_folded_four_stage)        \
  ROW(alltoallv_two_phase_bruck)          \
  ROW(alltoallv_padded_bruck)             \
  DEFAULT(allgather_direct)               \
  ROW(allgather_ring)                     \
  ROW(allgather_recursive_doubling)       \
  ROW(allgather_circulant)                \
  ROW(allgather_mesh)                     \
  ROW(allgather_concatenation)            \
  ROW(allgather_gather_broadcast)         \
  ROW(allgather_broadcasts)               \
  DEFAULT(allgatherv_direct)              \
  ROW(allgatherv_ring)                    \
  ROW(allgatherv_recursive_doubling)      \
  ROW(allgatherv_circulant)               \
  ROW(allgatherv_concatenation)           \
  ROW(broadcast_linear)                   \
  DEFAULT(broadcast_binomial)             \
  ROW(broadcast_mesh)                     \
  ROW(broadcast_chain)                    \
  ROW(broadcast_circulant)                \
  ROW(broadcast_scatter_allgather)        \
  ROW(reduce_linear)                      \
  DEFAULT(reduce_binomial)                \
  ROW(reduce_mesh)                        \
  ROW(reduce_circulant)                   \
  ROW(reduce_reduce_scatter_gather)       \
  DEFAULT(allreduce_direct)               \
  ROW(allreduce_recursive_doubling)       \
  ROW(allreduce_reduce_scatter_allgather) \
  ROW(allreduce_ring)                     \
  ROW(allreduce_circulant)                \
  ROW(allreduce_reduce_broadcast)         \
  ROW(reduce_scatter_ring)                \
  ROW(reduce_scatter_mesh)                \
  ROW(reduce_scatter_recursive_halving)   \
  ROW(reduce_scatter_circulant)           \
  DEFAULT(reduce_scatter_direct)          \
  ROW(reduce_scatterv_ring)               \
  ROW(reduce_scatterv_recursive_halving)  \
  ROW(reduce_scatterv_circulant)          \
  DEFAULT(reduce_scatterv_direct)         \
  DEFAULT(scan_direct)                    \
  ROW(scan_hypercube)                     \
  ROW(scan_distance_doubling)             \
  ROW(scan_chain)                         \
  DEFAULT(exscan_direct)                  \
  ROW(exscan_hypercube)                   \
  ROW(exscan_distance_doubling)           \
  ROW(exscan_chain)                       \
  DEFAULT(scatter_linear)                 \
  ROW(scatter_binomial)                   \
  ROW(scatter_mesh)                       \
  DEFAULT(scatterv_linear)                \
  ROW(scatterv_binomial)                  \
  ROW(scatterv_mesh)                      \
  DEFAULT(gather_linear)                  \
  ROW(gather_binomial)                    \
  ROW(gather_mesh)                        \
  DEFAULT(gatherv_linear)                 \
  ROW(gatherv_binomial)                   \
  ROW(gatherv_mesh)                       \
  DEFAULT(barrier_dissemination)

namespace quadrille {

#define QUADRILLE_DECLARE(record) extern const Algorithm record;
#define QUADRILLE_ADDRESS(record) &record,
#define QUADRILLE_NOTHING(record)

QUADRILLE_ROWS(QUADRILLE_DECLARE, QUADRILLE_DECLARE)

std::span<const Algorithm* const> all_algorithms() {
  static constexpr const Algorithm* table[] = {QUADRILLE_ROWS(QUADRILLE_ADDRESS, QUADRILLE_ADDRESS)};
  return table;
}

std::span<const Algorithm* const> default_algorithms() {
  static constexpr const Algorithm* marked[] = {QUADRILLE_ROWS(QUADRILLE_NOTHING, QUADRILLE_ADDRESS)};
  return marked;
}

}  // namespace quadrille
