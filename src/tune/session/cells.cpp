// SPDX-License-Identifier: BSD-3-Clause
// The cells of a session, in the order in which it measures them.
#include <algorithm>
#include <limits>

#include "problem/collective_facts.hpp"
#include "quadrille/checked.hpp"
#include "quadrille/traffic_patterns.hpp"
#include "quadrille/tune.hpp"

namespace quadrille {
namespace {

// Returns the positions 0 to count - 1 in groups; each group halves the gaps that the earlier groups leave.
std::vector<std::vector<std::size_t>> coarse_to_fine(std::size_t count) {
  if (count <= 2) return {count == 2 ? std::vector<std::size_t>{0, 1} : std::vector<std::size_t>{0}};
  std::vector<std::size_t> known{0, count - 1};
  std::vector<std::vector<std::size_t>> groups{known};
  for (;;) {
    std::vector<std::size_t> middles;
    for (std::size_t i = 1; i < known.size(); ++i)
      if (known[i] - known[i - 1] > 1) middles.push_back(known[i - 1] + (known[i] - known[i - 1]) / 2);
    if (middles.empty()) return groups;
    known.insert(known.end(), middles.begin(), middles.end());
    std::sort(known.begin(), known.end());
    if (groups.size() == 1 && groups[0].size() == 2)
      groups[0].push_back(middles[0]);  // the middle one is measured in the first group
    else
      groups.push_back(std::move(middles));
  }
}

// Returns the collectives to measure, beginning with those on which programs spend most time. Collectives that are missing in the
// list below come last.
std::vector<Collective> by_value(const std::vector<Collective>& asked) {
  using enum Collective;
  std::vector<Collective> order{alltoall, alltoallv, allreduce,  allgather, broadcast, reduce,          reduce_scatter, barrier,
                                gather,   scatter,   allgatherv, gatherv,   scatterv,  reduce_scatterv, scan,           exscan};
  for (const Collective each : all_collectives())
    if (std::find(order.begin(), order.end(), each) == order.end()) order.push_back(each);
  std::erase_if(order,
                [&](Collective each) { return !asked.empty() && std::find(asked.begin(), asked.end(), each) == asked.end(); });
  return order;
}

// Returns the sizes in ascending order; if there are none, the standard sizes.
std::vector<Bytes> ascending(std::vector<Bytes> sizes) {
  if (sizes.empty()) return {8, 32, 128, 1024, 4096, 16384, 65536, 262144, 1048576};
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

Count pairs_of(Count ranks) { return checked_product(ranks, ranks).value_or(std::numeric_limits<Count>::max()); }

Problem problem_of(Collective collective, const std::string& shape, Bytes size, Count ranks, const Operator* operation) {
  if (shape == "spike" || shape == "transpose") return make_traffic(ranks, {.kind = *traffic_kind_named(shape), .most = size});
  Problem problem;
  problem.collective = collective;
  problem.ranks = ranks;
  if (operation) problem.element_bytes = operation->element_bytes;
  if (is_irregular(collective))
    problem.counts = std::make_shared<const std::vector<Bytes>>(
        drawn_sizes(has_pair_counts(collective) ? pairs_of(ranks) : ranks, size, problem.element_bytes));
  else if (has_blocks(collective))
    problem.block_bytes = size;
  return problem;
}

// Adds the cells of a collective at a size. An alltoallv has two cells of each shape: with counts that all ranks know, and with
// counts of which each rank knows only its own.
void add_cells(std::vector<TuneCell>& cells, const WantedCell& wanted, Count ranks, const std::vector<Count>& nodes) {
  const bool is_pairwise = has_pair_counts(wanted.collective);
  for (const char* shape : is_pairwise ? std::vector{"uniform", "spike", "transpose"} : std::vector{""}) {
    TuneCell cell{.shape = shape, .size = wanted.size};
    if (is_reduction(wanted.collective)) cell.operation = built_in_operator("sum", "f64");
    cell.problem = problem_of(wanted.collective, shape, wanted.size, ranks, cell.operation.get());
    cell.problem.nodes = nodes;
    check(cell.problem);
    cells.push_back(cell);
    if (!is_pairwise) continue;
    cell.own_counts_only = true;
    cells.push_back(std::move(cell));
  }
}

}  // namespace

Situation TuneCell::situation() const {
  Situation situation = situation_of(problem);
  situation.counts_known = !own_counts_only;
  return situation;
}

// The smallest, largest and middle size of all collectives come first, then sizes that halve the gaps. So if the user stops
// early, all collectives are covered about equally.
std::vector<TuneCell> cells_of(const TuneOptions& options, Count ranks, const std::vector<Count>& nodes) {
  std::vector<TuneCell> cells;
  for (const WantedCell& each : options.wanted) add_cells(cells, each, ranks, nodes);
  if (!options.wanted.empty()) return cells;
  const std::vector<Collective> collectives = by_value(options.collectives);
  const std::vector<Bytes> sizes = ascending(options.sizes);
  const auto groups = coarse_to_fine(sizes.size());
  for (std::size_t group = 0; group < groups.size(); ++group)
    for (const Collective collective : collectives)
      for (const std::size_t at : groups[group]) {
        if (!moves_data(collective) && (group > 0 || at > 0)) continue;  // a collective without data is measured once
        add_cells(cells, {collective, sizes[at]}, ranks, nodes);
      }
  return cells;
}

}  // namespace quadrille
