// SPDX-License-Identifier: BSD-3-Clause
// Converts Fortran's arguments, all of which are addresses, to C's. The type of the C function's parameter determines the
// conversion, so no function needs its own code.
#pragma once

#include <mpi.h>

#include <memory>
#include <new>
#include <tuple>
#include <type_traits>

#include "mpi_face/neighbourhood.hpp"

// Open MPI's Fortran constants, such as MPI_IN_PLACE, are recognised by their addresses. Each compiler mangles the name
// differently, and each spelling is a separate variable.
extern "C" {
#define QUADRILLE_FORTRAN_CONSTANT(small, capital) [[gnu::weak]] extern int small, small##_, small##__, capital;
QUADRILLE_FORTRAN_CONSTANT(mpi_fortran_in_place, MPI_FORTRAN_IN_PLACE)
QUADRILLE_FORTRAN_CONSTANT(mpi_fortran_bottom, MPI_FORTRAN_BOTTOM)
#undef QUADRILLE_FORTRAN_CONSTANT
}

namespace quadrille::mpi_face {

static_assert(sizeof(MPI_Fint) == sizeof(int), "an Open MPI whose Fortran has integers of 8 bytes is not supported");

template <class... Each>
bool is_one_of(const void* address, Each*... constants) {
  return address != nullptr && ((address == constants) || ...);
}
inline bool is_in_place(const void* address) {
  return is_one_of(address, &mpi_fortran_in_place, &mpi_fortran_in_place_, &mpi_fortran_in_place__, &MPI_FORTRAN_IN_PLACE);
}
inline bool is_bottom(const void* address) {
  return is_one_of(address, &mpi_fortran_bottom, &mpi_fortran_bottom_, &mpi_fortran_bottom__, &MPI_FORTRAN_BOTTOM);
}

// State that one argument of a call passes on to the conversion of later arguments.
struct FortranCall {
  MPI_Comm communicator = MPI_COMM_NULL;
  bool skip_next_array = false;  // after MPI_IN_PLACE: MPI ignores the send side's other arguments, so its arrays may be invalid
  bool out_of_memory = false;

  bool is_of_neighbours = false;
  bool receives = false;  // the arrays of the send side have been converted

  // Length of the next array of types in a collective on this communicator.
  int peers() const {
    if (is_of_neighbours) {
      const Neighbourhood own(communicator);
      return static_cast<int>((receives ? own.sources() : own.targets()).blocks);
    }
    int is_inter = 0, size = 0;
    if (PMPI_Comm_test_inter(communicator, &is_inter) != MPI_SUCCESS) return 0;
    (is_inter ? PMPI_Comm_remote_size : PMPI_Comm_size)(communicator, &size);
    return size;
  }
};

inline MPI_Datatype to_c(MPI_Fint handle, MPI_Datatype) { return PMPI_Type_f2c(handle); }
inline MPI_Op to_c(MPI_Fint handle, MPI_Op) { return PMPI_Op_f2c(handle); }
inline MPI_Comm to_c(MPI_Fint handle, MPI_Comm) { return PMPI_Comm_f2c(handle); }
inline int to_c(MPI_Fint number, int) { return static_cast<int>(number); }

// Converts one argument whose C type is T: a number or a handle.
template <class T>
struct FromFortran {
  using Given = const MPI_Fint*;
  T value;
  FromFortran(Given given, FortranCall&) : value(to_c(*given, T{})) {}
};

template <>
struct FromFortran<void*> {
  using Given = void*;
  void* value;
  FromFortran(Given given, FortranCall& call) : value(is_in_place(given) ? MPI_IN_PLACE : is_bottom(given) ? MPI_BOTTOM : given) {
    if (value == MPI_IN_PLACE) call.skip_next_array = true;
  }
};
template <>
struct FromFortran<const void*> : FromFortran<void*> {
  using FromFortran<void*>::FromFortran;
};

// Displacements of Neighbor_alltoallw, which are addresses in Fortran, too.
template <>
struct FromFortran<const MPI_Aint*> {
  using Given = const MPI_Aint*;
  Given value;
  FromFortran(Given given, FortranCall&) : value(given) {}
};

// Converts an array with one entry for each block. Arrays of integers are used as they are if Fortran's integers are C's; types are
// always copied.
template <class T>
struct FromFortran<const T*> {
  using Given = const MPI_Fint*;
  std::unique_ptr<T[]> copy;
  const T* value = nullptr;
  FromFortran(Given given, FortranCall& call) {
    if constexpr (std::is_same_v<T, MPI_Fint>) {
      value = given;
    } else if (!call.skip_next_array && given) {
      const int n = call.peers();
      copy.reset(new (std::nothrow) T[static_cast<std::size_t>(n) + 1]);
      call.out_of_memory |= !copy;
      for (int i = 0; copy && i < n; ++i) copy[static_cast<std::size_t>(i)] = to_c(given[i], T{});
      value = copy.get();
    }
    if constexpr (std::is_same_v<T, MPI_Datatype>) call.skip_next_array = false, call.receives = true;  // the last of the arrays
  }
};

template <class T>
using Given = typename FromFortran<T>::Given;

// Converts the arguments and calls the C function, whose last argument is the communicator. Fortran 2008 programs may omit
// `ierror`.
template <Function called, class... C>
void call_from_fortran(int (*function)(C...), MPI_Fint* ierror, std::type_identity_t<Given<C>>... given) {
  FortranCall call;
  call.communicator = PMPI_Comm_f2c(*std::get<sizeof...(C) - 1>(std::tie(given...)));
  call.is_of_neighbours = is_of_neighbours(called);
  std::tuple<FromFortran<C>...> arguments{FromFortran<C>(given, call)...};
  const int code = call.out_of_memory ? PMPI_Comm_call_errhandler(call.communicator, MPI_ERR_NO_MEM),
            MPI_ERR_NO_MEM            : std::apply([&](auto&... each) { return function(each.value...); }, arguments);
  if (ierror) *ierror = static_cast<MPI_Fint>(code);
}

}  // namespace quadrille::mpi_face
