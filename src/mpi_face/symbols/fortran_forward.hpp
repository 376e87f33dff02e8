// SPDX-License-Identifier: BSD-3-Clause
// The parts that the definitions of MPI's Fortran functions share: finding the MPI library's function, reading arguments (all of
// them are addresses), and the spellings of a name.
#pragma once

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "mpi_face/symbols/signature.hpp"

namespace quadrille::mpi_face {

// Searches all loaded libraries: a library that an interpreter has loaded may not be in the global scope.
inline void* look_in_loaded(const char* symbol) {
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

// Reads a number or a Fortran handle. All three bindings lay out handles alike.
inline MPI_Fint number_at(const void* place, int i = 0) {
  MPI_Fint number = 0;
  std::memcpy(&number, static_cast<const MPI_Fint*>(place) + i, sizeof number);
  return number;
}
inline MPI_Request request_at(const void* requests, int i) { return PMPI_Request_f2c(number_at(requests, i)); }
inline bool is_success(const void* ierror) { return !ierror || number_at(ierror) == MPI_SUCCESS; }

// The MPI library's own function, from the Fortran library that the program has loaded.
[[gnu::visibility("hidden")]] inline void* vendor_function(const char* symbol) {
  void* found = dlsym(RTLD_DEFAULT, symbol);
  if (!found) found = look_in_loaded(symbol);
  if (found) return found;
  std::fprintf(stderr, "quadrille: the program calls MPI from Fortran, but no library that is loaded has %s\n", symbol);
  std::abort();
}

// The function of a tool that was preloaded after this library; without such a tool, the MPI library's. Hidden, because each
// library must search from its own place in the loader's order.
[[gnu::visibility("hidden")]] inline void* next_function(const char* symbol, const char* vendor) {
  void* const found = dlsym(RTLD_NEXT, symbol);
  return found ? found : vendor_function(vendor);
}

}  // namespace quadrille::mpi_face

#define QUADRILLE_ALIAS(symbol, other) extern decltype(symbol) other [[gnu::alias(#symbol)]];
// The spellings of mpif.h and `use mpi`, which depend on the compiler.
#define QUADRILLE_FORTRAN_SPELLINGS(prefix, capitals_prefix, fortran, capitals) \
  QUADRILLE_ALIAS(prefix##fortran##_, prefix##fortran)                          \
  QUADRILLE_ALIAS(prefix##fortran##_, prefix##fortran##__)                      \
  QUADRILLE_ALIAS(prefix##fortran##_, capitals_prefix##capitals)
