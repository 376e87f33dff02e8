// SPDX-License-Identifier: BSD-3-Clause
// Numbers and names of the functions whose time is point-to-point time.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace quadrille::mpi_face {

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
