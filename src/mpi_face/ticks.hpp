// SPDX-License-Identifier: BSD-3-Clause
// Time stamps of the drop-in (foundation/system/ticks.hpp), and their rate.
#pragma once

#include "foundation/system/ticks.hpp"

namespace quadrille::mpi_face {

using quadrille::tick_rate;
using quadrille::TickMoment;
using quadrille::ticks;

// The seconds of so many ticks, by their rate from the time when this library was loaded to the first call.
double seconds_of(double ticks);

}  // namespace quadrille::mpi_face
