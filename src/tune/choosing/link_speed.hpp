// SPDX-License-Identifier: BSD-3-Clause
// How fast the links between nodes are, measured in some milliseconds. A preset machine assumes a fast network; where links are
// far slower, its prices would prefer algorithms that send each byte many times.
#pragma once

#include "quadrille/execute.hpp"
#include "quadrille/model.hpp"

namespace quadrille {

// Collective, for ranks on several nodes. Returns, on rank 0, the microseconds in which a byte of a long message goes from a node
// to another one, while both send and receive one. Other ranks return something else.
double measured_us_per_byte(Communicator& communicator);

// Returns the machine with slower links if `us_per_byte` is more than four times the machine's own figure; its name then says so.
MachineCosts with_measured_links(MachineCosts machine, double us_per_byte);

}  // namespace quadrille
