// SPDX-License-Identifier: BSD-3-Clause
// Numbers and names of the MPI functions that the drop-in defines.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace quadrille::mpi_face {

enum class Function : int {
#define OURS(name, fortran, capitals, arguments) name,
#define PASSED(name, fortran, capitals, arguments) name,
#define PASSED_MPI4(name, fortran, capitals, arguments) name,
#include "mpi_face/symbols/functions.def"
  count
};

inline constexpr std::array<std::string_view, static_cast<std::size_t>(Function::count)> function_names{
#define OURS(name, fortran, capitals, arguments) "MPI_" #name,
#define PASSED(name, fortran, capitals, arguments) "MPI_" #name,
#define PASSED_MPI4(name, fortran, capitals, arguments) "MPI_" #name,
#include "mpi_face/symbols/functions.def"
};

// The functions that Quadrille may run come first.
inline constexpr std::size_t ours_count = 0
#define OURS(name, fortran, capitals, arguments) +1
#include "mpi_face/symbols/functions.def"
    ;

inline constexpr std::array<std::string_view, static_cast<std::size_t>(Function::count)> fortran_names{
#define OURS(name, fortran, capitals, arguments) #fortran,
#define PASSED(name, fortran, capitals, arguments) #fortran,
#define PASSED_MPI4(name, fortran, capitals, arguments) #fortran,
#include "mpi_face/symbols/functions.def"
};

constexpr std::string_view name(Function function) { return function_names[static_cast<std::size_t>(function)]; }

constexpr std::string_view short_name(Function function) { return name(function).substr(4); }  // without the prefix MPI_

// The name in Fortran without the prefix mpi_: alltoallv.
constexpr std::string_view fortran_name(Function function) { return fortran_names[static_cast<std::size_t>(function)]; }

// The function with this short name.
constexpr std::optional<Function> function_named(std::string_view wanted) {
  for (std::size_t i = 0; i < function_names.size(); ++i)
    if (function_names[i].substr(4) == wanted) return static_cast<Function>(i);
  return std::nullopt;
}

// All nonblocking functions, and all persistent ones, are in the order of the blocking functions.
constexpr bool is_persistent(Function function) { return static_cast<std::size_t>(function) / ours_count == 2; }
constexpr bool is_nonblocking(Function function) { return static_cast<std::size_t>(function) / ours_count == 1; }
constexpr bool is_of_neighbours(Function function) {  // the blocking ones
  return function >= Function::Neighbor_allgather && function <= Function::Neighbor_alltoallw;
}
constexpr bool is_neighbourhood(Function function) {
  return is_of_neighbours(static_cast<Function>(static_cast<std::size_t>(function) % ours_count));
}

// The blocking collective of the whole communicator with the same arguments: Alltoall for Ineighbor_alltoall and Alltoall_init.
constexpr Function blocking_form(Function function) {
  constexpr int to_whole = static_cast<int>(Function::Allgather) - static_cast<int>(Function::Neighbor_allgather);
  const int blocking = static_cast<int>(function) % static_cast<int>(ours_count);
  return static_cast<Function>(blocking + (is_neighbourhood(function) ? to_whole : 0));
}
static_assert(blocking_form(Function::Ineighbor_alltoall) == Function::Alltoall);
static_assert(blocking_form(Function::Neighbor_alltoallw_init) == Function::Alltoallw);
static_assert(is_persistent(Function::Barrier_init) && is_nonblocking(Function::Ineighbor_alltoallw));

// True if sizes may differ between ranks or blocks.
constexpr bool is_irregular_function(Function function) {
  return function == Function::Alltoallv || function == Function::Alltoallw || function == Function::Allgatherv ||
         function == Function::Gatherv || function == Function::Scatterv;
}

// The functions in which each rank knows only its own blocks, and which therefore run as exchanges by edges.

// Does every rank exchange data with the root only?
constexpr bool has_root(Function function) { return function == Function::Gatherv || function == Function::Scatterv; }

// Does each neighbour get the same block?
constexpr bool gathers_of_neighbours(Function function) {
  return function == Function::Neighbor_allgather || function == Function::Neighbor_allgatherv;
}

// The functions in which no rank can know whether all ranks wait for each other.
constexpr bool never_synchronises(Function function) {
  return has_root(function) || is_of_neighbours(function) || function == Function::Alltoallw;
}

constexpr bool is_exchanged(Function function) { return never_synchronises(function) || function == Function::Alltoallv; }

enum class MessageFunction : int {
#define ONE_REQUEST(name, fortran, capitals, arguments, kind) name,
#define REQUESTS(name, fortran, capitals, arguments, kind) name,
#include "mpi_face/symbols/requests.def"
#define MESSAGE(name, fortran, capitals, arguments) name,
#define MESSAGE_MPI4(name, fortran, capitals, arguments) name,
#include "mpi_face/recorded_symbols/messages.def"
  count
};

inline constexpr std::array<std::string_view, static_cast<std::size_t>(MessageFunction::count)> message_function_names{
#define ONE_REQUEST(name, fortran, capitals, arguments, kind) #name,
#define REQUESTS(name, fortran, capitals, arguments, kind) #name,
#include "mpi_face/symbols/requests.def"
#define MESSAGE(name, fortran, capitals, arguments) #name,
#define MESSAGE_MPI4(name, fortran, capitals, arguments) #name,
#include "mpi_face/recorded_symbols/messages.def"
};

}  // namespace quadrille::mpi_face
