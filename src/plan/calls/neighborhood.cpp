// SPDX-License-Identifier: BSD-3-Clause
// Neighbourhood collectives and alltoallw: exchanges by edges, without a plan.
#include "quadrille/neighborhood.hpp"
#include "plan/calls/calls.hpp"
#include "plan/calls/compare_edges.hpp"
#include "quadrille/alltoallw.hpp"

namespace quadrille {
namespace {

// Lists the call's edges in `edges` by `list`. Collective if the ranks compare their calls and edges, and in the first call of the
// group.
template <class List>
const std::shared_ptr<Exchanger>& exchanger_of(Communicator& ranks, bool compares, std::string_view function, NeighborEdges& edges,
                                               List&& list) {
  Calls& calls = ranks.calls();
  const auto& exchanger = calls.exchanger_for(ranks, compares, function, [&] { list(edges); });
  if (calls.compares(ranks, compares)) compare_edges(ranks, edges.edges());
  return exchanger;
}

template <class List>
void execute_listed(Communicator& ranks, bool compares, std::string_view function, List&& list) {
  NeighborEdges& edges = ranks.calls().neighbor_edges;
  exchanger_of(ranks, compares, function, edges, list)->execute(edges.edges());
  edges.unpack();
}

template <class List>
Request start_listed(Communicator& ranks, bool compares, std::string_view function, List&& list) {
  const auto open = std::make_shared<NeighborEdges>();
  const auto& exchanger = exchanger_of(ranks, compares, function, *open, list);
  return exchanger->start(open->edges(), open, [edges = open.get()] { edges->unpack(); });
}

void execute_laid_out(Communicator& ranks, const LayoutCall& call, bool compares) {
  execute_listed(ranks, compares, call.function, [&](NeighborEdges& edges) {
    edges.list(call, ranks.rank(), ranks.size(), ranks.calls().compares(ranks, compares));
  });
}

Request start_laid_out(Communicator& ranks, const LayoutCall& call, bool compares) {
  return start_listed(ranks, compares, call.function, [&](NeighborEdges& edges) {
    edges.list(call, ranks.rank(), ranks.size(), ranks.calls().compares(ranks, compares));
  });
}

constexpr std::string_view total = "alltoallw", total_in_place = "alltoallw_in_place", near = "neighbor_alltoallw";

}  // namespace

void execute_among_neighbors(Communicator& ranks, const Neighbors& neighbors, const IrregularCall& call) {
  execute_listed(ranks, call.arguments.compares, neighbor_function(call.arguments.collective),
                 [&](NeighborEdges& edges) { edges.list(call, neighbors, ranks.size()); });
}

Request start_among_neighbors(Communicator& ranks, const Neighbors& neighbors, const IrregularCall& call) {
  return start_listed(ranks, call.arguments.compares, neighbor_function(call.arguments.collective),
                      [&](NeighborEdges& edges) { edges.list(call, neighbors, ranks.size()); });
}

void alltoallw(Group ranks, const void* input, std::span<const Layout> send_layouts, void* output,
               std::span<const Layout> receive_layouts, bool compares) {
  execute_laid_out(ranks, {total, nullptr, false, input, send_layouts, output, receive_layouts}, compares);
}

Request ialltoallw(Group ranks, const void* input, std::span<const Layout> send_layouts, void* output,
                   std::span<const Layout> receive_layouts, bool compares) {
  return start_laid_out(ranks, {total, nullptr, false, input, send_layouts, output, receive_layouts}, compares);
}

void alltoallw_in_place(Group ranks, void* buffer, std::span<const Layout> layouts, bool compares) {
  execute_laid_out(ranks, {total_in_place, nullptr, true, nullptr, {}, buffer, layouts}, compares);
}

Request ialltoallw_in_place(Group ranks, void* buffer, std::span<const Layout> layouts, bool compares) {
  return start_laid_out(ranks, {total_in_place, nullptr, true, nullptr, {}, buffer, layouts}, compares);
}

void neighbor_alltoallw(Group ranks, const Neighbors& neighbors, const void* input, std::span<const Layout> send_layouts,
                        void* output, std::span<const Layout> receive_layouts, bool compares) {
  execute_laid_out(ranks, {near, &neighbors, false, input, send_layouts, output, receive_layouts}, compares);
}

Request ineighbor_alltoallw(Group ranks, const Neighbors& neighbors, const void* input, std::span<const Layout> send_layouts,
                            void* output, std::span<const Layout> receive_layouts, bool compares) {
  return start_laid_out(ranks, {near, &neighbors, false, input, send_layouts, output, receive_layouts}, compares);
}

}  // namespace quadrille
