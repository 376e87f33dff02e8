// SPDX-License-Identifier: BSD-3-Clause
// The plans behind calls without a plan (collectives.hpp). Each group of ranks has one at each rank.
#pragma once

#include "quadrille/execute.hpp"

namespace quadrille {

class Calls {};

}  // namespace quadrille
