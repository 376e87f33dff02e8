// SPDX-License-Identifier: BSD-3-Clause
// MPICH's functions for the table of vendor_choice.hpp, and the trees by which MPICH chooses algorithms, as they are built into
// libmpich.so. The keys of an object are conditions such as "comm_size<=8". MPICH tests them in order, takes the first that holds,
// and continues in that key's value; it never goes back to a later key. A leaf is "algorithm=MPIR_Alltoall_intra_brucks" or
// "composition=MPIDI_Bcast_intra_composition_alpha".
#pragma once

#include <nlohmann/json.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "quadrille/problem.hpp"
#include "quadrille/result.hpp"

namespace quadrille {

using MpichTree = nlohmann::ordered_json;

// A collective passes these layers from top to bottom. The device divides the work between the nodes and the ranks of a node. The
// layer shared_memory tells how the ranks of a node work together. The layer messages tells which algorithm sends messages.
enum class MpichLayer : std::uint8_t { device, shared_memory, messages };

// Returns a layer's tree, whose keys are "collective=alltoall" and so on. `library` is the bytes of libmpich.so. Throws
// Error{environment} if the tree is not found there.
MpichTree mpich_tree(std::string_view library, MpichLayer layer);

// Returns the bytes of the installed library. Throws Error{environment} if there is none.
std::string installed_mpich();

// When MPICH tests a condition. When a communicator is made, MPICH tests conditions of the communicator, until it meets a
// condition of another kind. It tests that condition and all further conditions in each call.
enum class MpichTime : std::uint8_t { communicator_is_made, call };

// Returns the leaf for which all conditions above it hold; nothing if MPICH finds none. `tree` is the part of a tree below
// "collective=NAME".
std::optional<std::string> leaf_for(const MpichTree& tree,
                                    const std::function<bool(std::string_view condition, MpichTime time)>& holds);

struct MpichTrees {
  explicit MpichTrees(std::string_view library);  // the bytes of libmpich.so; throws as mpich_tree does

  MpichTree device, shared_memory, messages;
};

Result<std::string> mpich_algorithm(const MpichTrees& trees, const Problem& problem);
Result<std::string> mpich_algorithm(const Problem& problem);  // what MPICH takes by the trees of the installed library
Result<std::string> mpich_equivalent(const Problem& problem, std::string_view algorithm);

}  // namespace quadrille
