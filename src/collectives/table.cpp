// SPDX-License-Identifier: BSD-3-Clause
// The table of all algorithms. A ROW names the record that the algorithm's file defines. ROWS are for an algorithm of several
// collectives: they name these collectives, and the function that makes the record for a collective. DEFAULT and DEFAULTS mark,
// for each collective, the algorithm that plans use if none is named. A default must therefore apply to every problem: any number
// of ranks, any counts, any operator, and also the fixed tree. If several algorithms apply to every problem, the default is the
// algorithm that sends each byte once: `direct` or `linear`. For broadcast and reduce the default is `binomial`, because with
// `linear` the root would send or receive all p - 1 vectors itself. BASELINE and BASELINES mark algorithms that are in the table
// only for comparison (table.hpp). The heads of their files say "Prefer  never".
#include <algorithm>
#include <cstdint>
#include <list>

#include "collectives/table.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {
namespace {

enum class Mark : std::uint8_t { none, standard, baseline };

struct Table {
  std::list<Algorithm> shared;  // the records that functions make; a list does not move them
  std::vector<const Algorithm*> all, defaults, baselines;

  void add(const Algorithm& record, Mark mark) {
    all.push_back(&record);
    if (mark == Mark::standard) defaults.push_back(&record);
    if (mark == Mark::baseline) baselines.push_back(&record);
  }
  void add(Algorithm (*record_of)(Collective), std::initializer_list<Collective> collectives, Mark mark) {
    for (const Collective collective : collectives) add(shared.emplace_back(record_of(collective)), mark);
  }
};

}  // namespace

// Each row declares a name of this namespace.
#define QUADRILLE_RECORD(record, mark) \
  extern const Algorithm record;       \
  table.add(record, Mark::mark)
#define QUADRILLE_RECORDS(record_of, mark, ...) \
  Algorithm record_of(Collective);              \
  table.add(record_of, {__VA_ARGS__}, Mark::mark)
#define ROW(record) QUADRILLE_RECORD(record, none)
#define DEFAULT(record) QUADRILLE_RECORD(record, standard)
#define BASELINE(record) QUADRILLE_RECORD(record, baseline)
#define ROWS(record_of, ...) QUADRILLE_RECORDS(record_of, none, __VA_ARGS__)
#define DEFAULTS(record_of, ...) QUADRILLE_RECORDS(record_of, standard, __VA_ARGS__)
#define BASELINES(record_of, ...) QUADRILLE_RECORDS(record_of, baseline, __VA_ARGS__)

static void add_exchanges(Table& table) {
  using enum Collective;
  DEFAULT(alltoall_direct);
  DEFAULT(alltoallv_direct);
  ROW(alltoall_shift);
  ROW(alltoallv_shift);
  ROW(alltoall_xor);
  ROW(alltoall_scattered);
  ROWS(alltoall_one_factor, alltoall, alltoallv);
  ROWS(alltoall_clustered, alltoall, alltoallv);
  ROWS(alltoall_combined, alltoall, alltoallv);
  ROW(alltoall_ring);
  ROW(alltoall_bruck);
  ROW(alltoall_hypercube);
  ROW(alltoall_bine);
  ROW(alltoall_mesh);
  ROW(alltoall_torus);
  ROW(alltoall_torus_direct);
  BASELINE(alltoall_imaginary_node);
  BASELINE(alltoall_submesh);
  BASELINE(alltoall_subtorus);
  ROW(alltoallv_torus);
  ROW(alltoallv_exchange);
  ROW(alltoallv_two_phase);
  BASELINE(alltoallv_scan_two_phase);
  ROW(alltoallv_grid);
  ROW(alltoallv_four_stage);
  ROW(alltoallv_groups);
  ROW(alltoallv_multicast);
  BASELINE(alltoallv_folded_four_stage);
  ROW(alltoallv_two_phase_bruck);
  ROW(alltoallv_padded_bruck);
}

