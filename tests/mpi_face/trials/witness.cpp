// SPDX-License-Identifier: BSD-3-Clause
#include "witness.hpp"

#include <dlfcn.h>

#include <array>
#include <sstream>

#include "mpi_face/symbols/signature.hpp"

namespace quadrille::trials {
namespace {

thread_local bool vendor_was_called = false;
std::array<Runners, collective_count> tallies;

template <class F>
F* vendors(F*, const char* symbol) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, symbol));
}

}  // namespace

void begin_call() { vendor_was_called = false; }

void end_call(Collective collective) {
  Runners& tally = tallies[static_cast<std::size_t>(collective)];
  ++(vendor_was_called ? tally.vendors : tally.ours);
}

Runners runners_of(Collective collective) { return tallies[static_cast<std::size_t>(collective)]; }

std::string runners_text() {
  std::ostringstream text;
  for (int i = 0; i < collective_count; ++i) {
    const auto collective = static_cast<Collective>(i);
    const auto [ours, vendors] = runners_of(collective);
    text << (i ? ", " : "") << name_of(collective) << ' ' << ours << " of " << ours + vendors;
  }
  return text.str();
}

std::string not_run_by_both(const std::string& names) {
  std::istringstream words(names);
  std::string missed;
  for (std::string word; std::getline(words, word, ',');) {
    bool good = false;
    for (int i = 0; i < collective_count; ++i) {
      const auto [ours, vendors] = runners_of(static_cast<Collective>(i));
      if (word == name_of(static_cast<Collective>(i))) good = ours > 0 && vendors > 0;
    }
    if (!good) missed += (missed.empty() ? "" : ", ") + word;
  }
  return missed;
}

}  // namespace quadrille::trials

using quadrille::trials::vendors;

extern "C" {

#define OURS(name, fortran, capitals, arguments)                    \
  int PMPI_##name(PARAMETERS(PMPI_##name, arguments)) {             \
    static auto* const next = vendors(&PMPI_##name, "PMPI_" #name); \
    quadrille::trials::vendor_was_called = true;                    \
    return next(ARGUMENTS(arguments));                              \
  }
#if MPI_VERSION >= 4
#define OURS_LARGE(name, fortran, arguments)                                 \
  int PMPI_##name##_c(PARAMETERS(PMPI_##name##_c, arguments)) {              \
    static auto* const next = vendors(&PMPI_##name##_c, "PMPI_" #name "_c"); \
    quadrille::trials::vendor_was_called = true;                             \
    return next(ARGUMENTS(arguments));                                       \
  }
#endif
#include "mpi_face/symbols/functions.def"
}
