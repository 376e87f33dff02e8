// SPDX-License-Identifier: BSD-3-Clause
#include "execute/mpi/plug_in/quiet_polls.hpp"

// MPICH's polls never yield.
namespace quadrille {

bool QuietPolls::are_possible() { return false; }
QuietPolls::QuietPolls() = default;
QuietPolls::~QuietPolls() = default;

}  // namespace quadrille
