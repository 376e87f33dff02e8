// SPDX-License-Identifier: BSD-3-Clause
// Converts Fortran's arguments, which are all addresses, to C's. The conversion follows from the type of the C function's
// parameter, so no function needs code of its own.
#pragma once

#include <mpi.h>

#include <memory>
#include <new>
#include <tuple>
#include <type_traits>

// Open MPI's constants of Fortran are recognised by their addresses. Each compiler's spelling of a name is a variable of its own.
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

// What the arguments of one call say of each other.
struct FortranCall {
  MPI_Comm communicator = MPI_COMM_NULL;
  bool skip_next_array = false;  // in place: MPI ignores what describes the data sent, so it may be anything
  bool out_of_memory = false;

  // How many counts, displacements or types a collective of this communicator reads.
  int peers() const {
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

// One argument whose type in C is T: a number or a handle.
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

// An array with an entry for each peer. Only types are copied where Fortran's integers are C's.
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
    if constexpr (std::is_same_v<T, MPI_Datatype>) call.skip_next_array = false;  // the types come last
  }
};

template <class T>
using Given = typename FromFortran<T>::Given;

// Calls the C function. Its last argument is the communicator. Fortran 2008 lets a program leave `ierror` out.
template <class... C>
void call_from_fortran(int (*function)(C...), MPI_Fint* ierror, std::type_identity_t<Given<C>>... given) {
  FortranCall call;
  call.communicator = PMPI_Comm_f2c(*std::get<sizeof...(C) - 1>(std::tie(given...)));
  std::tuple<FromFortran<C>...> arguments{FromFortran<C>(given, call)...};
  const int code = call.out_of_memory ? PMPI_Comm_call_errhandler(call.communicator, MPI_ERR_NO_MEM),
            MPI_ERR_NO_MEM            : std::apply([&](auto&... each) { return function(each.value...); }, arguments);
  if (ierror) *ierror = static_cast<MPI_Fint>(code);
}

}  // namespace quadrille::mpi_face