static void add_allgathers_and_broadcasts(Table& table) {
  using enum Collective;
  DEFAULTS(allgather_direct, allgather, allgatherv);
  ROWS(allgather_ring, allgather, allgatherv);
  ROWS(allgather_neighbor_exchange, allgather, allgatherv);
  ROWS(allgather_recursive_doubling, allgather, allgatherv);
  ROWS(allgather_circulant, allgather, allgatherv);
  ROWS(allgather_bine, allgather, allgatherv);
  ROW(allgather_mesh);
  ROWS(allgather_concatenation, allgather, allgatherv);
  BASELINES(allgather_gather_broadcast, allgather, allgatherv);
  BASELINE(allgather_broadcasts);
  ROWS(allgather_hierarchical, allgather, allgatherv);
  ROW(broadcast_linear);
  DEFAULT(broadcast_binomial);
  ROW(broadcast_mesh);
  ROW(broadcast_chain);
  ROW(broadcast_circulant);
  ROW(broadcast_bine);
  ROW(broadcast_knomial);
  ROW(broadcast_tree);
  ROW(broadcast_split_tree);
  ROW(broadcast_scatter_allgather);
  ROW(broadcast_hierarchical);
}

static void add_reductions(Table& table) {
  using enum Collective;
  ROW(reduce_linear);
  DEFAULT(reduce_binomial);
  ROW(reduce_mesh);
  ROW(reduce_circulant);
  ROW(reduce_bine);
  ROW(reduce_tree);
  ROW(reduce_reduce_scatter_gather);
  ROW(reduce_rabenseifner);
  ROW(reduce_in_order_tree);
  ROW(reduce_hierarchical);
  DEFAULT(allreduce_direct);
  ROW(allreduce_recursive_doubling);
  ROW(allreduce_reduce_scatter_allgather);
  ROW(allreduce_rabenseifner);
  ROW(allreduce_ring);
  ROW(allreduce_circulant);
  ROW(allreduce_bine);
  ROW(allreduce_swing);
  BASELINES(allreduce_reduce_broadcast, allreduce);
  ROW(allreduce_hierarchical);
  ROWS(reduce_scatter_ring, reduce_scatter, reduce_scatterv);
  ROW(reduce_scatter_mesh);
  ROWS(reduce_scatter_recursive_halving, reduce_scatter, reduce_scatterv);
  ROWS(reduce_scatter_butterfly, reduce_scatter, reduce_scatterv);
  ROWS(reduce_scatter_group_doubling, reduce_scatter, reduce_scatterv);
  ROWS(reduce_scatter_circulant, reduce_scatter, reduce_scatterv);
  ROWS(reduce_scatter_hierarchical, reduce_scatter, reduce_scatterv);
  ROWS(allgather_bine, reduce_scatter, reduce_scatterv);
  DEFAULTS(reduce_scatter_direct, reduce_scatter, reduce_scatterv);
  ROWS(reduce_scatter_shift, reduce_scatter, reduce_scatterv);
  BASELINES(reduce_scatter_reduce_then_scatter, reduce_scatter, reduce_scatterv);
  DEFAULTS(scan_direct, scan, exscan);
  ROWS(scan_hypercube, scan, exscan);
  BASELINES(scan_recursive_doubling, scan, exscan);
  ROWS(scan_distance_doubling, scan, exscan);
  ROWS(scan_chain, scan, exscan);
  ROWS(scan_hierarchical, scan, exscan);
}

static void add_scatters_and_barriers(Table& table) {
  using enum Collective;
  DEFAULTS(scatter_linear, scatter, scatterv, gather, gatherv);
  ROWS(scatter_binomial, scatter, scatterv, gather, gatherv);
  ROWS(scatter_mesh, scatter, scatterv, gather, gatherv);
  BASELINE(gather_linear_sync);
  ROWS(scatter_hierarchical, scatter, scatterv, gather, gatherv);
  ROWS(scatter_bine, scatter, scatterv, gather, gatherv);
  DEFAULT(barrier_dissemination);
  ROW(barrier_linear);
  ROW(barrier_binomial);
  ROW(barrier_recursive_doubling);
  BASELINE(barrier_double_ring);
  ROW(barrier_hierarchical);
}

static Table filled_table() {
  Table table;
  add_exchanges(table);
  add_allgathers_and_broadcasts(table);
  add_reductions(table);
  add_scatters_and_barriers(table);
  const auto comes_first = [](const Algorithm* a, const Algorithm* b) { return a->collective < b->collective; };
  std::stable_sort(table.all.begin(), table.all.end(), comes_first);
  return table;
}

static const Table& the_table() {
  static const Table table = filled_table();
  return table;
}

std::span<const Algorithm* const> all_algorithms() { return the_table().all; }
std::span<const Algorithm* const> default_algorithms() { return the_table().defaults; }

bool is_baseline(const Algorithm& algorithm) {
  const auto& baselines = the_table().baselines;
  return std::find(baselines.begin(), baselines.end(), &algorithm) != baselines.end();
}

}  // namespace quadrille
