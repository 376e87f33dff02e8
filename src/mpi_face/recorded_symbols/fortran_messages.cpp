// SPDX-License-Identifier: BSD-3-Clause
// Defines MPI's Fortran functions of messages.def and making.def, as symbols/fortran_symbols.cpp does for collectives.
#include <tuple>

#include "mpi_face/recorded_symbols/recorded_calls.hpp"
#include "mpi_face/symbols/fortran_forward.hpp"
#include "mpi_face/symbols/signature.hpp"

using namespace quadrille::mpi_face;

#define QUADRILLE_FORTRAN_MESSAGE(symbol, vendor, function, arguments)                                                     \
  void symbol(POINTERS(arguments), void* ierror) {                                                                         \
    note_caller();                                                                                                         \
    static const auto vendors = reinterpret_cast<void (*)(POINTERS(arguments), void*)>(next_function(#symbol, #vendor));   \
    const RecordedMessage recorded(MessageFunction::function,                                                              \
                                   [&] { return message_of<MessageFunction::function>(std::tie(ARGUMENTS(arguments))); }); \
    vendors(ARGUMENTS(arguments), ierror);                                                                                 \
    if (is_success(ierror)) see_request<MessageFunction::function>(std::make_tuple(ARGUMENTS(arguments)));                 \
  }
#define QUADRILLE_FORTRAN_MAKING(symbol, vendor, name, arguments)                                                        \
  void symbol(POINTERS(arguments), void* ierror) {                                                                       \
    note_caller();                                                                                                       \
    static const auto vendors = reinterpret_cast<void (*)(POINTERS(arguments), void*)>(next_function(#symbol, #vendor)); \
    RecordedMaking recorded(#name, PMPI_Comm_f2c(number_at(a0)));                                                        \
    vendors(ARGUMENTS(arguments), ierror);                                                                               \
    if (is_success(ierror))                                                                                              \
      recorded.made(PMPI_Comm_f2c(number_at(std::get<arguments - 1>(std::make_tuple(ARGUMENTS(arguments))))));           \
  }
#define QUADRILLE_FORTRAN_TYPE(symbol, vendor, is_made)                                                    \
  void symbol(void* type, void* ierror) {                                                                  \
    note_caller();                                                                                         \
    static const auto vendors = reinterpret_cast<void (*)(void*, void*)>(next_function(#symbol, #vendor)); \
    see_type(PMPI_Type_f2c(number_at(type)), is_made);                                                     \
    vendors(type, ierror);                                                                                 \
  }

extern "C" {

#ifdef OPEN_MPI

#define MESSAGE(name, fortran, capitals, arguments)                               \
  QUADRILLE_FORTRAN_MESSAGE(mpi_##fortran##_, pmpi_##fortran##_, name, arguments) \
  QUADRILLE_FORTRAN_SPELLINGS(mpi_, MPI_, fortran, capitals)                      \
  QUADRILLE_FORTRAN_MESSAGE(mpi_##fortran##_f08_, pmpi_##fortran##_f08_, name, arguments)
#if OMPI_MAJOR_VERSION >= 5
#define MESSAGE_MPI4(name, fortran, capitals, arguments) MESSAGE(name, fortran, capitals, arguments)
#endif
#include "mpi_face/recorded_symbols/messages.def"

#define MAKING(name, fortran, capitals, arguments)                               \
  QUADRILLE_FORTRAN_MAKING(mpi_##fortran##_, pmpi_##fortran##_, name, arguments) \
  QUADRILLE_FORTRAN_SPELLINGS(mpi_, MPI_, fortran, capitals)                     \
  QUADRILLE_FORTRAN_MAKING(mpi_##fortran##_f08_, pmpi_##fortran##_f08_, name, arguments)
#define TYPE(name, fortran, capitals, is_made)                         \
  QUADRILLE_FORTRAN_TYPE(mpi_##fortran##_, pmpi_##fortran##_, is_made) \
  QUADRILLE_FORTRAN_SPELLINGS(mpi_, MPI_, fortran, capitals)           \
  QUADRILLE_FORTRAN_TYPE(mpi_##fortran##_f08_, pmpi_##fortran##_f08_, is_made)
#include "mpi_face/recorded_symbols/making.def"

#elif defined MPICH

#define MESSAGE_BARE(name, fortran, arguments) \
  QUADRILLE_FORTRAN_MESSAGE(mpi_##fortran##_f08_, pmpir_##fortran##_f08_, name, arguments)
#include "mpi_face/recorded_symbols/messages.def"

#define MAKING(name, fortran, capitals, arguments) \
  QUADRILLE_FORTRAN_MAKING(mpi_##fortran##_f08_, pmpir_##fortran##_f08_, name, arguments)
#define TYPE(name, fortran, capitals, is_made) QUADRILLE_FORTRAN_TYPE(mpi_##fortran##_f08_, pmpir_##fortran##_f08_, is_made)
#include "mpi_face/recorded_symbols/making.def"

#endif
}
