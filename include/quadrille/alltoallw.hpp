// SPDX-License-Identifier: BSD-3-Clause
// Total exchange, and exchange among neighbours, with a layout (layout.hpp) for each block: MPI_Alltoallw and
// MPI_Neighbor_alltoallw. Blocks may have gaps, lie anywhere, and differ in their element type.
//
//   alltoallw(ranks, matrix, columns, rows, lines);   // layouts: std::vector<Layout> columns(p), lines(p)
//   send[i] = shifted(layout_of(send_counts[i], send_types[i]), send_displacements[i]);   // MPI's arguments; mpi_layout.hpp
//
// Block i has the bytes of the layout's pieces, in the order of the pieces, which lie at offsets from the buffer's address. Only
// the number of bytes must be the same at both ends: one end may have gaps where the other one has none. An empty layout is an
// empty block. Blocks with gaps are packed into memory that the group keeps, and unpacked from there; others are not copied.
//
// Rules and errors are those of neighborhood.hpp, with two exceptions. Whether received pieces overlap others is found out only in
// debug builds and with QUADRILLE_CHECK=1, because that takes longer than copying. And if a call throws because the ends of a block
// name different lengths, received blocks with gaps are not written.
#pragma once

#include <span>
#include <vector>

#include "quadrille/call.hpp"
#include "quadrille/elements.hpp"
#include "quadrille/layout.hpp"
#include "quadrille/neighborhood.hpp"

namespace quadrille {

// One layout for each rank of the group.
void alltoallw(Group ranks, const void* input, std::span<const Layout> send_layouts, void* output,
               std::span<const Layout> receive_layouts, bool compares = CallArguments{}.compares);
// The layouts may be destroyed after the call.
Request ialltoallw(Group ranks, const void* input, std::span<const Layout> send_layouts, void* output,
                   std::span<const Layout> receive_layouts, bool compares = CallArguments{}.compares);

// In place: the block from rank i replaces the block sent to rank i.
void alltoallw(Group ranks, InPlace, void* buffer, std::span<const Layout> layouts, bool compares = CallArguments{}.compares);
Request ialltoallw(Group ranks, InPlace, void* buffer, std::span<const Layout> layouts, bool compares = CallArguments{}.compares);

// One layout for each destination, and one for each source.
void neighbor_alltoallw(Group ranks, const Neighbors& neighbors, const void* input, std::span<const Layout> send_layouts,
                        void* output, std::span<const Layout> receive_layouts, bool compares = CallArguments{}.compares);
Request ineighbor_alltoallw(Group ranks, const Neighbors& neighbors, const void* input, std::span<const Layout> send_layouts,
                            void* output, std::span<const Layout> receive_layouts, bool compares = CallArguments{}.compares);

}  // namespace quadrille
