// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/symbols/seen.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "foundation/mpi_libraries.hpp"
#include "mpi_face/symbols/library_in_use.hpp"

namespace quadrille::mpi_face {

constinit std::atomic<bool> collective_seen{false};

void see_first_collective() {
  check_library_in_use();
  collective_seen.store(true, std::memory_order_relaxed);
}

namespace {

// `quadrille wrap` sets QUADRILLE_WRAPPED to the id of its process. The wrapped program has the same id; its children do not.
[[gnu::destructor]] void say_that_none_was_seen() {
  const char* const wrapped = std::getenv("QUADRILLE_WRAPPED");  // this library may not be linked with the table of variables
  if (!wrapped || std::atoi(wrapped) != getpid() || collective_seen.load(std::memory_order_relaxed) || !is_first_launched()) return;
  std::fputs("quadrille: no collective was seen: linked statically?\n", stderr);
}

}  // namespace
}  // namespace quadrille::mpi_face
