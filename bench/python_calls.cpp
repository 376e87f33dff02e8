// SPDX-License-Identifier: BSD-3-Clause
// The calls of C++ and of the MPI library that bench/python_calls.py compares with those of Python, in its process.
#include <chrono>
#include <span>

#include "quadrille/mpi.hpp"
#include "quadrille/quadrille.hpp"

namespace {

template <class Call>
void time_each(const Call& call, std::span<double> seconds) {
  for (double& each : seconds) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    each = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
}

}  // namespace

// Both write the seconds of each of `calls` alltoalls among the ranks of *communicator, with `elements` elements in each buffer.
extern "C" void time_quadrille(const MPI_Comm* communicator, const double* input, double* output, std::int64_t elements,
                               std::int64_t calls, double* seconds) {
  const auto ranks = quadrille::over(*communicator);
  const auto size = static_cast<std::size_t>(elements);
  const std::span from(input, size);
  const std::span to(output, size);
  time_each([&] { quadrille::alltoall(ranks, from, to); }, {seconds, static_cast<std::size_t>(calls)});
}

extern "C" void time_mpi(const MPI_Comm* communicator, const double* input, double* output, std::int64_t elements,
                         std::int64_t calls, double* seconds) {
  int ranks = 1;
  MPI_Comm_size(*communicator, &ranks);
  const int count = static_cast<int>(elements) / ranks;
  time_each([&] { MPI_Alltoall(input, count, MPI_DOUBLE, output, count, MPI_DOUBLE, *communicator); },
            {seconds, static_cast<std::size_t>(calls)});
}
