// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/text/byte_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace quadrille {

ByteUnit common_unit(std::span<const Bytes> sizes) {
  constexpr std::array<std::string_view, 5> names{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  const auto fits = [&](Bytes bytes) { return bytes % (Bytes{1} << (10 * (unit + 1))) == 0; };
  if (std::any_of(sizes.begin(), sizes.end(), [](Bytes bytes) { return bytes != 0; }))
    while (unit + 1 < names.size() && std::all_of(sizes.begin(), sizes.end(), fits)) ++unit;
  return {names[unit], Bytes{1} << (10 * unit)};
}

std::string bytes_text(Bytes bytes, const ByteUnit& unit) { return fmt::format("{} {}", bytes / unit.bytes, unit.name); }
std::string bytes_text(Bytes bytes) { return bytes_text(bytes, common_unit({&bytes, 1})); }

}  // namespace quadrille
