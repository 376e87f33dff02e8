// SPDX-License-Identifier: BSD-3-Clause
// Sizes in bytes as text.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "quadrille/types.hpp"

namespace quadrille {

struct ByteUnit {
  std::string_view name = "B";
  Bytes bytes = 1;
};

// Returns the largest of B, KiB, MiB, GiB and TiB that divides all `sizes`, so that each prints exactly; B if all are 0.
ByteUnit common_unit(std::span<const Bytes> sizes);

std::string bytes_text(Bytes bytes, const ByteUnit& unit);  // in the given unit: "1920 B"
std::string bytes_text(Bytes bytes);                        // in the largest unit that divides it: "8 B", "64 KiB", "1000 B"

}  // namespace quadrille
