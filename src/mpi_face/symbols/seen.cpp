// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/symbols/seen.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "mpi_face/symbols/library_in_use.hpp"

namespace quadrille::mpi_face {

constinit std::atomic<bool> collective_seen{false};

void see_first_collective() {
  check_library_in_use();
  collective_seen.store(true, std::memory_order_relaxed);
}

namespace {

bool is_first_rank() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"})
    if (const char* rank = std::getenv(variable)) return std::atoi(rank) == 0;
  return true;
}

// `quadrille wrap` sets QUADRILLE_WRAPPED to the id of its process. The wrapped program has the same id; its children do not.
[[gnu::destructor]] void say_that_none_was_seen() {
  const char* const wrapped = std::getenv("QUADRILLE_WRAPPED");
  if (!wrapped || std::atoi(wrapped) != getpid() || collective_seen.load(std::memory_order_relaxed) || !is_first_rank()) return;
  std::fputs("quadrille: no collective was seen: linked statically?\n", stderr);
}

}  // namespace
}  // namespace quadrille::mpi_face
