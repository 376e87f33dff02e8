// SPDX-License-Identifier: BSD-3-Clause
// The table of executors: the mechanisms that move the bytes of a schedule (mpi, shared, hybrid). The command's options, help,
// completion and errors, wisdom files and races are derived from it. A group offers one transport (transport.hpp) for each of its
// executors.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "execute/transport.hpp"
#include "quadrille/execute.hpp"

namespace quadrille {

// Which ranks must share memory.
enum class SharedBy : std::uint8_t {
  nobody,
  ranks_of_a_node,  // the ranks of each of several nodes; between nodes there are messages
  all_ranks,
};

struct ExecutorRow {
  Executor executor{};
  std::string_view name;         // the name on the command line, in wisdom and in JSON
  std::string_view description;  // for help
  std::string_view phrase;       // follows an algorithm's name: "bruck by shared memory"
  SharedBy memory{};
  bool needs_mpi = false;  // does it work only among ranks of an MPI library?
  // May plans choose this executor if the user names none? If so, fits, races and `tune` include it.
  bool is_automatic = true;
};

std::span<const ExecutorRow> all_executors();
const ExecutorRow& row_of(Executor executor);  // `executor` must not be `automatic`
std::string executor_names();                  // "mpi, shared or hybrid"

// Returns the executors that plans of the group may choose, the preferred one first. Local; returns the same on all ranks.
std::vector<Executor> executors_of(Communicator& ranks);

// Local. Returns the transport that runs plans by executor `asked` in the group whose own transport is `own`, or the reason why
// there is none. For `automatic` it returns the preferred transport. For `mpi` it returns `own` if the group has no MPI library, so
// that a plan for MPI messages also runs on threads.
Result<Transport*> transport_for(Transport& own, Executor asked);

}  // namespace quadrille
