// SPDX-License-Identifier: BSD-3-Clause
// Defines MPI's Fortran functions, for preloading. Open MPI's Fortran functions call the C functions' profiling names (PMPI_), so
// each of them is defined here: mpif.h and `use mpi` call mpi_x_ (or another spelling, depending on the compiler); `use mpi_f08`
// calls mpi_x_f08_ with the same arguments. MPICH's Fortran functions call C's MPI_x, which we define, except for functions of `use
// mpi_f08` without a buffer.
#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "mpi_face/passed_through.hpp"
#include "mpi_face/symbols/seen.hpp"
#include "mpi_face/symbols/signature.hpp"
#include "quadrille/mpi_collectives.h"
#ifdef OPEN_MPI
#include "mpi_face/symbols/fortran_arguments.hpp"
#endif

namespace quadrille::mpi_face {
namespace {

// Searches all loaded libraries: a library that an interpreter has loaded may not be in the global scope.
void* look_in_loaded(const char* symbol) {
  struct Search {
    const char* symbol;
    void* found;
  } search{symbol, nullptr};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* pointer) {
        Search& wanted = *static_cast<Search*>(pointer);
        if (!std::strstr(info->dlpi_name, "libmpi")) return 0;
        void* const library = dlopen(info->dlpi_name, RTLD_NOLOAD | RTLD_LAZY);
        if (!library) return 0;
        wanted.found = dlsym(library, wanted.symbol);
        dlclose(library);  // drops only the reference from dlopen above
        return wanted.found ? 1 : 0;
      },
      &search);
  return search.found;
}

// Reads a communicator from a Fortran handle, which all three bindings lay out alike.
[[maybe_unused]] MPI_Comm communicator_at(const void* handle) {
  MPI_Fint number = 0;
  std::memcpy(&number, handle, sizeof number);
  return PMPI_Comm_f2c(number);
}

// The MPI library's own function, from the Fortran library that the program has loaded.
void* vendor_function(const char* symbol) {
  void* found = dlsym(RTLD_DEFAULT, symbol);
  if (!found) found = look_in_loaded(symbol);
  if (found) return found;
  std::fprintf(stderr, "quadrille: the program calls MPI from Fortran, but no library that is loaded has %s\n", symbol);
  std::abort();
}

}  // namespace
}  // namespace quadrille::mpi_face

using namespace quadrille::mpi_face;

// Lists of addresses that are passed on unchanged.
#define POINTERS_2 void *a0, void *a1
#define POINTERS_3 POINTERS_2, void* a2
#define POINTERS_4 POINTERS_3, void* a3
#define POINTERS_5 POINTERS_4, void* a4
#define POINTERS_6 POINTERS_5, void* a5
#define POINTERS_7 POINTERS_6, void* a6
#define POINTERS_8 POINTERS_7, void* a7
#define POINTERS_9 POINTERS_8, void* a8
#define POINTERS_10 POINTERS_9, void* a9
#define POINTERS_11 POINTERS_10, void* a10

#define QUADRILLE_FORTRAN_PASSED(symbol, vendor, function, arguments)                                               \
  void symbol(POINTERS_##arguments, void* ierror) {                                                                 \
    static const auto vendors = reinterpret_cast<void (*)(POINTERS_##arguments, void*)>(vendor_function(#vendor));  \
    see_collective();                                                                                               \
    constexpr std::size_t at = place_of_communicator(Function::function, arguments);                                \
    const PassedThrough counted(Function::function, communicator_at(std::get<at>(std::tie(ARGUMENTS(arguments))))); \
    vendors(ARGUMENTS(arguments), ierror);                                                                          \
  }
#define QUADRILLE_ALIAS(symbol, other) extern decltype(symbol) other [[gnu::alias(#symbol)]];

extern "C" {

#ifdef OPEN_MPI

#define FORTRAN_ARGUMENT(f, i) Given<Argument<decltype(f), i>> a##i
#define FORTRAN_1(f) FORTRAN_ARGUMENT(f, 0)
#define FORTRAN_2(f) FORTRAN_1(f), FORTRAN_ARGUMENT(f, 1)
#define FORTRAN_3(f) FORTRAN_2(f), FORTRAN_ARGUMENT(f, 2)
#define FORTRAN_4(f) FORTRAN_3(f), FORTRAN_ARGUMENT(f, 3)
#define FORTRAN_5(f) FORTRAN_4(f), FORTRAN_ARGUMENT(f, 4)
#define FORTRAN_6(f) FORTRAN_5(f), FORTRAN_ARGUMENT(f, 5)
#define FORTRAN_7(f) FORTRAN_6(f), FORTRAN_ARGUMENT(f, 6)
#define FORTRAN_8(f) FORTRAN_7(f), FORTRAN_ARGUMENT(f, 7)
#define FORTRAN_9(f) FORTRAN_8(f), FORTRAN_ARGUMENT(f, 8)

#define OURS(name, fortran, capitals, arguments)                             \
  void mpi_##fortran##_(FORTRAN_##arguments(MPI_##name), MPI_Fint* ierror) { \
    see_collective();                                                        \
    call_from_fortran(quadrille_##fortran, ierror, ARGUMENTS(arguments));    \
  }                                                                          \
  QUADRILLE_ALIAS(mpi_##fortran##_, mpi_##fortran)                           \
  QUADRILLE_ALIAS(mpi_##fortran##_, mpi_##fortran##__)                       \
  QUADRILLE_ALIAS(mpi_##fortran##_, MPI_##capitals)                          \
  QUADRILLE_ALIAS(mpi_##fortran##_, mpi_##fortran##_f08_)

#define QUADRILLE_FORTRAN_BINDINGS(prefix, large_prefix, name, fortran, capitals, arguments) \
  QUADRILLE_FORTRAN_PASSED(prefix##fortran##_, p##prefix##fortran##_, name, arguments)       \
  QUADRILLE_ALIAS(prefix##fortran##_, prefix##fortran)                                       \
  QUADRILLE_ALIAS(prefix##fortran##_, prefix##fortran##__)                                   \
  QUADRILLE_ALIAS(prefix##fortran##_, large_prefix##capitals)                                \
  QUADRILLE_FORTRAN_PASSED(prefix##fortran##_f08_, p##prefix##fortran##_f08_, name, arguments)

#define PASSED(name, fortran, capitals, arguments) QUADRILLE_FORTRAN_BINDINGS(mpi_, MPI_, name, fortran, capitals, arguments)
#if OMPI_MAJOR_VERSION >= 5
#define PASSED_MPI4(name, fortran, capitals, arguments) QUADRILLE_FORTRAN_BINDINGS(mpi_, MPI_, name, fortran, capitals, arguments)
#else
#define PASSED_MPI4(name, fortran, capitals, arguments) QUADRILLE_FORTRAN_BINDINGS(mpix_, MPIX_, name, fortran, capitals, arguments)
#endif
#include "mpi_face/symbols/functions.def"

#elif defined MPICH

void mpi_barrier_f08_(const MPI_Fint* comm, MPI_Fint* ierror) {
  see_collective();
  const int code = quadrille_barrier(PMPI_Comm_f2c(*comm));
  if (ierror) *ierror = code;
}
QUADRILLE_FORTRAN_PASSED(mpi_ibarrier_f08_, pmpir_ibarrier_f08_, Ibarrier, 2)
QUADRILLE_FORTRAN_PASSED(mpi_barrier_init_f08_, pmpir_barrier_init_f08_, Barrier_init, 3)

#endif
}
