// SPDX-License-Identifier: BSD-3-Clause
// An entry of a rank's recording before it is packed.
#pragma once

#include <cstdint>

namespace quadrille::recording {

struct Entry {
  std::uint32_t site = 0;  // index in the rank's own sites
  double gap_ns = 0, away_ns = 0, duration_ns = 0;
};

}  // namespace quadrille::recording
