// SPDX-License-Identifier: BSD-3-Clause
// Numbers and names of the MPI functions that the drop-in defines.
#pragma once

#include <array>
#include <cstddef>
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

inline std::string_view name(Function function) { return function_names[static_cast<std::size_t>(function)]; }

}  // namespace quadrille::mpi_face
