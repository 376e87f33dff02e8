// SPDX-License-Identifier: BSD-3-Clause
// What MPI says of itself and of communicators. All functions are local.
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mpi_face/neighbourhood.hpp"
#include "quadrille/types.hpp"

namespace quadrille::mpi_face {

std::string library_version();  // "Open MPI v4.1.4", "MPICH 4.0.2"
std::string thread_level();     // that MPI provides: "single", "funneled", "serialized" or "multiple"

// May the program's buffers lie in the memory of a GPU, which only the MPI library may read? True as soon as this process has
// loaded a GPU's runtime, unless QUADRILLE_GPU_MEMORY is off. The answer does not depend on a buffer's address, because all ranks
// must decide alike: if one rank left a call to the MPI library and another one ran ours, both would hang. Ranks agree once for
// each communicator on whether some rank has loaded a runtime.
bool may_pass_device_memory();

// The communicator's name. Empty if it has only the default name that Open MPI gives to every communicator.
std::string name_of(MPI_Comm communicator);

// A communicator, and what MPI says of it, asked once.
struct KnownCommunicator {
  explicit KnownCommunicator(MPI_Comm communicator);

  const MPI_Comm handle;
  Rank rank = 0;
  Count ranks = 1;
  bool is_inter = true;  // also if there is no such communicator

  // The ranks of the members (of the own group) in MPI_COMM_WORLD; -1 for processes of other worlds.
  const std::vector<Rank>& world_ranks() const;
  // Do all members belong to this process's MPI_COMM_WORLD? Processes of other worlds (MPI_Comm_spawn, MPI_Comm_connect) may run
  // without the drop-in and would not take part in meetings. All ranks get the same answer: if there are members of two worlds,
  // each rank finds members that are not of its own. False for an intercommunicator.
  bool is_of_one_world() const;
  // This rank's neighbours, if the function is a collective of neighbours; otherwise null.
  const Neighbourhood* neighbours_for(Function function) const;

 private:
  mutable std::optional<std::vector<Rank>> world_ranks_;
  mutable std::optional<bool> is_of_one_world_;
  mutable std::unique_ptr<Neighbourhood> neighbourhood_;
};

bool is_spawned();  // was this world made by MPI_Comm_spawn?

}  // namespace quadrille::mpi_face
