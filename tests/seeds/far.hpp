// SPDX-License-Identifier: BSD-3-Clause
// The production classes of the messages between nodes, over the simulated MPI.
#pragma once

#include <memory>
#include <vector>

#include "execute/nodes/far_edges.hpp"
#include "execute/shared/communicator.hpp"

namespace quadrille::seeds {

std::unique_ptr<FarEdges> far_edges(std::size_t rank, int first_tag);
constexpr int tags_of_far_edges = 256;
// Collective over the ranks of the node. `places`: by rank, its number in this rank's node, or -1.
std::unique_ptr<Executable> hybrid_executable(SharedCommunicator& node, const std::vector<Rank>& places, std::size_t rank, int tag,
                                              const std::shared_ptr<const Script>& script, InFlight& in_flight);

}  // namespace quadrille::seeds
