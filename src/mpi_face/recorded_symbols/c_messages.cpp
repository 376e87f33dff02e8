// SPDX-License-Identifier: BSD-3-Clause
// Defines MPI's C functions of messages.def and making.def, for preloading where a program is recorded or counted.
#include "mpi_face/recorded_symbols/recorded_calls.hpp"
#include "mpi_face/symbols/preloaded.hpp"
#include "mpi_face/symbols/signature.hpp"

using namespace quadrille::mpi_face;

namespace {

[[maybe_unused]] const bool sees_all = CountedMessage::see_all();
}

extern "C" {

#define QUADRILLE_MESSAGE(symbol, function, arguments)                                                                     \
  int MPI_##symbol(PARAMETERS(MPI_##symbol, arguments)) {                                                                  \
    note_caller();                                                                                                         \
    static auto* const call = next("MPI_" #symbol, PMPI_##symbol);                                                         \
    const RecordedMessage recorded(MessageFunction::function,                                                              \
                                   [&] { return message_of<MessageFunction::function>(std::tie(ARGUMENTS(arguments))); }); \
    const int code = call(ARGUMENTS(arguments));                                                                           \
    if (code == MPI_SUCCESS) see_request<MessageFunction::function>(std::tie(ARGUMENTS(arguments)));                       \
    return code;                                                                                                           \
  }
#define MESSAGE(name, fortran, capitals, arguments) QUADRILLE_MESSAGE(name, name, arguments)
#if MPI_VERSION >= 4 || (defined OPEN_MPI && OMPI_MAJOR_VERSION >= 5)
#define MESSAGE_MPI4(name, fortran, capitals, arguments) \
  MAY_BE_ABSENT(PMPI_##name)                             \
  QUADRILLE_MESSAGE(name, name, arguments)
#endif
#if MPI_VERSION >= 4
#define MESSAGE_LARGE(name, arguments) \
  MAY_BE_ABSENT(PMPI_##name##_c)       \
  QUADRILLE_MESSAGE(name##_c, name, arguments)
#endif
#include "mpi_face/recorded_symbols/messages.def"

#define MAKING(name, fortran, capitals, arguments)                                                    \
  int MPI_##name(PARAMETERS(MPI_##name, arguments)) {                                                 \
    note_caller();                                                                                    \
    static auto* const call = next("MPI_" #name, PMPI_##name);                                        \
    RecordedMaking recorded(#name, a0);                                                               \
    const int code = call(ARGUMENTS(arguments));                                                      \
    if (code == MPI_SUCCESS) recorded.made(*std::get<arguments - 1>(std::tie(ARGUMENTS(arguments)))); \
    return code;                                                                                      \
  }
#define TYPE(name, fortran, capitals, is_made)                 \
  int MPI_##name(MPI_Datatype* type) {                         \
    note_caller();                                             \
    static auto* const call = next("MPI_" #name, PMPI_##name); \
    if (type) see_type(*type, is_made);                        \
    return call(type);                                         \
  }
#include "mpi_face/recorded_symbols/making.def"
}
