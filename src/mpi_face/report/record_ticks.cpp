// SPDX-License-Identifier: BSD-3-Clause
// The rate of the time-stamp counter since this library was loaded.
#include "mpi_face/ticks.hpp"

namespace quadrille::mpi_face {

namespace {

const TickMoment loaded = TickMoment::now();

}  // namespace

double seconds_of(double ticks) {
  static const double rate = [] {
    TickMoment now = TickMoment::now();
    while (now.monotonic_ns - loaded.monotonic_ns < 1'000'000) now = TickMoment::now();
    return tick_rate(loaded, now);
  }();
  return ticks / rate;
}

}  // namespace quadrille::mpi_face
